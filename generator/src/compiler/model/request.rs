//! Requests: their paths and bodies, how parameters travel, and the constructors for documented purposes.

use super::builder::{FamilyBuilder, placed, placed_list, text_of};
use super::elements::means::Arguments;
use super::elements::{Element, Key, Means, additive, breaking, documentation, list, maybe, path};
use super::parameter::mark_inner_lists;
use super::{Effect, Family, ListName, Method, Need, Operation, Parameter, Placed, field_name};
use crate::compiler::diagnostics::{Code, Place, did_you_mean};
use crate::compiler::load::{Named, Spanned, Text, WordOr, raw};
use crate::compiler::words::{Lists, Objects, Sends};

/// The form in which the parameters of a request travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ParameterStyle {
    /// Where they travel, if not in the usual position for the method.
    pub(crate) sends: Option<Sends>,
    pub(crate) lists: Lists,
    pub(crate) objects: Objects,
    /// True if the schema states how objects are written.
    pub(crate) says_objects: bool,
    pub(crate) place: Place,
}

/// A path with its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) text: String,
    pub(crate) pieces: Vec<PathPiece>,
    pub(crate) place: Place,
}

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathPiece {
    Literal(String),
    Parameter(String),
}

impl PathPiece {
    /// Splits a path at its `{parameters}`. An error says why it is not a path.
    pub(crate) fn all_of(path: &str) -> Result<Vec<Self>, &'static str> {
        if !path.starts_with('/') {
            return Err("it does not start with `/`");
        }
        if path.contains("//") {
            return Err("a segment is empty");
        }
        let allowed = |c: char| c.is_ascii_alphanumeric() || "/-._~:@".contains(c);
        let mut pieces = Vec::new();
        let mut rest = path;
        while let Some(open) = rest.find('{') {
            let close = rest[open..].find('}').ok_or("a brace is not closed")? + open;
            let (literal, name) = (&rest[..open], &rest[open + 1..close]);
            if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
                return Err("invalid parameter name in braces");
            }
            pieces.push(Self::Literal(literal.to_owned()));
            pieces.push(Self::Parameter(name.to_owned()));
            rest = &rest[close + 1..];
        }
        if !rest.is_empty() {
            pieces.push(Self::Literal(rest.to_owned()));
        }
        let literals_are_clean = pieces.iter().all(|piece| match piece {
            Self::Literal(text) => text.chars().all(allowed),
            Self::Parameter(_) => true,
        });
        if !literals_are_clean {
            return Err("it has a character that is not allowed in a path");
        }
        if path.split('/').any(|segment| segment == "." || segment == "..") {
            return Err("it has a relative segment");
        }
        if path.contains("/:") {
            return Err("a segment begins with `:`; a parameter is written in braces, as `{name}`");
        }
        Ok(pieces)
    }
}

impl Path {
    /// Returns the names of the parameters in the path.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            PathPiece::Parameter(name) => Some(name.as_str()),
            PathPiece::Literal(_) => None,
        })
    }
}

/// The parameters of a request. That of a body that is an array, which is called `[]`, comes last.
#[derive(Clone, Debug)]
pub(crate) struct Body(pub(crate) Vec<Parameter>);

impl Body {
    /// Returns all parameters, also the one that stands for the array.
    pub(crate) fn parameters(&self) -> &[Parameter] {
        &self.0
    }

    /// Returns the parameters with a name on the wire.
    pub(crate) fn members(&self) -> &[Parameter] {
        match self.0.as_slice() {
            [members @ .., last] if last.is_body() => members,
            members => members,
        }
    }

    /// Returns the parameter that stands for the body, if that is an array.
    pub(crate) fn array(&self) -> Option<&Parameter> {
        self.0.last().filter(|last| last.is_body())
    }

    /// Returns the parameter that stands for the body, if nothing else is sent: the request as a whole is then an array.
    /// Otherwise it is an object with the array as its member `[]`.
    pub(crate) fn bare_array(&self) -> Option<&Parameter> {
        self.array().filter(|_| self.members().is_empty())
    }
}

impl FamilyBuilder<'_, '_> {
    /// Returns how the parameters travel: as the operation says, otherwise as the family says.
    pub(super) fn style(&mut self, raw: &raw::Operation, method: Method, place: Place) -> ParameterStyle {
        let family = &self.family.family;
        let own = raw.sends.as_ref();
        if let Some(sends) = own.filter(|sends| sends.value != Sends::Query && method == Method::Get) {
            self.at(sends.place, Code::Misplaced, "a GET request has no body")
                .help("remove `sends`, or correct the method");
        }
        let of_family = family.sends.as_ref().filter(|_| !method.has_query());
        let value = |sends: &Spanned<Sends>| sends.value;
        let objects = raw.objects.as_ref().or(family.objects.as_ref());
        ParameterStyle {
            sends: own.or(of_family).map(value),
            lists: raw.lists.as_ref().or(family.lists.as_ref()).map_or(Lists::Json, |lists| lists.value),
            objects: objects.map_or(Objects::Json, |objects| objects.value),
            says_objects: objects.is_some(),
            place: own.map_or(place, |sends| sends.place),
        }
    }

