//! A part of an API: selected operations, and the types that they use.
//!
//! It cuts the model, not the schema: everything is read and checked, so that a mistake does not depend on what a build
//! selects.

mod links;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::compiler::diagnostics::{Code, Diagnostics, one_of};
use crate::compiler::model::{Api, Definition, Family};

/// The selected operations; all, if none is named.
#[derive(Clone, Debug, Default, Hash)]
pub(crate) struct Selection {
    families: BTreeMap<String, Operations>,
}

#[derive(Clone, Debug, Hash)]
enum Operations {
    All,
    These(BTreeSet<String>),
}

impl Selection {
    /// Adds a whole family.
    pub(crate) fn add_all(&mut self, family: String) {
        self.families.insert(family, Operations::All);
    }

    /// Adds some operations of a family.
    pub(crate) fn add(&mut self, family: String, names: impl IntoIterator<Item = String>) {
        match self.families.entry(family).or_insert_with(|| Operations::These(BTreeSet::new())) {
            Operations::All => {}
            Operations::These(these) => these.extend(names),
        }
    }

    /// The selected part of an API.
    pub(crate) fn of<'a>(&self, api: &'a Api) -> Result<Cow<'a, Api>, Diagnostics> {
        if self.families.is_empty() {
            return Ok(Cow::Borrowed(api));
        }
        self.check(api)?;
        let named = |family: &Family| match self.families.get(&family.name)? {
            Operations::All => Some(family.clone()),
            Operations::These(names) => Some(part(family.clone(), names)),
        };
        Ok(Cow::Owned(Api { families: api.families.iter().filter_map(named).collect(), ..api.clone() }))
    }

    /// Reports names that the schema does not have.
    fn check(&self, api: &Api) -> Result<(), Diagnostics> {
        let mut to = Diagnostics::default();
        for (name, operations) in &self.families {
            let families = || api.families.iter().map(|family| family.name.as_str());
            match (api.families.iter().find(|family| family.name == *name), operations) {
                (None, _) => {
                    let help = one_of(name, families().map(|known| (known, None)));
                    to.whole(Code::UndefinedName, format!("unknown family `{name}`")).help(help);
                }
                (Some(_), Operations::All) => {}
                (Some(family), Operations::These(names)) => check_operations(family, names, &mut to),
            }
        }
        to.into_result()
    }
}

fn check_operations(family: &Family, names: &BTreeSet<String>, to: &mut Diagnostics) {
    let known = || family.operations.iter().map(|operation| operation.name.as_str());
    if names.is_empty() {
        to.whole(Code::UndefinedName, format!("no operations of `{}` are selected", family.name))
            .help("name at least one, or select the whole family with `all()`");
    }
    for name in names.iter().filter(|name| !known().any(|known| known == *name)) {
        let help = one_of(name, known().map(|known| (known, None)));
        to.whole(Code::UndefinedName, format!("the family `{}` has no operation `{name}`", family.name)).help(help);
    }
}

/// The family reduced to these operations.
fn part(mut family: Family, names: &BTreeSet<String>) -> Family {
    family.operations.retain(|operation| names.contains(&operation.name));
    let reached = links::reached(&mut family);
    if let Some(lifecycle) = &mut family.lifecycle {
        lifecycle.records.retain(|tracked| reached.contains(&(Definition::Record, tracked.record)));
    }
    family.lifecycle = family.lifecycle.filter(|all| reached.contains(&(Definition::Enum, all.enum_index)));
    for (kind, index) in links::all(&mut family) {
        *index = reached.range((kind, 0)..(kind, *index)).count();
    }
    keep(&mut family.enums, Definition::Enum, &reached);
    keep(&mut family.identifiers, Definition::Identifier, &reached);
    keep(&mut family.choices, Definition::Choice, &reached);
    keep(&mut family.records, Definition::Record, &reached);
    family
}

fn keep<T>(types: &mut Vec<T>, kind: Definition, reached: &BTreeSet<(Definition, usize)>) {
    let mut indices = 0..;
    types.retain(|_| indices.next().is_some_and(|index| reached.contains(&(kind, index))));
}
