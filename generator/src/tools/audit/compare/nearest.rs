//! Finds the place in the schema that is nearest to something it lacks.

use std::collections::BTreeMap;

use super::Comparison;
use crate::compiler::diagnostics::Place;
use crate::tools::audit::findings::{FactKey, FactKind, key};

impl Comparison<'_> {
    /// The place in the schema that is nearest to something it lacks.
    pub(super) fn nearest_place(&self, key: &FactKey) -> Option<Place> {
        let owner = key.owner()?;
        if key.kind == FactKind::Endpoint {
            return self.family_of_path(key);
        }
        if key.kind == FactKind::Error {
            return self.likeliest_file(key);
        }
        let of_parameter = key.name().filter(|_| key.names.len() == 2 && key.kind.is_of_parameter());
        let of_parameter = of_parameter.and_then(|name| self.claims.get(&parameter_key(owner, name)).first());
        if let Some(parameter) = of_parameter {
            return Some(parameter.place);
        }
        let alike = (1..key.names.len()).rev().find_map(|length| {
            let start = FactKey { kind: key.kind, names: key.names[..length].to_vec() };
            self.claims.iter().find(|(known, _)| known.starts_with(&start)).map(|(_, claim)| claim.place)
        });
        let of_name = || {
            let own =
                |known: &FactKey| known.owner() == Some(owner) && known.name().is_some() && known.name() == key.name();
            self.claims.iter().find(|(known, _)| own(known)).map(|(_, claim)| claim.place)
        };
        let of_owner =
            || self.claims.iter().find(|(known, _)| known.owner() == Some(owner)).map(|(_, claim)| claim.place);
        let of_operation = || self.claims.operation_by_id(owner).map(|operation| operation.place);
        let of_kind = || self.claims.iter().find(|(known, _)| known.kind == key.kind).map(|(_, claim)| claim.place);
        if key.names.len() > 2 { alike.or_else(of_name).or_else(of_operation) } else { of_operation().or(alike) }
            .or_else(of_owner)
            .or_else(of_kind)
    }

    /// The last fact of the kind in the file that has most of them. In a document that covers several families, a new
    /// statement most likely belongs to the family that it covers most.
    fn likeliest_file(&self, key: &FactKey) -> Option<Place> {
        let of_kind = self.claims.iter().filter(|(known, _)| known.kind == key.kind);
        let mut by_file: BTreeMap<u32, (usize, Place)> = BTreeMap::new();
        for (_, claim) in of_kind {
            let of_file = by_file.entry(claim.place.file).or_insert((0, claim.place));
            *of_file = (of_file.0 + 1, claim.place);
        }
        by_file.into_values().max_by_key(|(count, _)| *count).map(|(_, place)| place)
    }

    /// The family whose paths are most similar to a new path.
    fn family_of_path(&self, key: &FactKey) -> Option<Place> {
        let path = self.by_key.get(key)?.first()?.value.split(' ').nth(1)?.to_owned();
        let shared = |other: &str| path.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        let nearest = self.claims.operations.iter().max_by_key(|known| shared(&known.operation.path.text))?;
        Some(nearest.family.place)
    }
}

fn parameter_key(operation: &str, name: &str) -> FactKey {
    key(FactKind::Parameter, [operation, name])
}