    pub(super) fn http(&mut self, raw: &raw::Operation, place: Place) -> (Method, Path) {
        let nothing = |place| Path { text: String::new(), pieces: Vec::new(), place };
        let Some(http) = &raw.http else {
            self.builder.missing("http", place);
            return (likely_method(raw), nothing(place));
        };
        let (word, path) = http.value.split_once(' ').unwrap_or((http.value.as_str(), ""));
        let method = Method::parse(word);
        if method.is_none() {
            let help = did_you_mean(word, Method::WORDS.iter().copied()).unwrap_or_else(|| {
                "write a method and a path, such as `GET /api/v1/orders`; methods are GET, POST, PUT, PATCH and DELETE".into()
            });
            self.at(http.place, Code::BadPath, format!("invalid HTTP method `{word}`")).help(help);
        }
        let pieces = match PathPiece::all_of(path) {
            Ok(pieces) => pieces,
            Err(why) if method.is_some() => {
                self.at(http.place, Code::BadPath, format!("invalid path `{path}`: {why}")).help(
                    "a path starts with `/` and consists of letters, digits, `-`, `.`, `_`, `~`, `:`, `@` and parameters in braces",
                );
                Vec::new()
            }
            Err(_) => Vec::new(),
        };
        (method.unwrap_or_else(|| likely_method(raw)), Path { text: path.to_owned(), pieces, place: http.place })
    }

    pub(super) fn body(&mut self, raw: &raw::Operation, place: Place) -> Body {
        let Some(request) = &raw.request else {
            self.builder.missing("request", place);
            return Body(Vec::new());
        };
        let (arrays, members): (Vec<_>, Vec<_>) = request.iter().partition(|(name, _)| name.value == ListName::BODY);
        let members = members.into_iter().map(|(name, field)| self.parameter(name, field)).collect::<Vec<_>>();
        let array = arrays.first().map(|(name, field)| self.array_body(name, field));
        let mut all: Vec<Parameter> = members.into_iter().chain(array).collect();
        for item in all.iter_mut().filter_map(|parameter| parameter.shape.objects_mut()) {
            mark_inner_lists(&mut item.parameters);
        }
        Body(all)
    }

    fn array_body(&mut self, name: &Text, field: &Spanned<raw::Field>) -> Parameter {
        // A body that is an array is always sent.
        let parameter = Parameter { need: Need::Always, ..self.parameter(name, field) };
        if parameter.item().is_none() {
            self.at(name.place, Code::Misplaced, "an array body requires `fields`")
                .help("write `\"[]\": { item: Order, fields: { .. } }`");
        }
        parameter
    }
}

/// Returns the method to assume, for the same reason.
fn likely_method(raw: &raw::Operation) -> Method {
    let is_change = raw
        .effect
        .as_ref()
        .is_some_and(|effect| matches!(effect.value, WordOr::Word(effect) if effect != Effect::Read));
    if is_change { Method::Post } else { Method::Get }
}

/// Returns where the parameters travel, in words; empty if it follows from the method.
pub(super) fn sends_words(sends: Sends) -> &'static str {
    match sends {
        Sends::Query | Sends::Json => "",
        Sends::Form => "form-encoded body",
    }
}

/// Returns how a list or an object is written; empty if in the usual way.
pub(super) fn written(style: &str) -> &str {
    if style == "json" { "" } else { style }
}

pub(super) fn body(body: &Body) -> &'static str {
    if body.array().is_some() { "an array" } else { "parameters" }
}

/// A constructor named after its purpose.
#[derive(Clone, Debug)]
pub(crate) struct Intent {
    pub(crate) id: String,
    /// The Rust function.
    pub(crate) rust: String,
    pub(crate) place: Place,
    pub(crate) says: String,
    pub(crate) at: String,
    /// The list whose items it makes.
    pub(crate) within: Option<(ListName, Place)>,
    pub(crate) set: Vec<Setting>,
    /// Optional parameters that become arguments.
    pub(crate) take: Vec<Placed>,
    /// Parameters whose arguments have other names here.
    pub(crate) call: Vec<Setting>,
}

/// A parameter, and the text that the schema gives it.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) text: String,
    pub(crate) text_place: Place,
}

impl Intent {
    /// Returns the text that a parameter is set to.
    pub(crate) fn value_of(&self, wire: &str) -> Option<&str> {
        self.set.iter().find(|setting| setting.name == wire).map(|setting| setting.text.as_str())
    }

