//! The parameters of requests, as the rows of the emitted crate describe them.

use tradeapi_runtime::parameters::described::{DECIMAL, Decision, Described, Row, Values};

/// A parameter of a request, or of the objects in one.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    /// The name in a request; empty for a body that is an array.
    pub(crate) name: &'static str,
    /// The name as a flag, without the dashes.
    pub(crate) flag: String,
    /// The values.
    pub(crate) kind: Kind,
    /// True if it has to be sent.
    pub(crate) required: Required,
    /// True if `null` is a value.
    pub(crate) takes_null: bool,
    /// True if an empty text is a value.
    pub(crate) takes_blank: bool,
    /// The meaning of the parameter, with its default, unit and bounds.
    pub(crate) doc: String,
}

/// The values of a parameter.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// One value that a text states; the name of its type.
    Text(&'static str),
    /// `true` or `false`.
    Truth,
    /// One of these words, with their meanings.
    Words(Vec<(&'static str, String)>),
    /// A list of such values.
    List(Box<Self>),
    /// An object with these parameters.
    Object(Vec<Parameter>),
    /// A list of objects with these parameters.
    Objects(Vec<Parameter>),
    /// JSON that is not described any further.
    Json,
}

/// The need to send a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Required {
    /// Always.
    Always,
    /// Under this condition, or only with something else.
    Sometimes(String),
    /// Never.
    No,
}

impl Parameter {
    /// Returns the id of its flag; an option may have the same name.
    pub(crate) fn id(&self) -> String {
        format!("parameter {}", self.name)
    }

    /// Creates a parameter that is not a choice.
    fn single(row: &Row, required: Required) -> Self {
        let kind = Kind::of(&row.values, row.only());
        let (name, flag) = (row.name(), flag(row.rust));
        let (takes_null, takes_blank) = (row.takes_null(), row.takes_blank());
        Self { name, flag, kind, required, takes_null, takes_blank, doc: meaning(row.about) }
    }
}

/// Returns the parameters of a set, in the order of its rows.
pub(crate) fn of<T: Described>() -> Vec<Parameter> {
    of_set(&T::VALUES)
}

fn of_set(values: &Values) -> Vec<Parameter> {
    let Values::Object(rows) = values else { return Vec::new() };
    let mut all: Vec<Parameter> = Vec::new();
    for parameter in rows.iter().filter(|row| !row.is_fixed()).flat_map(of_row) {
        match all.iter_mut().find(|other| other.name == parameter.name) {
            // It goes with several values of a choice.
            Some(other) => other.required = other.required.clone().or(parameter.required),
            None => all.push(parameter),
        }
    }
    all
}

/// Returns the parameter of a row, or those that a choice consists of.
fn of_row(row: &Row) -> Vec<Parameter> {
    let required = if row.is_required { Required::Always } else { Required::No };
    match &row.values {
        Values::OneOf(rows) => {
            let names: Vec<_> = rows.iter().map(Row::name).collect();
            let count = if row.is_required { "one" } else { "at most one" };
            let one_of = Required::Sometimes(format!("{count} of {}", names.join(", ")));
            rows.iter().map(|one| Parameter::single(one, one_of.clone())).collect()
        }
        Values::ByValue(decision) => of_decision(decision, required),
        _ => vec![Parameter::single(row, required)],
    }
}

fn of_decision(decision: &Decision, required: Required) -> Vec<Parameter> {
    let Decision { name, about, values, cases } = decision;
    let (flag, kind) = (flag(name), Kind::of(values, &[]));
    let decider = Parameter { name, flag, kind, required, takes_null: false, takes_blank: false, doc: plain(about) };
    let mut members: Vec<(Parameter, Vec<(String, String)>)> = Vec::new();
    for case in cases.iter() {
        let with = format!("{name} {}", (case.value)());
        for member in of_set(&case.values) {
            let verb = if member.required == Required::Always { "required" } else { "only" };
            let (when, doc) = (Required::Sometimes(format!("{verb} with {with}")), (with.clone(), member.doc.clone()));
            match members.iter_mut().find(|(other, _)| other.name == member.name) {
                Some((other, docs)) => {
                    other.required = other.required.clone().or(when);
                    docs.push(doc);
                }
                None => members.push((Parameter { required: when, ..member }, vec![doc])),
            }
        }
    }
    let members = members.into_iter().map(|(member, docs)| Parameter { doc: doc_of_cases(&docs), ..member });
    std::iter::once(decider).chain(members).collect()
}

/// Returns what a parameter is that goes with several values of a choice: it may mean another thing with each.
fn doc_of_cases(docs: &[(String, String)]) -> String {
    match docs {
        [(_, first), others @ ..] if others.iter().all(|(_, doc)| doc == first) => first.clone(),
        _ => docs.iter().map(|(with, doc)| format!("With {with}: {doc}")).collect::<Vec<_>>().join(" "),
    }
}

impl Required {
    /// Returns the statement for a parameter that goes with several values of a choice.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Sometimes(one), Self::Sometimes(other)) => Self::Sometimes(format!("{one}; {other}")),
            (one, _) => one,
        }
    }
}

