//! Where something belongs that only one side has.

use super::Comparison;
use crate::audit::findings::Key;
use crate::diagnostics::Place;

impl Comparison<'_> {
    /// The start of the section of the operation that a key is about.
    pub(super) fn section_of(&self, key: &Key) -> usize {
        let id = key.get(1).map_or("", String::as_str);
        let known = self.claims.operations.iter().find(|known| known.operation.id == id);
        let of_operation = known.and_then(|known| self.document.section(known.heading));
        of_operation.map_or(0, |section| section.at.start)
    }

    /// The schema's place that is nearest to what it does not have.
    pub(super) fn nearest_place(&self, key: &Key) -> Option<Place> {
        let owner = key.get(1)?;
        if key.first().is_some_and(|kind| kind == "endpoint") {
            return self.family_of_path(key);
        }
        let alike = (2..key.len()).rev().find_map(|length| {
            let start = key.get(..length)?;
            self.claims.iter().find(|(known, _)| known.starts_with(start)).map(|(_, claim)| claim.place)
        });
        let of_name = || {
            let own = |known: &Key| known.get(1) == Some(owner) && known.get(2).is_some() && known.get(2) == key.get(2);
            self.claims.iter().find(|(known, _)| own(known)).map(|(_, claim)| claim.place)
        };
        let of_owner =
            || self.claims.iter().find(|(known, _)| known.get(1) == Some(owner)).map(|(_, claim)| claim.place);
        let of_operation = || self.claims.operation_by_id(owner).map(|operation| operation.place);
        let of_kind =
            || self.claims.iter().find(|(known, _)| known.first() == key.first()).map(|(_, claim)| claim.place);
        if key.len() > 3 { alike.or_else(of_name).or_else(of_operation) } else { of_operation().or(alike) }
            .or_else(of_owner)
            .or_else(of_kind)
    }

    /// The family whose paths are likest to a new one.
    pub(super) fn family_of_path(&self, key: &Key) -> Option<Place> {
        let path = self.by_key.get(key)?.first()?.value.split(' ').nth(1)?.to_owned();
        let shared = |other: &str| path.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        let likest = self.claims.operations.iter().max_by_key(|known| shared(&known.operation.path.text))?;
        Some(likest.family.place)
    }
}
