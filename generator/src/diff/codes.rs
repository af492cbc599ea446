//! What codes prove, whether a document lists them or not.

use super::aspect::{Aspect, aspect, list, maybe, prose};
use super::class::behaviour;
use super::found::{Found, Thing};
use super::pairs::pairs;
use crate::model::{ObservedCode, Proof};

/// What a code proves, in both versions.
pub(super) fn proof(old: &Proof, new: &Proof) -> [Aspect; 3] {
    let told = || behaviour("what a refusal with it says of the request");
    let cause = |proof: &Proof| maybe(proof.cause.map(|cause| cause.as_str()));
    [
        aspect("proves", old.proves.as_str(), new.proves.as_str(), told()),
        aspect("stage", old.stage.as_str(), new.stage.as_str(), told()),
        aspect("cause", cause(old), cause(new), behaviour("which cause is named")),
    ]
}

/// The codes that no document lists.
pub(super) fn observed(to: &mut Found, old: &[ObservedCode], new: &[ObservedCode]) {
    let pairs = pairs(old, new, |code| [&code.code, &code.code]);
    let thing = |code: &ObservedCode| Thing::new("observed code", code.code.as_str(), code.place);
    for gone in pairs.removed {
        to.removed(&thing(gone), behaviour("a refusal with it leaves a change unknown"));
    }
    for (old, new) in pairs.both {
        let families = |code: &ObservedCode| list(code.families.iter().map(|(name, _)| name));
        let told = [
            aspect("families", families(old), families(new), behaviour("whose answers it explains")),
            aspect("certainty", old.certainty.as_str(), new.certainty.as_str(), behaviour("whether it is believed")),
            prose("says", &old.says, &new.says),
            prose("sources", &list(&old.sources), &list(&new.sources)),
        ];
        to.compare(&thing(new), proof(&old.proof, &new.proof).into_iter().chain(told));
    }
    for more in pairs.added {
        to.added(&thing(more), behaviour("a refusal with it says what became of the request"));
    }
}
