//! The codes of refusals, and what each of them proves, from what public clients have observed (`observed-errors.tsv`).

use crate::dice::Dice;
use crate::operation::{Deed, Family, Operation};

/// What a refusal proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proof {
    /// Nothing was begun: the gateway, the permission or a parameter stopped it.
    NotBegun,
    /// It was not done. Of what does two things, the first may have been.
    NotDone,
    /// There were too many requests; this one was not taken.
    Rate,
    /// There is no such order, as far as this machine can see.
    NoSuchOrder,
    /// The client's id was used before.
    DuplicateId,
    /// The timestamp is not taken.
    Timestamp,
    /// Nothing, though it sounds like a refusal: only one source says what it means, or sources contradict each other.
    Doubtful,
    /// Nothing.
    Open,
}

/// Says that there is no such order, and is seen now and then for an order that exists.
pub(crate) const UNSURE_ABSENCE: &str = "40109";

/// The families that use a code.
const BOTH: [Family; 2] = [Family::Classic, Family::Unified];
const CLASSIC: [Family; 1] = [Family::Classic];
const UNIFIED: [Family; 1] = [Family::Unified];

/// Codes with the same meaning, and the families that use them.
type Row = (Proof, &'static [Family], &'static [&'static str]);

/// Some of the table, all of which several sources agree on where they prove something.
const CODES: [Row; 19] = [
    (
        Proof::NotBegun,
        &BOTH,
        &["40006", "40012", "40014", "40018", "40036", "40037", "40038", "40017", "40020", "40808"],
    ),
    (Proof::NotBegun, &CLASSIC, &["40085", "43011", "40304"]),
    (Proof::NotBegun, &UNIFIED, &["40084", "25200", "25620"]),
    (
        Proof::NotDone,
        &BOTH,
        &["40762", "43012", "45110", "45111", "40800", "40815", "45115", "22034", "45002", "40761"],
    ),
    (Proof::NotDone, &CLASSIC, &["40754", "40723", "40711"]),
    (Proof::NotDone, &UNIFIED, &["25202", "25203", "25207", "25244", "40763"]),
    (Proof::Rate, &BOTH, &["429"]),
    (Proof::Rate, &UNIFIED, &["25004"]),
    (Proof::NoSuchOrder, &BOTH, &["43001", "45057"]),
    (Proof::NoSuchOrder, &CLASSIC, &[UNSURE_ABSENCE, "40768"]),
    (Proof::NoSuchOrder, &UNIFIED, &["25204"]),
    (Proof::DuplicateId, &CLASSIC, &["40786", "45034"]),
    (Proof::DuplicateId, &UNIFIED, &["25212", "43118", "50060"]),
    (Proof::Timestamp, &BOTH, &["40008", "40004", "40005"]),
    (Proof::Doubtful, &BOTH, &["22039", "22067", "40931", "45107", "40024", "40928", "40103"]),
    (Proof::Doubtful, &CLASSIC, &["40708", "40402", "40921"]),
    (Proof::Doubtful, &UNIFIED, &["25211", "25106", "25571"]),
    (Proof::Open, &BOTH, &["40015", "40200", "40908", "40910", "45011", "43002", "45023", "70229"]),
    (Proof::Open, &UNIFIED, &["25000", "25001", "25003", "25114"]),
];

/// A code of `family` that proves so much.
pub(crate) fn throw(family: Family, proof: Proof, dice: &mut Dice) -> &'static str {
    let rows = CODES.iter().filter(|(of, families, _)| *of == proof && families.contains(&family));
    let codes: Vec<_> = rows.flat_map(|(_, _, codes)| codes.iter().map(|code| (*code, 1))).collect();
    dice.weighted(&codes)
}

/// What a code proves, if it is one of these.
pub fn proof(code: &str) -> Option<Proof> {
    CODES.iter().find(|(_, _, codes)| codes.contains(&code)).map(|(proof, ..)| *proof)
}

/// Whether the operation does two things, of which the first can be done when the second is refused.
pub(crate) fn does_two_things(operation: &Operation) -> bool {
    (operation.deed, operation.family) == (Deed::Amend, Family::Classic) || operation.name == "click-backhand"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_codes_that_prove_each_thing() {
        let all = CODES.iter().map(|(proof, ..)| *proof);
        for (proof, family) in all.flat_map(|proof| BOTH.map(|family| (proof, family))) {
            let mut dice = Dice::new(1, "codes");
            assert!((0..100).all(|_| !throw(family, proof, &mut dice).is_empty()));
        }
    }

    #[test]
    fn a_code_proves_one_thing_only() {
        let all = || CODES.iter().flat_map(|(proof, _, codes)| codes.iter().map(|code| (*code, *proof)));
        for (code, proof) in all() {
            assert!(all().all(|(other, of)| other != code || of == proof), "{code}");
        }
    }
}
