//! The enums and identifiers of a family.

use super::builder::{FamilyBuilder, dates_of, placed, text_of};
use super::elements::means::Texts;
use super::elements::{
    Element, Key, Means, additive, behaviour, breaking, documentation, first, flag, maybe, names, path, stated,
};
use super::{Dates, Deprecated, EnumCounterpart, Name, Placed, Sources, elements, formats, variant_name};
use crate::compiler::diagnostics::{Code, Place};
use crate::compiler::load::{Spanned, Text, raw};

/// An enum, open in answers and strict in requests.
#[derive(Clone, Debug)]
pub(crate) struct Enum {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) values: Vec<EnumValue>,
    /// The indices of the values that stand for true and false.
    pub(crate) truth: Option<(usize, usize)>,
    pub(crate) truth_places: Vec<Placed>,
    /// The enums of other families whose values mean the same.
    pub(crate) counterpart: Option<EnumCounterpart>,
}

/// A value of an enum.
#[derive(Clone, Debug)]
pub(crate) struct EnumValue {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) also: Vec<Placed>,
    /// Who has seen it, if no document has it.
    pub(crate) sources: Sources,
    pub(crate) deprecated: Option<Deprecated>,
    /// The days on which the exchange knows it.
    pub(crate) dates: Dates,
}

impl EnumValue {
    /// Creates a value with only a name and a meaning.
    pub(crate) fn new(name: Name, doc: String) -> Self {
        Self { name, doc, also: Vec::new(), sources: Sources::new(), deprecated: None, dates: Dates::default() }
    }
}

impl Enum {
    /// Returns the index of the value with this text, or with this text as another spelling.
    pub(crate) fn index_of(&self, text: &str) -> Option<usize> {
        let spelled = |value: &EnumValue| value.name.wire == text || value.also.iter().any(|(also, _)| also == text);
        self.values.iter().position(spelled)
    }

    /// Returns the wire texts of all values, each with its place.
    pub(crate) fn placed_wires(&self) -> Vec<(&str, Place)> {
        self.values.iter().map(|value| (value.name.wire.as_str(), value.name.place)).collect()
    }

    /// Returns the wire texts of all values.
    pub(crate) fn wires(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|value| value.name.wire.as_str())
    }
}

/// A newtype over text.
#[derive(Clone, Debug)]
pub(crate) struct Identifier {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) length: Option<(u32, u32)>,
    pub(crate) alphabet: Option<Placed>,
    /// Forms that distinguish kinds of values.
    pub(crate) forms: Vec<Form>,
    /// True if the client makes new ones; the place of the key.
    pub(crate) mint: Option<Place>,
}

/// A form of text: the pattern that distinguishes it, and another one whose texts have the form if the instrument says so.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) name: Name,
    pub(crate) pattern: Pattern,
    pub(crate) decided: Option<Decided>,
}

/// A spelling that other texts have, too, and the flag of the instrument that tells them apart.
#[derive(Clone, Debug)]
pub(crate) struct Decided {
    pub(crate) also: Pattern,
    pub(crate) by: Placed,
}

/// A beginning and an end, and possibly the characters allowed between them.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(crate) text: String,
    pub(crate) place: Place,
    pub(crate) prefix: String,
    pub(crate) alphabet: Option<String>,
    pub(crate) suffix: String,
}

impl Form {
    /// Returns the patterns: the one that every text of has the form, and the one that an instrument decides.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        std::iter::once(&self.pattern).chain(self.decided.iter().map(|decided| &decided.also))
    }

    /// Returns the patterns in words: `r*`, or `R*` if isStock of the instrument says so.
    pub(crate) fn in_words(&self) -> String {
        let pattern = &self.pattern.text;
        match &self.decided {
            None => format!("`{pattern}`"),
            Some(Decided { also, by }) => {
                format!("`{pattern}`, or `{}` if {} of the instrument says so", also.text, by.0)
            }
        }
    }
}

impl Identifier {
    /// Returns whether some of its texts are written in two ways.
    pub(crate) fn is_respelled(&self) -> bool {
        self.forms.iter().any(|form| form.decided.is_some())
    }

    /// Returns whether texts are checked when a value is made.
    pub(crate) fn is_constrained(&self) -> bool {
        self.length.is_some() || self.alphabet.is_some()
    }
}

impl FamilyBuilder<'_, '_> {
    pub(super) fn enums(&mut self) -> Vec<Enum> {
        for (name, place) in self.names.built_in() {
            self.at(*place, Code::ReservedName, format!("the type name `{name}` is built in")).help("rename it");
        }
        for (name, first, second) in &self.names.twice {
            self.at(*second, Code::DefinedTwice, format!("duplicate type `{name}`"))
                .related(*first, "first defined here")
                .help("rename one of them");
        }
        let family = self.family;
        family.types.enums.iter().map(|(name, raw)| self.enumeration(name, raw)).collect()
    }

