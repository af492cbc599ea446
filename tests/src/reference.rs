//! What a request validator must refuse, a second time: slow, and written from the documents alone.
//!
//! Nothing here comes from the schema or from generated code. A test can check the same request with both and find
//! where one of them has misread the documents.
//!
//! It takes for granted what types can say: required parameters are there, one of two ids is given, and what belongs to
//! limit orders stands only beside them.

mod account;
mod broker;
mod classic;
mod decimal;
mod request;
#[cfg(test)]
mod tests;
mod unified;
mod unified_batch;
mod window;

use serde_json::Value;

use account::Account;
use request::Request;

/// How a request is judged before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing speaks against it.
    Accepted,
    /// It may be sent, though something in it is unwise or ignored.
    Warned,
    /// It must not be sent.
    Refused,
}

/// Everything that was found in a request, each in words for the comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Why it must not be sent.
    pub refusals: Vec<String>,
    /// What is unwise or ignored.
    pub warnings: Vec<String>,
}

impl Findings {
    /// The outcome of the request: a refusal beats a warning.
    pub fn verdict(&self) -> Verdict {
        match (self.refusals.is_empty(), self.warnings.is_empty()) {
            (false, _) => Verdict::Refused,
            (true, false) => Verdict::Warned,
            (true, true) => Verdict::Accepted,
        }
    }

    fn refuse_if(&mut self, wrong: bool, why: impl Into<String>) {
        if wrong {
            self.refusals.push(why.into());
        }
    }

    fn warn_if(&mut self, unwise: bool, why: impl Into<String>) {
        if unwise {
            self.warnings.push(why.into());
        }
    }
}

/// The outcome of `request` (wire names; an array where the body is one) when the account is known as `account`
/// tells it and the clock shows `now` (Unix ms). The operation is `<family>.<last path segment>`.
///
/// # Panics
///
/// When the documents have no such operation.
pub fn verdict(operation: &str, request: &Value, account: &Value, now: u64) -> Verdict {
    findings(operation, request, account, now).verdict()
}

/// The same as [`verdict`], with the reasons.
///
/// # Panics
///
/// When the documents have no such operation.
pub fn findings(operation: &str, request: &Value, account: &Value, now: u64) -> Findings {
    let mut out = Findings::default();
    let (request, account, now) = (Request(request), Account(account), i128::from(now));
    match operation.split_once('.') {
        Some(("classic", name)) => classic::inspect(name, request, account, now, &mut out),
        Some(("unified", name)) => unified::inspect(name, request, account, now, &mut out),
        Some(("broker", name)) => broker::inspect(name, request, now, &mut out),
        _ => unknown(operation),
    }
    out
}

fn unknown(name: &str) -> ! {
    panic!("the documents have no operation {name}: ids are <family>.<last path segment>")
}
