//! Operations: requests, responses and intents; the call that requests name; and the operations of a family.

use std::ops::Deref;

use super::{
    AnswerPath, Batch, Compound, Confirm, Counterpart, CursorParameter, DeclaredHeader, Deprecated, Duration, Echoes,
    Family, InFlight, ListName, Listing, Name, NameOf, Parameter, Placed, Rate, Reference, Repeat, Source, Sources,
    Statements, Window, Worth,
};
use crate::compiler::diagnostics::Place;
use crate::compiler::words::{Access, AccessOf, AnswerForm, Effect, In, Lists, Method, Objects, Sends};

/// One operation of the API.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    /// The name of the family and that of the operation, joined by a dot, such as `unified.place-order`.
    pub(crate) id: String,
    pub(crate) name: String,
    /// The position in the family, with the operations that are not emitted.
    pub(crate) number: usize,
    pub(crate) title: String,
    /// The request's Rust type.
    pub(crate) rust: Name,
    /// The module of the operation, and the function of its family.
    pub(crate) function: String,
    pub(crate) place: Place,
    pub(crate) source: Option<Source>,
    /// Who has seen it on the wire, if no document describes it.
    pub(crate) sources: Sources,
    pub(crate) method: Method,
    pub(crate) path: Path,
    /// The method of JSON-RPC that the body calls.
    pub(crate) call: Option<Placed>,
    pub(crate) style: ParameterStyle,
    pub(crate) doc: String,
    pub(crate) effect: Effect,
    /// The reason why it has this effect although its name says something else.
    pub(crate) effect_why: Option<String>,
    pub(crate) access: Access,
    pub(crate) whitelisted: bool,
    /// Other words that people search for it by.
    pub(crate) called: Vec<Placed>,
    pub(crate) deprecated: Option<Deprecated>,
    pub(crate) permission: Option<String>,
    pub(crate) headers: Vec<NameOf<DeclaredHeader>>,
    pub(crate) rates: Vec<Rate>,
    pub(crate) body: Body,
    pub(crate) in_flight: Option<InFlight>,
    /// The parameter that carries the caller's own id.
    pub(crate) client_id: Option<Placed>,
    pub(crate) confirm: Option<Confirm>,
    pub(crate) echoes: Option<Echoes>,
    pub(crate) compound: Option<Compound>,
    pub(crate) worth: Option<Worth>,
    pub(crate) counterpart: Option<Counterpart>,
    pub(crate) repeat: Option<Repeat>,
    pub(crate) window: Option<Window>,
    /// The time that the answer reaches back, unless a parameter determines it.
    pub(crate) history: Option<Duration>,
    pub(crate) response: Response,
    /// The form of a success, and the records of the body of a refusal and of headers, if they are described.
    pub(crate) beside_data: BesideData,
    /// The path to the data, if it differs from that of other operations.
    pub(crate) data: Option<AnswerPath>,
    pub(crate) listing: Listing,
    pub(crate) batch: Option<Batch>,
    pub(crate) intents: Vec<Intent>,
    pub(crate) examples: Vec<Example>,
    pub(crate) statements: Statements,
    pub(crate) key_places: KeyPlaces,
}

/// The places of keys that have none of their own; the place of the operation for keys that are left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyPlaces {
    pub(crate) effect: Place,
    pub(crate) whitelisted: Place,
    pub(crate) permission: Place,
    pub(crate) history: Place,
    pub(crate) response: Place,
}

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

impl Operation {
    /// Returns whether a name stands for it.
    pub(crate) fn is(&self, name: &Reference) -> bool {
        name.number == Some(self.number)
    }

    /// Returns the parameter of the request that a name stands for.
    pub(crate) fn parameter(&self, name: &Reference) -> Option<&Parameter> {
        self.body.parameters().get(name.number?)
    }

    /// Returns whether the file states the effect.
    pub(crate) fn states_effect(&self) -> bool {
        self.key_places.effect != self.place
    }

    /// Returns whether it has this effect, or states none, which is reported.
    pub(crate) fn may_have(&self, effect: Effect) -> bool {
        self.effect == effect || !self.states_effect()
    }

    /// Returns whether a parameter of the request travels in the path, in a header, or in the query beside the body,
    /// apart from the others.
    pub(crate) fn is_elsewhere(&self, parameter: &Parameter) -> bool {
        parameter.apart.is_some() || self.is_in_path(parameter)
    }

    /// Returns whether a parameter of the request travels in the path.
    pub(crate) fn is_in_path(&self, parameter: &Parameter) -> bool {
        self.path.parameters().any(|name| name == parameter.name.wire)
    }

    /// Returns the parameters that travel in headers.
    pub(crate) fn in_headers(&self) -> impl Iterator<Item = &Parameter> {
        self.members().iter().filter(|parameter| parameter.is_in(In::Header))
    }

    /// Returns the parameters that travel in the query, beside a body with the others.
    pub(crate) fn beside_body(&self) -> impl Iterator<Item = &Parameter> {
        self.members().iter().filter(|parameter| parameter.is_in(In::Query))
    }

    /// Returns where the parameters travel.
    pub(crate) fn sends(&self) -> Sends {
        let usual = if self.method.has_query() { Sends::Query } else { Sends::Json };
        self.style.sends.unwrap_or(usual)
    }

