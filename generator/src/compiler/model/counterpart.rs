//! The counterpart of an operation with the parameters that its names stand for: one view for checks, emission and pages.

use super::phrases::{Markup, sentence};
use super::{
    Api, Counterpart, CounterpartCase, Enum, Family, ListName, NamesWithin, Operation, Pair, Role, WireNames,
    WireParameter,
};
use crate::compiler::diagnostics::Place;

impl CounterpartCase {
    /// The word for a parameter that is not an enum and has a value.
    pub(crate) const GIVEN: &str = "given";
    /// The words for a number that is zero, and for another one.
    pub(crate) const NUMBERS: [&str; 2] = ["zero", "not_zero"];

    /// Returns the parameters of the other operation that the case sets.
    pub(crate) fn sets(&self) -> impl Iterator<Item = &(String, Place)> {
        self.then.iter().map(|(name, _)| name).chain(self.same.iter().map(|(_, there)| there))
    }
}

impl Counterpart {
    /// Returns the cases of all decisions.
    pub(crate) fn cases(&self) -> impl Iterator<Item = &CounterpartCase> {
        self.decided.iter().flat_map(|decision| &decision.cases)
    }

    /// Returns the parameters, each with one that has the same value, always or in a case.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = &Pair> {
        self.same.iter().chain(self.cases().flat_map(|case| &case.same))
    }

    /// Returns the operation that does the same, or the reason that there is none.
    pub(crate) fn in_short(&self) -> String {
        match (&self.operation, &self.none) {
            (Some((id, _)), _) => id.clone(),
            (None, Some((why, _))) => format!("none. {}", sentence(why)),
            (None, None) => String::new(),
        }
    }
}

/// An operation that has a counterpart, and that counterpart.
pub(crate) struct Conversion<'a> {
    pub(crate) counterpart: &'a Counterpart,
    pub(crate) from: Request<'a>,
    pub(crate) to: Request<'a>,
}

/// The request of an operation, or an item of its list with the request around it.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) family: &'a Family,
    pub(crate) operation: &'a Operation,
    /// The list.
    pub(crate) items: Option<&'a str>,
}

/// The value of another enum to which a value corresponds.
#[derive(Clone, Copy)]
pub(crate) enum Corresponding<'a> {
    /// The value with the same spelling.
    Itself,
    /// Another value.
    To(&'a str),
    /// None, for this reason.
    None(&'a str),
    /// The schema does not say.
    Unstated,
}

impl Api {
    /// Returns the operation with this id, such as `unified.place-order`.
    pub(crate) fn operation_of(&self, id: &str) -> Option<(&Family, &Operation)> {
        self.operations().find(|(_, operation)| operation.id == id)
    }

    /// Returns the family and the index there of the enum with this id, such as `unified.Category`.
    pub(crate) fn enum_of(&self, id: &str) -> Option<(&Family, usize)> {
        let found = |family: &Family| family.enums.iter().position(|one| one.id(family) == id);
        self.families.iter().find_map(|family| Some((family, found(family)?)))
    }

    /// Returns the counterpart of an operation, if the schema states one and has it.
    pub(crate) fn conversion<'a>(&'a self, family: &'a Family, operation: &'a Operation) -> Option<Conversion<'a>> {
        let counterpart = operation.counterpart.as_ref()?;
        let (to_family, to) = self.operation_of(&counterpart.operation.as_ref()?.0)?;
        let lists = counterpart.items.as_ref().map(|((from, _), (to, _))| (from.as_str(), to.as_str()));
        Some(Conversion {
            counterpart,
            from: Request { family, operation, items: lists.map(|(from, _)| from) },
            to: Request { family: to_family, operation: to, items: lists.map(|(_, to)| to) },
        })
    }
}

impl Enum {
    /// Returns the name of the family and that of the enum, joined by a dot.
    pub(crate) fn id(&self, family: &Family) -> String {
        format!("{}.{}", family.name, self.name.wire)
    }

    /// Returns whether it lists a value.
    pub(crate) fn has(&self, value: &str) -> bool {
        self.wires().any(|known| known == value)
    }
}

impl<'a> Request<'a> {
    /// Returns the names of its parameters; those of an item come first.
    pub(crate) fn names(&self) -> WireNames<'a> {
        let own = self.family.names(self.operation.members());
        match self.item() {
            Some(list) => self.family.names(self.operation.set_of(Some(list))).and(&own),
            None => own,
        }
    }

    /// Returns the parameter with this name.
    pub(crate) fn find(&self, name: &str) -> Option<WireParameter<'a>> {
        self.names().iter().find(|wire| wire.name.wire == name).copied()
    }

    /// Returns whether a parameter is one of the items.
    pub(crate) fn is_of_item(&self, name: &str) -> bool {
        let of_item = |list| self.family.names(self.operation.set_of(Some(list)));
        self.item().is_some_and(|list| of_item(list).iter().any(|wire| wire.name.wire == name))
    }

    fn item(&self) -> Option<&'a ListName> {
        let named = |list: &&ListName| Some(list.as_str()) == self.items;
        self.operation.items().map(|(_, item)| &item.list).find(named)
    }

    /// Returns the enum of a parameter.
    pub(crate) fn enum_of(&self, wire: &WireParameter<'a>) -> Option<&'a Enum> {
        let index = match wire.role {
            Role::Decider(index) => Some(index),
            Role::Plain(one) | Role::Alternative(one) | Role::Member(one) => one.shape.single_enum(),
        };
        self.family.enums.get(index?)
    }
}

