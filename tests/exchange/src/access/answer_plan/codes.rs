//! Codes of refusals by what they prove, from the tables of the API.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use tradeapi::API;
use tradeapi::runtime::tables::{Certainty, CodeProof, KnownError, Meta, Stage};

use crate::state::dice::Dice;

/// The proof that a refusal gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Proof {
    /// Nothing was begun: the gateway, a permission or a parameter stopped the request.
    NotBegun,
    /// The request was not done. Of a compound request, the first part may have been.
    NotDone,
    /// There were too many requests.
    Rate,
    NoSuchOrder,
    DuplicateId,
    Timestamp,
    /// Nothing, because there is only one source, or sources contradict each other.
    Doubtful,
    /// Nothing.
    Open,
}

impl Proof {
    fn of(known: &KnownError) -> Self {
        match (known.certainty, known.proves) {
            (Certainty::Single | Certainty::Conflicting, _) => Self::Doubtful,
            (_, CodeProof::Credentials) => Self::NotBegun,
            (_, CodeProof::NotDone) if known.stage == Stage::Trading => Self::NotDone,
            (_, CodeProof::NotDone) => Self::NotBegun,
            (_, CodeProof::NoSuchOrder) => Self::NoSuchOrder,
            (_, CodeProof::DuplicateId) => Self::DuplicateId,
            (_, CodeProof::Timestamp) => Self::Timestamp,
            (_, CodeProof::Rate) => Self::Rate,
            (_, _) => Self::Open,
        }
    }
}

/// All codes of an operation: those of its document, or else observed ones.
fn all(meta: &'static Meta) -> impl Iterator<Item = &'static KnownError> {
    let is_of = |known: &&KnownError| known.families.is_empty() || known.families.contains(&meta.family);
    let observed = API.observed_codes.iter().filter(|known| meta.error(known.code).is_none());
    meta.errors.iter().chain(observed).filter(is_of).filter(|known| !known.success)
}

/// Codes of an operation that are equally frequent.
type Codes = Vec<(&'static str, u64)>;

/// The codes of each operation by what they prove, computed once, because that takes as long as a request.
static BY_PROOF: LazyLock<FxHashMap<(&str, Proof), Codes>> = LazyLock::new(|| {
    let mut by_proof = FxHashMap::<(&str, Proof), Codes>::default();
    for meta in crate::state::words::all_operations() {
        for known in all(meta) {
            by_proof.entry((meta.id, Proof::of(known))).or_default().push((known.code, 1));
        }
    }
    by_proof
});

/// A code of an operation with this meaning.
pub(crate) fn random(meta: &'static Meta, proof: Proof, dice: &mut Dice) -> &'static str {
    let codes = BY_PROOF.get(&(meta.id, proof)).map(Vec::as_slice).unwrap_or_default();
    dice.weighted(codes).unwrap_or_default()
}

/// A code with the same meaning. Only absences and duplicate ids have equivalent codes.
pub(crate) fn equivalent(meta: &'static Meta, code: String, dice: &mut Dice) -> String {
    match meta.known(&API, &code).map(Proof::of) {
        Some(proof @ (Proof::NoSuchOrder | Proof::DuplicateId)) => random(meta, proof, dice).to_owned(),
        _ => code,
    }
}

#[cfg(test)]
mod tests {
    use tradeapi::{Operation, classic, unified};

    use super::*;
    use crate::state::dice::Seed;

    #[test]
    fn both_families_have_codes_that_prove_each_thing() {
        let mut dice = Dice::new(Seed(1), 0);
        for meta in [unified::PlaceOrder::META, classic::PlaceOrder::META] {
            for proof in [
                Proof::NotBegun,
                Proof::NotDone,
                Proof::Rate,
                Proof::NoSuchOrder,
                Proof::DuplicateId,
                Proof::Timestamp,
                Proof::Doubtful,
                Proof::Open,
            ] {
                assert_ne!(random(meta, proof, &mut dice), "", "{proof:?}");
            }
        }
    }
}