    /// Returns whether the parameters travel in the body.
    pub(crate) fn has_body(&self) -> bool {
        self.sends() != Sends::Query
    }
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

impl Worth {
    /// The beginning of the name of a condition that is about the account.
    pub(crate) const OF_ACCOUNT: &str = "account.";
}

impl Window {
    /// Returns whether the access limit applies to the data, so that an earlier start is accepted but finds nothing
    /// older.
    pub(crate) fn access_is_of_data(&self) -> bool {
        self.access_of.word == AccessOf::Data
    }
}

/// The form of an answer, and what it has beside its data; the indices refer to the records of the family.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BesideData {
    /// The whole body of a refusal.
    pub(crate) refusal: Option<(usize, Place)>,
    /// The headers of a success.
    pub(crate) headers: Option<(usize, Place)>,
    /// The form of a success, if it is not JSON.
    pub(crate) form: Option<(AnswerForm, Place)>,
}

/// The data of a response; the indices refer to the records of the family.
#[derive(Clone, Debug)]
pub(crate) enum Response {
    Object {
        record: usize,
    },
    Array {
        record: usize,
        observed_under: Option<String>,
    },
    Page {
        list: Name,
        record: usize,
        cursor: Name,
        next: NameOf<CursorParameter>,
    },
    /// A name that has already been reported, so that nothing more is reported about it.
    Undefined,
}

impl Response {
    /// Returns the record of the data, or of its items.
    pub(crate) fn record(&self) -> Option<usize> {
        match self {
            Self::Object { record } | Self::Array { record, .. } | Self::Page { record, .. } => Some(*record),
            Self::Undefined => None,
        }
    }
}

/// Wire JSON of one call.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub(crate) about: String,
    pub(crate) request: Placed,
    pub(crate) response: Placed,
}

/// The operations of a family.
#[derive(Clone, Debug)]
pub(crate) struct Operations(pub(crate) Vec<Operation>);

impl Operations {
    /// Returns the operation that a name stands for, if it is emitted.
    pub(crate) fn get(&self, name: &Reference) -> Option<&Operation> {
        self.numbered(name.number?)
    }

    /// Returns the operation with a number, if it is emitted.
    pub(crate) fn numbered(&self, number: usize) -> Option<&Operation> {
        let at = self.0.binary_search_by_key(&number, |operation| operation.number).ok()?;
        self.0.get(at)
    }

    /// Returns the name of each operation with the id of each of its rules.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().flat_map(|operation| {
            let ids = operation.statements.rules.iter().map(|rule| rule.id.as_str());
            ids.map(|id| (operation.name.as_str(), id))
        })
    }

    /// Returns whether an operation confirms its effect by this query.
    pub(crate) fn are_confirmed_by(&self, query: &Operation) -> bool {
        let confirms = self.0.iter().filter_map(|operation| operation.confirm.as_ref());
        confirms.flat_map(Confirm::queries).any(|name| query.is(name))
    }

    /// Returns the answers of batches, and how they state the results.
    pub(crate) fn batches(&self) -> impl Iterator<Item = (&Response, &Batch)> {
        self.0.iter().filter_map(|operation| Some((&operation.response, operation.batch.as_ref()?)))
    }

    /// Returns where answers state why an item of a request failed: the record of the answer, its member with failed
    /// items unless the answer itself lists them, and the member with the code.
    pub(crate) fn item_codes(&self) -> impl Iterator<Item = (usize, Option<&str>, &str)> {
        self.batches().filter_map(|(response, batch)| {
            let (record, list) = match *response {
                Response::Array { record, .. } => (record, None),
                Response::Object { record } => (record, Some(batch.failed.as_ref()?.text.as_str())),
                Response::Page { .. } | Response::Undefined => return None,
            };
            Some((record, list, batch.code.as_ref()?.0.as_str()))
        })
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Operation> {
        self.0.iter_mut()
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&Operation) -> bool) {
        self.0.retain(keep);
    }
}

impl Deref for Operations {
    type Target = [Operation];

    fn deref(&self) -> &[Operation] {
        &self.0
    }
}

impl<'a> IntoIterator for &'a Operations {
    type Item = &'a Operation;
    type IntoIter = std::slice::Iter<'a, Operation>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
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

/// The members of a request that name its call.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    pub(crate) id: Option<String>,
    /// The member with the name; `None` if the name is only signed.
    pub(crate) method: Option<String>,
    /// The member with the parameters; `None` if the parameters are members themselves.
    pub(crate) params: Option<String>,
    /// Where the schema describes them; `None` if they follow JSON-RPC 2.0.
    pub(crate) place: Option<Place>,
}

impl Default for Calls {
    /// Returns the members of JSON-RPC 2.0.
    fn default() -> Self {
        let named = |name: &str| Some(name.to_owned());
        Self { id: named("id"), method: named("method"), params: named("params"), place: None }
    }
}

impl Calls {
    /// Returns members that every call begins with.
    pub(crate) fn fixed(&self) -> &'static [(&'static str, &'static str)] {
        if self.place.is_none() { &[("jsonrpc", "2.0")] } else { &[] }
    }

    /// Returns the members beside the parameters.
    pub(crate) fn members(&self) -> impl Iterator<Item = &str> {
        let fixed = self.fixed().iter().map(|(name, _)| *name);
        fixed.chain(self.id.as_deref()).chain(self.method.as_deref())
    }
}