impl<'a> Conversion<'a> {
    /// Returns the values of a parameter, each with the value of the other parameter to which it corresponds; empty
    /// unless both are enums.
    pub(crate) fn values(
        &self,
        from: &WireParameter<'a>,
        to: &WireParameter<'a>,
    ) -> Vec<(&'a str, Place, Corresponding<'a>)> {
        let (Some(of), Some(there)) = (self.from.enum_of(from), self.to.enum_of(to)) else { return Vec::new() };
        let id = there.id(self.to.family);
        let stated = of.counterpart.as_ref().filter(|stated| stated.of.iter().any(|(name, _)| *name == id));
        let taken = to.values(self.to.family);
        let is_taken = |value: &str| taken.iter().any(|(known, _)| *known == value);
        let corresponding = |value: &str| {
            let find = |pairs: &'a [Pair]| {
                pairs.iter().find(|((name, _), _)| name == value).map(|(_, (text, _))| text.as_str())
            };
            let other = stated.and_then(|stated| find(&stated.values));
            match (stated.and_then(|stated| find(&stated.refused)), other) {
                (Some(why), _) => Corresponding::None(why),
                // A value that does not exist is reported with the enum.
                (None, Some(other)) if is_taken(other) || !there.has(other) => Corresponding::To(other),
                (None, None) if is_taken(value) => Corresponding::Itself,
                (None, _) => Corresponding::Unstated,
            }
        };
        from.values(self.from.family).into_iter().map(|(value, place)| (value, place, corresponding(value))).collect()
    }

    /// Returns the rows of a table: a parameter or a case, and what it becomes.
    pub(crate) fn rows(&self, markup: &Markup) -> Vec<[String; 2]> {
        let Counterpart { operation: _, none: _, items, same, left_out, refused, decided, differs: _, place: _ } =
            self.counterpart;
        let code = markup.code;
        let items = items.iter().map(|((from, _), (to, _))| [code(from), format!("{}, item by item", code(to))]);
        let same = same.iter().map(|((from, _), (to, _))| [code(from), self.value_in_words(from, to, markup)]);
        let cases = decided.iter().flat_map(|decision| &decision.cases).filter_map(|case| {
            let CounterpartCase { when, then, same, refused, place: _ } = case;
            let when = when.iter().map(|condition| condition_in_words(condition, markup)).collect::<Vec<_>>();
            let when = if when.is_empty() { "always".to_owned() } else { when.join(" and ") };
            let set = then.iter().map(|((name, _), (value, _))| format!("{} {}", code(name), code(value)));
            let set = set.chain(same.iter().map(|((from, _), (to, _))| self.value_of_case(from, to, markup)));
            let set = set.collect::<Vec<_>>().join(", ");
            match refused {
                Some((why, _)) => Some([when, none(why, markup)]),
                // A case without values only says that others do not fit.
                None => Some([when, set]).filter(|[_, set]| !set.is_empty()),
            }
        });
        let left = left_out
            .iter()
            .map(|((name, _), (why, _))| [code(name), format!("left out. {}", (markup.text)(&sentence(why)))]);
        let refused = refused.iter().map(|((name, _), (why, _))| [code(name), none(why, markup)]);
        items.chain(same).chain(cases).chain(left).chain(refused).collect()
    }

    /// Returns the parameter that has the same value, and the values that are spelled in another way or have no
    /// counterpart.
    fn value_in_words(&self, from: &str, to: &str, markup: &Markup) -> String {
        std::iter::once((markup.code)(to)).chain(self.notes(from, to, markup)).collect::<Vec<_>>().join("; ")
    }

    /// Returns the value of a parameter that a case sets.
    fn value_of_case(&self, from: &str, to: &str, markup: &Markup) -> String {
        let notes = self.notes(from, to, markup).join("; ");
        let notes = if notes.is_empty() { notes } else { format!(" ({notes})") };
        format!("{} from {}{notes}", (markup.code)(to), (markup.code)(from))
    }

    fn notes(&self, from: &str, to: &str, markup: &Markup) -> Vec<String> {
        let code = markup.code;
        let values = match (self.from.find(from), self.to.find(to)) {
            (Some(from), Some(to)) => self.values(&from, &to),
            _ => Vec::new(),
        };
        let notes = values.into_iter().filter_map(|(value, _, corresponding)| match corresponding {
            Corresponding::To(other) => Some(format!("{} is {}", code(value), code(other))),
            Corresponding::None(why) => Some(format!("{} has {}", code(value), none(why, markup))),
            Corresponding::Itself | Corresponding::Unstated => None,
        });
        notes.collect()
    }
}

fn none(why: &str, markup: &Markup) -> String {
    format!("no counterpart. {}", (markup.text)(&sentence(why)))
}

/// Returns a condition of a case: `side is buy`, `size is given`, `tradeSide is left out`.
pub(crate) fn condition_in_words(((name, _), values): &NamesWithin, markup: &Markup) -> String {
    let name = (markup.code)(name);
    let values: Vec<_> = values.iter().map(|(value, _)| value.as_str()).collect();
    match values.as_slice() {
        [] => format!("{name} is left out"),
        [CounterpartCase::GIVEN] => format!("{name} is given"),
        ["zero"] => format!("{name} is zero"),
        ["not_zero"] => format!("{name} is given and not zero"),
        values => {
            format!("{name} is {}", values.iter().map(|value| (markup.code)(value)).collect::<Vec<_>>().join(" or "))
        }
    }
}