    /// Returns the parameters that become arguments: required ones that are not set, and those of `take`.
    pub(crate) fn arguments<'a>(&self, family: &Family, parameters: &'a [Parameter]) -> Vec<&'a Parameter> {
        let is_left = |parameter: &&Parameter| parameter.is_argument() && self.sets(family, parameter).is_none();
        let is_taken = |parameter: &&Parameter| {
            self.take.iter().any(|(wire, _)| *wire == parameter.name.wire) && !is_left(parameter)
        };
        parameters.iter().filter(is_left).chain(parameters.iter().filter(is_taken)).collect()
    }

    /// Returns the text that a parameter is set to; for a choice, that of its deciding parameter.
    pub(crate) fn sets(&self, family: &Family, parameter: &Parameter) -> Option<&str> {
        let decider = family.choice_of(parameter).and_then(|choice| choice.decider());
        self.value_of(&decider.map_or(&parameter.name, |(decider, _)| decider).wire)
    }

    /// Returns the name of the argument for a parameter.
    pub(crate) fn argument_of(&self, wire: &str) -> Option<&str> {
        self.call.iter().find(|setting| setting.name == wire).map(|setting| setting.text.as_str())
    }
}

impl FamilyBuilder<'_, '_> {
    pub(super) fn intents(&mut self, raw: &[Spanned<raw::Intent>]) -> Vec<Intent> {
        raw.iter().map(|raw| self.intent(raw)).collect()
    }

    pub(super) fn intent(&mut self, raw: &Spanned<raw::Intent>) -> Intent {
        let id = self.builder.need(&raw.id, "id", raw.place);
        let place = raw.id.as_ref().map_or(raw.place, |id| id.place);
        let set = raw.set.as_ref().map(|set| set_texts(set)).unwrap_or_default();
        let is_unread = raw.set.is_some() && self.builder.to.mistaken_files().contains(&place.file);
        if set.is_empty() && !is_unread {
            self.at(place, Code::BadIntent, "the intent sets nothing")
                .help("add the values it sends, such as `set: { side: buy }`");
        }
        let mut call = set_texts(&raw.call);
        call.iter_mut().for_each(|setting| self.name_argument(setting));
        Intent {
            rust: self.builder.rust_name(&raw.rust, &id, place, "intent", field_name),
            id,
            place,
            says: self.builder.need(&raw.says, "says", raw.place),
            at: text_of(&raw.at),
            within: raw.r#in.as_ref().map(placed_list),
            set,
            take: raw.take.iter().map(placed).collect(),
            call,
        }
    }

    /// Makes the Rust name of an argument.
    fn name_argument(&mut self, setting: &mut Setting) {
        setting.text = field_name(&setting.text).unwrap_or_else(|_| {
            self.at(setting.text_place, Code::NotAnIdentifier, format!("invalid Rust name `{}`", setting.text))
                .help("use ASCII letters, digits and underscores, and do not start with a digit");
            String::new()
        });
    }
}

fn set_texts(raw: &Named<Text>) -> Vec<Setting> {
    let setting = |(name, text): &(Text, Text)| {
        let (place, text_place): (Place, Place) = (name.place, text.place);
        Setting { name: name.value.clone(), place, text: text.value.clone(), text_place }
    };
    raw.iter().map(setting).collect()
}

impl Intent {
    pub(super) fn element(&self, family: &Family, operation: &Operation) -> Element {
        let Self { id, rust, place, says, at, within, set, take: _, call } = self;
        let parameters = operation.set_of(within.as_ref().map(|(list, _)| list));
        let named = |all: &Parameter| (all.name.wire.clone(), all.is_argument());
        let arguments = Arguments {
            taken: self.arguments(family, parameters).into_iter().map(named).collect(),
            parameters: parameters.iter().map(named).collect(),
        };
        let within = maybe(within.as_ref().map(|(list, _)| list));
        Element::new("intent", path(&operation.id, id), [id, rust], *place)
            .when(additive("a new function"), breaking("its function is removed"))
            .keys([
                Key::new("rust", rust, breaking("its function has another name")),
                Key::new("in", within, breaking("its function makes something else")),
                Key::new("set", settings(set), Means::Sets(arguments.clone())),
                Key::new("take", "", Means::Arguments(arguments)).unless("set"),
                Key::new("call", settings(call), documentation("arguments have other names")),
                Key::new("at", at, documentation("")),
                Key::prose("says", says),
            ])
    }
}

fn settings(all: &[Setting]) -> String {
    let words = |Setting { name, text, place: _, text_place: _ }: &Setting| format!("{name} = {text}");
    list(all.iter().map(words))
}
