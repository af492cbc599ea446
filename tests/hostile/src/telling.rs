use std::time::Duration;

use serde_json::Value;

use crate::answer;
use crate::codes::{self, Proof};
use crate::dice::Dice;
use crate::fault::Fault;
use crate::node::Node;
use crate::operation::Family;
use crate::quirk::Quirk;

/// How one request is answered: by which machine, and what is wrong and odd about it.
pub(crate) struct Telling {
    pub(crate) family: Family,
    pub(crate) fault: Fault,
    pub(crate) quirk: Quirk,
    pub(crate) node: Node,
    pub(crate) dice: Dice,
    /// The time by the true clock.
    pub(crate) now: u64,
}

impl Telling {
    /// An envelope with this code.
    pub(crate) fn envelope(&mut self, code: &str, data: &Value) -> String {
        let told = self.now.saturating_add_signed(self.node.tells).to_string();
        let time = self.quirk.time(&mut self.dice).unwrap_or(&told);
        answer::envelope(code, data, time)
    }

    /// An envelope of a refusal that proves so much.
    pub(crate) fn refusal(&mut self, proof: Proof) -> String {
        let code = self.code(proof);
        self.envelope(code, &Value::Null)
    }

    /// A code that proves so much.
    pub(crate) fn code(&mut self, proof: Proof) -> &'static str {
        codes::throw(self.family, proof, &mut self.dice)
    }

    /// A short real time.
    pub(crate) fn pause(&mut self) -> Duration {
        Duration::from_millis(1 + self.dice.below(4))
    }
}
