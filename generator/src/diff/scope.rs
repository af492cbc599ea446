//! Two versions of a family, and what its types are called in them.

use std::collections::BTreeMap;

use super::pairs::pairs;
use crate::model::{Family, Name, Shape, Type};

/// Two versions of a family.
pub(super) struct Scope<'a> {
    pub(super) old: &'a Family,
    pub(super) new: &'a Family,
    /// Types that keep their Rust name and have another one in the schema: the older name and the newer.
    renamed: BTreeMap<&'a str, &'a str>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(old: &'a Family, new: &'a Family) -> Self {
        let pairs = pairs(type_names(old), type_names(new), |name| [&name.wire, &name.rust]);
        let renamed = pairs.both.into_iter().map(|(old, new)| (old.wire.as_str(), new.wire.as_str()));
        Self { old, new, renamed: renamed.collect() }
    }

    /// The type in the words of the newer schema, so that a type that is only called something else is the same.
    pub(super) fn old_type(&self, ty: Type) -> &'a str {
        let name = self.old.type_name(ty);
        self.renamed.get(name).copied().unwrap_or(name)
    }

    pub(super) fn new_type(&self, ty: Type) -> &'a str {
        self.new.type_name(ty)
    }

    pub(super) fn old_shape(&self, shape: &Shape) -> String {
        shape_words(shape, |ty| self.old_type(ty))
    }

    pub(super) fn new_shape(&self, shape: &Shape) -> String {
        shape_words(shape, |ty| self.new_type(ty))
    }
}

/// What a thing of a family is called: `house.Book`.
pub(super) fn path(of: &str, name: &str) -> String {
    format!("{of}.{name}")
}

fn type_names(family: &Family) -> Vec<&Name> {
    let enums = family.enums.iter().map(|all| &all.name);
    let identifiers = family.identifiers.iter().map(|all| &all.name);
    let choices = family.choices.iter().map(|all| &all.name);
    enums.chain(identifiers).chain(choices).chain(family.records.iter().map(|all| &all.name)).collect()
}

/// What a parameter or field says in words of its own; without any it borrows those of its type.
pub(super) fn own_doc<'a>(family: &Family, shape: &Shape, doc: &'a str) -> &'a str {
    let of_type = shape.element().map_or("", |ty| family.type_doc(ty));
    if doc == of_type { "" } else { doc }
}

fn shape_words<'a>(shape: &'a Shape, word: impl Fn(Type) -> &'a str) -> String {
    match shape {
        Shape::One(ty) => word(*ty).to_owned(),
        Shape::List(ty) => format!("list of {}", word(*ty)),
        Shape::Items(item) => format!("list of {}", item.rust),
    }
}