    fn enumeration(&mut self, name: &Text, raw: &Spanned<raw::Enum>) -> Enum {
        if raw.values.has_none() && !self.builder.to.is_unread(name.place.file, "values") {
            self.at(name.place, Code::MissingKey, format!("the enum `{}` has no values", name.value))
                .help("list them under `values`, each with its meaning");
        }
        let values: Vec<_> = raw
            .values
            .iter()
            .map(|(wire, value)| EnumValue {
                name: self.name(wire, &value.rust, "value", variant_name),
                doc: text_of(&value.doc),
                also: value.also.iter().map(placed).collect(),
                sources: self.builder.sources(value.sources.as_ref(), None),
                deprecated: value.deprecated.clone(),
                dates: Dates {
                    by: self.builder.dated_by(value.dated_by.as_ref()),
                    ..dates_of(value.from.as_ref(), value.until.as_ref())
                },
            })
            .collect();
        let truth_of = |wanted: bool| {
            let name = raw.truth.iter().find(|(_, truth)| truth.value == wanted).map(|(name, _)| name)?;
            values.iter().position(|value: &EnumValue| value.name.wire == name.value)
        };
        let truth = truth_of(true).zip(truth_of(false));
        let truth_places = raw.truth.iter().map(|(name, _)| placed(name)).collect();
        Enum {
            name: self.type_name(name, &raw.rust),
            doc: text_of(&raw.doc),
            values,
            truth,
            truth_places,
            counterpart: raw.counterpart.clone(),
        }
    }

    pub(super) fn identifiers(&mut self) -> Vec<Identifier> {
        let family = self.family;
        family.types.identifiers.iter().map(|(name, raw)| self.identifier(name, raw)).collect()
    }

    pub(super) fn identifier(&mut self, name: &Text, raw: &Spanned<raw::Identifier>) -> Identifier {
        let length = raw.length.as_ref().and_then(|length| self.builder.length(length, 1));
        Identifier {
            name: self.type_name(name, &raw.rust),
            doc: text_of(&raw.doc),
            length,
            alphabet: raw.alphabet.as_ref().map(placed),
            forms: raw.forms.iter().filter_map(|(name, pattern)| self.form(name, pattern)).collect(),
            mint: raw.mint.as_ref().filter(|mint| mint.value).map(|mint| mint.place),
        }
    }

    /// Reads a form: its pattern, and the one that an instrument decides.
    pub(super) fn form(&mut self, name: &Text, raw: &raw::Form) -> Option<Form> {
        let Some(pattern) = &raw.pattern else {
            self.builder.missing("pattern", name.place);
            self.builder.to.note_unread(name.place.file, "forms");
            return None;
        };
        let decided = match (&raw.also, &raw.decided_by) {
            (Some(also), Some(by)) => Some(Decided { also: self.pattern(also)?, by: placed(by) }),
            (None, None) => None,
            (Some(lone), None) | (None, Some(lone)) => {
                let help = match raw.also {
                    Some(_) => {
                        "add `decided_by: flag`, the flag of an instrument that tells such texts apart, or remove `also`"
                    }
                    None => "add `also`, the other spelling in which the flag decides, or remove `decided_by`",
                };
                let message = "`also` and `decided_by` of a form go together";
                self.at(lone.place, Code::Misplaced, message).help(help);
                None
            }
        };
        Some(Form { name: self.field_name(name, &None), pattern: self.pattern(pattern)?, decided })
    }

    /// Reads a pattern such as `a*z`: its beginning and its end.
    pub(super) fn pattern(&mut self, pattern: &Text) -> Option<Pattern> {
        let Some((prefix, alphabet, suffix)) = form_parts(&pattern.value) else {
            self.builder.to.note_unread(pattern.place.file, "forms");
            self.at(pattern.place, Code::BadAlphabet, format!("invalid form `{}`", pattern.value)).help(
                "write what it begins and ends with, and one `*` for what is between, such as `a*z`, or \
                     `[A-Z]*` for what has only such characters there",
            );
            return None;
        };
        Some(Pattern {
            text: pattern.value.clone(),
            place: pattern.place,
            prefix: prefix.to_owned(),
            alphabet: alphabet.map(str::to_owned),
            suffix: suffix.to_owned(),
        })
    }
}

/// Returns the parts of `a*z` or `a[0-9]*z`: the beginning, the characters between, and the end.
fn form_parts(pattern: &str) -> Option<(&str, Option<&str>, &str)> {
    let (before, suffix) = pattern.split_once('*')?;
    let (prefix, alphabet) = match before.strip_suffix(']') {
        Some(before) => before.split_once('[').map(|(prefix, alphabet)| (prefix, Some(alphabet)))?,
        None => (before, None),
    };
    let is_plain = |text: &str| !text.contains(['*', '[', ']']);
    let says_something = alphabet.map_or(prefix.len() + suffix.len() > 0, |alphabet| !alphabet.is_empty());
    (is_plain(prefix) && is_plain(suffix) && says_something).then_some((prefix, alphabet, suffix))
}

