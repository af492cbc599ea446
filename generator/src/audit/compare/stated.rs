//! What a document states, against what the schema has.

use std::collections::BTreeSet;

use super::{Comparison, Difference, Kind, agree};
use crate::audit::claims::Claim;
use crate::audit::describe::{of_key, of_value};
use crate::audit::findings::{Force, Key, Statement};

impl Comparison<'_> {
    pub(super) fn statements(&mut self) -> usize {
        let mut matched = 0;
        let mut told: BTreeSet<&Key> = BTreeSet::new();
        for statement in &self.found.statements {
            let claims = self.claims.get(&statement.key);
            let disagreeing: Vec<&Claim> =
                claims.iter().filter(|claim| !agree(&statement.key, &statement.value, &claim.value)).collect();
            if !claims.is_empty() && disagreeing.is_empty() {
                matched += usize::from(statement.force == Force::Stated);
                continue;
            }
            match &statement.force {
                Force::Namesake => continue,
                Force::By(origin) if told.contains(origin) => continue,
                _ => {}
            }
            told.insert(&statement.key);
            if self.is_settled(&statement.key) {
                continue;
            }
            if claims.is_empty() {
                self.document_only(statement);
            }
            for claim in disagreeing {
                self.changed(statement, claim);
            }
        }
        matched
    }

    pub(super) fn document_only(&mut self, statement: &Statement) {
        let place = self.nearest_place(&statement.key);
        let says = format!("{} {}", of_key(&statement.key), of_value(&statement.key, &statement.value));
        self.add(
            &statement.key,
            Kind::DocumentOnly,
            statement.at,
            says.trim().to_owned(),
            place,
            "not there".to_owned(),
        );
    }

    pub(super) fn changed(&mut self, statement: &Statement, claim: &Claim) {
        let key = &statement.key;
        let others = self.by_key.get(key).into_iter().flatten();
        let line = self.document.line(statement.at);
        let agreeing = others.filter(|other| {
            matches!(other.force, Force::Stated)
                && agree(key, &other.value, &claim.value)
                && self.document.line(other.at) != line
        });
        let elsewhere = agreeing.map(|other| (other.at, of_value(key, &other.value))).next();
        let kind = if elsewhere.is_some() { Kind::Contradiction } else { Kind::Changed };
        let says = format!("{} {}", of_key(key), of_value(key, &statement.value));
        let has = of_value(key, &claim.value);
        let difference = Difference {
            kind,
            at: statement.at,
            says: says.trim().to_owned(),
            place: Some(claim.place),
            has,
            elsewhere,
        };
        self.differences.push((key.clone(), difference));
    }
}
