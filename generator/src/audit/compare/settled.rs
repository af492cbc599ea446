//! What one difference tells of a whole parameter, field or operation.

use super::{Comparison, Kind};
use crate::audit::describe::of_key;
use crate::audit::findings::{Force, Key};

impl Comparison<'_> {
    pub(super) fn renamed(&mut self) {
        for (key, name, at) in &self.found.renamed {
            let mut new = key.clone();
            if let Some(last) = new.last_mut() {
                last.clone_from(name);
            }
            let place = self.claims.get(key).first().map(|claim| claim.place);
            self.add(key, Kind::Changed, *at, of_key(&new), place, of_key(key));
        }
    }

    /// A parameter, field or operation that is new or gone is one difference, whatever is said of it.
    pub(super) fn settle(&mut self) {
        let new = self
            .found
            .statements
            .iter()
            .filter(|statement| statement.force == Force::Stated)
            .map(|statement| &statement.key);
        let new = new.filter(|key| !self.claims.has(key));
        let gone = self.found.missing.iter().map(|(key, _)| key);
        for key in new.chain(gone) {
            match key.as_slice() {
                [kind, id, name] if kind == "param" || kind == "record" => {
                    self.settled.insert((id.clone(), name.clone()));
                }
                [kind, id] if kind == "endpoint" => {
                    self.settled.insert((id.clone(), String::new()));
                }
                _ => {}
            }
        }
    }

    /// Whether a larger difference tells it already.
    pub(super) fn is_settled(&self, key: &Key) -> bool {
        let [kind, id, rest @ ..] = key.as_slice() else { return false };
        let of_gone = kind != "endpoint" && self.settled.contains(&(id.clone(), String::new()));
        let of_gone_header =
            kind == "transition" && rest.get(1).is_some_and(|trigger| self.is_gone_operation(id, trigger));
        let of_name = !["param", "record"].contains(&kind.as_str())
            && rest
                .iter()
                .any(|name| name.split(',').any(|name| self.settled.contains(&(id.clone(), name.to_owned()))));
        of_gone || of_gone_header || of_name
    }

    pub(super) fn is_gone_operation(&self, family: &str, name: &str) -> bool {
        self.settled.contains(&(format!("{family}.{name}"), String::new()))
    }
}