impl Enum {
    /// Returns the keys.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let Self { name, doc, values, truth, truth_places, counterpart: _ } = self;
        let word = |index: usize| values[index].name.wire.as_str();
        let words = truth.map(|(yes, no)| format!("{} is true, {} is false", word(yes), word(no)));
        let means = Means::Each {
            added: additive("it can be made from a bool"),
            removed: breaking("`From<bool>` is removed"),
            changed: behaviour("a bool becomes another value"),
        };
        elements::type_names(name)
            .into_iter()
            .chain([Key::new("truth", maybe(words), means).at(first(truth_places)), Key::prose("doc", doc)])
            .collect()
    }

    pub(super) fn element(&self, family: &str) -> Element {
        let path = path(family, &self.name.wire);
        let values: Vec<_> = self.values.iter().map(|value| value.element(&path)).collect();
        let converts = || behaviour("requests with its values can be converted");
        let counterpart = self.counterpart.as_ref().map(|counterpart| {
            stated("counterpart", &path, counterpart).when(converts(), behaviour("what a request is converted to"))
        });
        elements::named("enum", path, &self.name)
            .when(additive("a new type"), breaking("the type is removed"))
            .keys(self.keys())
            .holds(counterpart)
            .holds(values)
    }
}

impl EnumValue {
    /// Returns the keys.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let Self { name, doc, also, sources, deprecated, dates } = self;
        let [from, until, dated_by] = elements::dates(dates, "when the client warns of it");
        vec![
            Key::new("name", &name.wire, behaviour("it has another name on the wire")),
            Key::new("rust", &name.rust, breaking("the variant has another name")),
            Key::new("also", names(also), behaviour("which other spellings are read as it")).at(first(also)),
            elements::deprecated(deprecated.as_ref()),
            from,
            until,
            dated_by,
            elements::sources(sources),
            Key::prose("doc", doc),
        ]
    }

    pub(super) fn element(&self, of: &str) -> Element {
        elements::named("value", path(of, &self.name.wire), &self.name)
            .observed(!self.sources.is_empty())
            .when(additive("a new variant; matches have a wildcard"), breaking("the variant is removed"))
            .keys(self.keys())
            .states(self.deprecated.as_ref().map(|deprecated| deprecated.fact(of, &self.name.wire)))
    }
}

impl Identifier {
    /// Returns the keys.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let Self { name, doc, length, alphabet, forms: _, mint } = self;
        let takes = |texts| Means::Takes { texts, is_constrained: self.is_constrained() };
        let lengths = length.map_or(Texts::All, |(min, max)| Texts::Length(min, max));
        let characters = alphabet.as_ref().map(|(alphabet, _)| formats::characters(alphabet));
        let words = length.map(|(min, max)| format!("{min} to {max}"));
        let minted = Means::Each {
            added: additive("the client makes new ones"),
            removed: breaking("`mint` is removed"),
            changed: documentation(""),
        };
        let keys = [
            Key::new("length", maybe(words), takes(lengths)),
            Key::placed("alphabet", alphabet.as_ref(), takes(characters.map_or(Texts::All, Texts::Alphabet))),
            Key::new("mint", flag(mint.is_some()), minted).at(*mint),
            Key::prose("doc", doc),
        ];
        elements::type_names(name).into_iter().chain(keys).collect()
    }

    pub(super) fn element(&self, family: &str) -> Element {
        let path = path(family, &self.name.wire);
        let forms: Vec<_> = self.forms.iter().map(|form| form.element(&path)).collect();
        elements::named("identifier", path, &self.name)
            .when(additive("a new type"), breaking("the type is removed"))
            .keys(self.keys())
            .holds(forms)
    }
}

impl Form {
    pub(super) fn element(&self, of: &str) -> Element {
        let Self { name, pattern, decided } = self;
        let Pattern { text: pattern, place: _, prefix: _, alphabet: _, suffix: _ } = pattern;
        let also = decided.as_ref().map(|Decided { also, by: _ }| also.text.clone());
        let by = decided.as_ref().map(|Decided { also: _, by }| by);
        let decides = Means::Each {
            added: breaking("its function returns an option"),
            removed: breaking("its function returns a boolean"),
            changed: behaviour("other texts match it"),
        };
        elements::named("form", path(of, &name.wire), name)
            .when(additive("a function tests for it"), breaking("the function that tests for it is removed"))
            .keys([
                Key::new("name", &name.wire, documentation("")),
                Key::new("rust", name.bare(), breaking("its function has another name")),
                Key::new("pattern", pattern, behaviour("other texts match it")),
                Key::new("also", maybe(also), decides),
                Key::placed("decided_by", by, behaviour("another flag of instruments decides")),
            ])
    }
}
