//! The codes of refusals, and what each of them proves, from what public clients have observed (`observed-errors.tsv`).

use crate::operation::Family;

/// The proof that a refusal gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Proof {
    /// Nothing was begun: the gateway, a permission or a parameter stopped the request.
    NotBegun,
    /// The request was not done. Of a compound request, the first part may have been.
    NotDone,
    /// There were too many requests; this one was not accepted.
    Rate,
    /// There is no such order, as far as this node can see.
    NoSuchOrder,
    /// The client's id was used before.
    DuplicateId,
    /// The timestamp was refused.
    Timestamp,
    /// Nothing, although it reads like a refusal: there is only one source, or sources contradict each other.
    Doubtful,
    /// Nothing.
    Open,
}

/// The families that use a code.
const BOTH: [Family; 2] = [Family::Classic, Family::Unified];
const CLASSIC: [Family; 1] = [Family::Classic];
const UNIFIED: [Family; 1] = [Family::Unified];

/// Codes with the same meaning, and the families that use them.
type Row = (Proof, &'static [Family], &'static [&'static str]);

/// A part of the table. Where a code proves something, several sources agree.
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
    (Proof::NoSuchOrder, &CLASSIC, &["40109", "40768"]),
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

/// Returns what a code proves, if it is in the table.
pub(crate) fn proof(code: &str) -> Option<Proof> {
    CODES.iter().find(|(_, _, codes)| codes.contains(&code)).map(|(proof, ..)| *proof)
}

#[cfg(test)]
mod tests {
    use tradeapi::runtime::tables::{Certainty, CodeProof, KnownError, Stage};
    use tradeapi::{API, Operation, classic, unified};

    use super::*;

    #[test]
    fn a_code_proves_one_thing_only() {
        let all = || CODES.iter().flat_map(|(proof, _, codes)| codes.iter().map(|code| (*code, *proof)));
        for (code, proof) in all() {
            assert!(all().all(|(other, of)| other != code || of == proof), "{code}");
        }
    }

    /// The hostile exchange takes its codes from the schema; this table has what was observed.
    #[test]
    fn the_schema_claims_no_more_of_a_code_than_was_observed() {
        for (proof, families, codes) in CODES {
            for (family, code) in families.iter().flat_map(|family| codes.iter().map(move |code| (family, code))) {
                let meta = match family {
                    Family::Classic => classic::PlaceOrder::META,
                    Family::Unified => unified::PlaceOrder::META,
                };
                let known = meta.known(&API, code);
                assert!(known.is_some_and(|known| agrees(proof, known)), "{code} of {family:?}: {proof:?}, {known:?}");
            }
        }
    }

    fn agrees(proof: Proof, known: &KnownError) -> bool {
        let is_doubtful = matches!(known.certainty, Certainty::Single | Certainty::Conflicting);
        match proof {
            Proof::Doubtful | Proof::Open => is_doubtful || known.proves == CodeProof::Unknown,
            _ if is_doubtful => false,
            Proof::NotBegun => matches!(known.proves, CodeProof::NotDone | CodeProof::Credentials),
            Proof::NotDone => known.proves == CodeProof::NotDone && known.stage == Stage::Trading,
            Proof::Rate => known.proves == CodeProof::Rate,
            Proof::NoSuchOrder => matches!(known.proves, CodeProof::NoSuchOrder | CodeProof::NotDone),
            Proof::DuplicateId => known.proves == CodeProof::DuplicateId,
            Proof::Timestamp => known.proves == CodeProof::Timestamp,
        }
    }
}