impl Kind {
    /// Returns whether the values are decimals, or lists of them.
    pub(crate) fn is_decimal(&self) -> bool {
        match self {
            Self::Text(name) => *name == DECIMAL,
            Self::List(of) => of.is_decimal(),
            _ => false,
        }
    }

    /// Returns the kind of these values, of which only some may be allowed.
    fn of(values: &Values, only: &[&str]) -> Self {
        match values {
            Values::Text(name) => Self::Text(name),
            Values::Truth => Self::Truth,
            Values::Words(words) => {
                let allowed = words.iter().filter(|word| only.is_empty() || only.contains(&word.wire));
                Self::Words(allowed.map(|word| (word.wire, meaning(word.about))).collect())
            }
            Values::List(of) => match Self::of(of, only) {
                Self::Object(members) => Self::Objects(members),
                one => Self::List(Box::new(one)),
            },
            Values::Object(_) => Self::Object(of_set(values)),
            Values::OneOf(_) | Values::ByValue(_) | Values::Json => Self::Json,
        }
    }
}

/// Spells `order_type`, `OrderType` and `orderType` as `order-type`.
fn flag(name: &str) -> String {
    let mut flag = String::new();
    let mut is_within_word = false;
    for letter in name.trim_start_matches("r#").chars() {
        if letter.is_ascii_alphanumeric() {
            if letter.is_ascii_uppercase() && is_within_word {
                flag.push('-');
            }
            flag.push(letter.to_ascii_lowercase());
        } else {
            flag.push('-');
        }
        is_within_word = letter.is_ascii_lowercase() || letter.is_ascii_digit();
    }
    flag.trim_matches('-').to_owned()
}

/// Returns the text after the names that documentation begins with.
fn meaning(about: &str) -> String {
    plain(about.split_once(": ").map_or("", |(_, meaning)| meaning))
}

/// Returns Markdown as plain text: links as their texts, code without its marks.
fn plain(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut letters = markdown.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => text.extend(letters.next()),
            '`' | '[' => {}
            ']' if letters.peek() == Some(&'(') => drop(letters.by_ref().find(|letter| *letter == ')')),
            ']' => {}
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_names_with_hyphens() {
        let names = [
            "orderType",
            "order_type",
            "idLessThan",
            "orderID",
            "symbol",
            "client-oid",
            "take2Profit",
            "r#type",
            "type_",
        ];
        let flags = names.map(flag);
        let wanted = [
            "order-type",
            "order-type",
            "id-less-than",
            "order-id",
            "symbol",
            "client-oid",
            "take2-profit",
            "type",
            "type",
        ];
        assert_eq!(flags, wanted);
    }

    #[test]
    fn documentation_is_read_as_plain_text() {
        let about = " `price`: Left out, it stays; `0` deletes it, which [`Edit::Delete`](runtime::Edit::Delete) sends \\[x\\_y\\].";
        assert_eq!(meaning(about), "Left out, it stays; 0 deletes it, which Edit::Delete sends [x_y].");
        assert_eq!(meaning(" `buy`"), "");
    }
}
