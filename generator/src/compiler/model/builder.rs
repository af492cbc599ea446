//! Raw documents -> model. Missing, undefined and unusable names are reported here and left out; values that are there
//! but wrong are reported by [`crate::compiler::check`].

mod credentials;
mod fields;
mod lifecycle;
mod operations;
mod rates;
mod statements;
mod types;

use std::collections::BTreeSet;

use super::names::NoIdentifier;
use super::{
    AnswerPath, Api, Around, Chapter, Dates, Day, Document, Duration, Envelope, Family, Header, ListName, Market, Name,
    NameOf, OpenQuestion, Operations, Placed, Program, Reviewed, Sent, Source, Sources, Statements, SuccessWith,
    field_name, type_name,
};
use crate::compiler::diagnostics::{Code, DiagnosticBuilder, Diagnostics, Place, is_invisible, unknown};
use crate::compiler::load::{Documents, FamilyDocuments, Short, Spanned, Text, raw};

/// Resolves the whole schema.
pub(crate) fn build(mut documents: Documents, to: &mut Diagnostics) -> Api {
    let families = std::mem::take(&mut documents.families);
    let documents = &documents;
    let raw = &documents.api;
    let known = |id: &str| raw.documents.iter().any(|(name, _)| name.value == id);
    let mut builder = Builder { documents, to, known_document: &known };
    let name = if documents.api_is_sound { builder.need(&raw.api, "api", documents.api_place) } else { String::new() };
    Api {
        name,
        place: documents.api_place,
        is_sound: documents.api_is_sound,
        is_whole: !documents.incomplete,
        doc: if documents.api_is_sound {
            builder.need(&raw.doc, "doc", documents.api_place)
        } else {
            text_of(&raw.doc)
        },
        license: raw.license.as_ref().map(|license| {
            builder.refuse_empty(license, "license");
            license.value.clone()
        }),
        documents: raw.documents.iter().map(|(id, document)| self::document(id, document)).collect(),
        envelope: raw.envelope.as_ref().map(|envelope| builder.envelope(envelope)),
        credentials: raw.credentials.as_ref().map(|credentials| builder.credentials(credentials)),
        calls: raw.calls.as_ref().map_or_else(crate::compiler::model::Calls::default, |calls| builder.calls(calls)),
        headers: raw.headers.iter().map(|(name, header)| builder.header(name, header)).collect(),
        remaining_calls: raw.remaining_calls.as_ref().map(|name| {
            builder.check_header(&name.value, name.place);
            name.value.clone()
        }),
        remaining_calls_in: builder.remaining_calls_in(raw),
        pools: builder.pools(),
        refused_address: raw.refused_address.as_ref().and_then(|refused| builder.refused_address(refused)),
        markets: raw.markets.iter().map(|(name, market)| builder.market(name, market)).collect(),
        examples: raw.examples.iter().map(|(name, shows)| program(name, shows)).collect(),
        guide: raw.guide.iter().map(|(name, explains)| chapter(name, explains)).collect(),
        account: raw.account.as_ref().map(|account| builder.account(account)),
        outcomes: raw.outcomes.iter().filter_map(|row| builder.outcome_row(row)).collect(),
        observed: statements::observations(&mut builder, &raw.observed),
        codes_doc: text_of(&builder.documents.codes.doc),
        codes: builder.observed_codes(),
        refusals: builder.refusals(),
        reviewed: reviewed(&mut builder, &families),
        // Each document is dropped after it is read, so that a large schema is not in memory twice.
        families: families.into_iter().enumerate().map(|(number, family)| builder.family(number, &family)).collect(),
    }
}

fn document(id: &Text, raw: &raw::Document) -> Document {
    let (title, place) = placed(raw.title.as_ref().unwrap_or(id));
    let aligned = raw.aligned.as_ref().map(|day| (day.value, day.place));
    Document { id: id.value.clone(), title, aligned, reading: raw.reading.clone(), place }
}

fn program(name: &Text, shows: &Text) -> Program {
    Program { name: name.value.clone(), shows: shows.value.trim().to_owned(), place: name.place }
}

fn chapter(name: &Text, explains: &Text) -> Chapter {
    Chapter { name: name.value.clone(), explains: explains.value.trim().to_owned(), place: name.place }
}

/// Returns the sections of documents that each file was last checked against.
fn reviewed(builder: &mut Builder<'_>, families: &[FamilyDocuments]) -> Vec<Reviewed> {
    let api = &builder.documents.api.reviewed;
    let files = families.iter().flat_map(|family| {
        let operations = family.operations.iter().map(|(_, _, operation)| &operation.reviewed);
        [&family.family.reviewed, &family.types.reviewed].into_iter().chain(operations)
    });
    let mut found = Vec::new();
    for (document, sections) in std::iter::once(api).chain(files).flat_map(|file| file.iter()) {
        builder.known_document(&document.value, document.place);
        found.extend(sections.iter().map(|(section, digest)| Reviewed {
            document: document.value.clone(),
            section: placed(section),
            digest: placed(digest),
        }));
    }
    found
}

/// The state that all steps of building share.
struct Builder<'a> {
    documents: &'a Documents,
    to: &'a mut Diagnostics,
    known_document: &'a dyn Fn(&str) -> bool,
}

/// Returns the text; empty if there is none.
fn text_of(text: &Option<Text>) -> String {
    text.as_ref().map(|text| text.value.trim().to_owned()).unwrap_or_default()
}

/// Returns a text and its place, in the form of the model.
fn placed(text: &Text) -> Placed {
    (text.value.clone(), text.place)
}

/// Returns a list of the request and its place.
fn placed_list(text: &Text) -> (ListName, Place) {
    (ListName::new(&text.value), text.place)
}

impl Builder<'_> {
    /// Returns the value of a required key; reports it if it is missing.
    fn need(&mut self, value: &Option<Text>, key: &str, place: Place) -> String {
        match value {
            Some(text) if !text.value.trim().is_empty() => text.value.trim().to_owned(),
            Some(text) => {
                self.at(text.place, Code::MissingKey, format!("`{key}` is empty")).help("write a value");
                String::new()
            }
            None => {
                self.missing(key, place);
                String::new()
            }
        }
    }

    /// Returns the shortest length, at least `least`, and the longest one.
    fn length(&mut self, raw: &Spanned<Vec<Spanned<u32>>>, least: u32) -> Option<(u32, u32)> {
        match raw.value.as_slice() {
            [min, max] if (least..=max.value).contains(&min.value) && max.value > 0 => Some((min.value, max.value)),
            // A number that could not be read is reported.
            lengths if lengths.len() < 2 && self.to.is_mistaken_within(raw.place) => None,
            _ => {
                self.at(raw.place, Code::BadAlphabet, "expected two numbers, the shortest length first")
                    .help("write `length: [1, 32]`");
                None
            }
        }
    }

    fn market(&mut self, name: &Text, raw: &Spanned<raw::Market>) -> Market {
        if raw.headers.is_empty() {
            self.missing("headers", raw.place);
        }
        Market {
            name: name.value.clone(),
            doc: text_of(&raw.doc),
            headers: raw
                .headers
                .iter()
                .map(|(header, value)| (NameOf::new(placed(header)), value.value.clone()))
                .collect(),
            place: name.place,
        }
    }

    fn at(&mut self, place: Place, code: Code, message: impl Into<String>) -> DiagnosticBuilder<'_> {
        self.to.at(place, code, message)
    }

    fn missing(&mut self, key: &str, place: Place) {
        self.to.lacking(place, key);
    }

    /// Reports each of these keys that is there.
    fn refuse_keys(&mut self, keys: &[(&str, Option<Place>)], why: &str) {
        for (key, place) in keys.iter().filter_map(|(key, place)| Some((key, (*place)?))) {
            self.at(place, Code::Misplaced, format!("`{key}` {why}")).help("remove it");
        }
    }

    /// Reports each of these keys that is not there.
    fn need_keys(&mut self, keys: &[(&str, bool)], place: Place) {
        keys.iter().filter(|(_, is_there)| !is_there).for_each(|(key, _)| self.missing(key, place));
    }

    /// Returns who has seen what no document describes: at least two, because one can be wrong.
    fn sources(&mut self, sources: Option<&Spanned<Vec<Text>>>, documented: Option<&Source>) -> Sources {
        let Some(sources) = sources else { return Sources::new() };
        let distinct: BTreeSet<&str> = sources.value.iter().map(|source| source.value.trim()).collect();
        if distinct.len() < 2 {
            self.at(sources.place, Code::BadSources, "what no document describes needs at least two sources")
                .help("name another source that has seen it independently, or remove what only one has seen");
        }
        if let Some(documented) = documented {
            self.at(sources.place, Code::BadSources, "`source` and `sources` exclude each other")
                .related(documented.place, "its `source` is here")
                .help("keep `source` for what a document describes, and `sources` for what none does");
        }
        sources.value.iter().map(placed).collect()
    }

    /// Returns who states the days of a fact: a document, or several who have seen them.
    fn dated_by(&mut self, by: Option<&Spanned<Vec<Text>>>) -> Sources {
        match by.map(|by| by.value.as_slice()) {
            Some([document]) => {
                self.known_document(document.value.split(',').next().unwrap_or_default(), document.place);
                vec![placed(document)]
            }
            _ => self.sources(by, None),
        }
    }

    fn source(&mut self, source: &Option<Source>) -> Option<Source> {
        let (document, place) = &source.as_ref()?.document;
        self.known_document(document, *place);
        source.clone()
    }

    /// Reports a document that `api.yaml` does not name.
    fn known_document(&mut self, document: &str, place: Place) {
        if !(self.known_document)(document) {
            let known = self.documents.api.documents.iter().map(|(id, _)| (id.value.as_str(), Some(id.place)));
            let file = self.to.api_file();
            let help = unknown(document, known, || format!("expected one of the `documents` in {file}")).of_api();
            if !self.documents.incomplete && !self.to.is_unread(self.documents.api_place.file, document) {
                self.at(place, Code::UndefinedName, format!("unknown document `{document}`")).help(help);
            }
        }
    }

    fn duration(&mut self, text: Option<&Text>) -> Option<Duration> {
        let text = text?;
        let duration = Duration::parse(&text.value);
        if duration.is_none() {
            self.at(text.place, Code::BadDuration, format!("invalid duration `{}`", text.value))
                .help("write a number and a unit, such as `30 seconds`, `1 week` or `3 months`");
        }
        duration
    }

    /// Reports the second of two texts that differ in case at most.
    fn refuse_twice(&mut self, texts: &[&Option<Text>], code: Code, what: &str) {
        let texts: Vec<&Text> = texts.iter().filter_map(|text| text.as_ref()).collect();
        for (index, text) in texts.iter().enumerate() {
            if let Some(first) = texts.iter().take(index).find(|first| first.value.eq_ignore_ascii_case(&text.value)) {
                self.at(text.place, code, format!("{what} have the same name `{}`", text.value))
                    .related(first.place, "the first one")
                    .help("correct one of them");
            }
        }
    }

    fn envelope(&mut self, raw: &Spanned<raw::Envelope>) -> Envelope {
        let [code, message] =
            [&raw.code, &raw.message].map(|texts| texts.iter().cloned().map(Some).collect::<Vec<_>>());
        let names: Vec<_> = code.iter().chain(&message).chain([&raw.time, &raw.data]).collect();
        self.refuse_twice(&names, Code::DefinedTwice, "two members of the envelope");
        let success = raw.success.as_ref().map(|_| self.need(&raw.success, "success", raw.place));
        if raw.code.is_empty() && (raw.success.is_some() || raw.data.is_none()) {
            self.missing("code", raw.place);
        }
        let around = raw.around.as_ref().map_or(Around::All, |around| around.value);
        let of_successes = [("success", &raw.success), ("data", &raw.data)];
        let key = of_successes.into_iter().find_map(|(key, text)| Some((key, text.as_ref()?.place)));
        if let (Some((key, place)), Around::Failures) = (key, around) {
            self.at(place, Code::Misplaced, format!("`around: failures` and `{key}` exclude each other"))
                .help("remove one of them: a success without an envelope has neither `data` nor `success`");
        }
        Envelope {
            around,
            code: self.paths(&raw.code, "code"),
            message: self.paths(&raw.message, "message"),
            time: raw.time.as_ref().map(|text| text.value.clone()),
            data: raw.data.as_ref().and_then(|data| self.path(&data.value, data.place, "data")),
            success,
            success_with: raw.success_with.as_ref().map(|with| self.success_with(raw, with)).unwrap_or_default(),
            beside: raw.beside.iter().map(|text| text.value.clone()).collect(),
            place: raw.place,
        }
    }

    /// Returns what a success has beside its code.
    fn success_with(&mut self, envelope: &raw::Envelope, raw: &Spanned<raw::SuccessWith>) -> SuccessWith {
        if envelope.success.is_none() {
            self.at(raw.place, Code::Misplaced, "`success_with` requires `success`")
                .help("add the code of success, or remove `success_with`");
        }
        if let (Some(message), true) = (&raw.message, envelope.message.is_empty()) {
            self.at(message.place, Code::Misplaced, "`message` of `success_with` requires `message` of the envelope")
                .help("add `message` to the envelope, or remove this one");
        }
        let status = raw.status.as_ref().and_then(|status| match u16::try_from(status.value) {
            Ok(value @ 200..=299) => Some(value),
            Ok(_) | Err(_) => {
                self.at(
                    status.place,
                    Code::BadNumber,
                    format!("invalid HTTP status `{}` of a success: expected 200 to 299", status.value),
                )
                .help("write the status of a success, or leave it out");
                None
            }
        });
        SuccessWith { message: raw.message.as_ref().map(|text| text.value.clone()), status }
    }

    fn paths(&mut self, texts: &[Text], key: &str) -> Vec<AnswerPath> {
        texts.iter().filter_map(|text| self.path(&text.value, text.place, key)).collect()
    }

    /// Returns the path that is the value of a key.
    fn path(&mut self, text: &str, place: Place, key: &str) -> Option<AnswerPath> {
        let name = text.trim();
        let path = AnswerPath::parse(name);
        if name.is_empty() {
            self.at(place, Code::MissingKey, format!("`{key}` is empty")).help("write a value");
        } else if path.is_none() {
            self.at(place, Code::BadValue, format!("invalid path `{name}`"))
                .help("write the name of a member, or a path such as `error.code` or `errors[0].code`");
        }
        path
    }

    pub(super) fn check_header(&mut self, name: &str, place: Place) {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if !name.is_empty() && !name.bytes().all(is_token) {
            self.at(place, Code::BadHeader, format!("invalid header name `{name}`"))
                .help("a header name consists of letters, digits and hyphens");
        }
    }

    fn header(&mut self, name: &Text, raw: &Spanned<raw::Header>) -> Header {
        self.check_header(&name.value, name.place);
        let sent = raw.sent.unwrap_or(Sent::ByOperation);
        Header { name: name.value.clone(), doc: text_of(&raw.doc), sent, place: name.place }
    }

    fn family(&mut self, number: usize, documents: &FamilyDocuments) -> Family {
        let raw = &documents.family;
        let name = self.family_name(documents);
        let names = types::TypeNames::of(&documents.types);
        let place = documents.place;
        let mut scope = FamilyBuilder { family: documents, names: &names, builder: self };
        let enums = scope.enums();
        let lifecycle = scope.lifecycle(&enums);
        let identifiers = scope.identifiers();
        let choices = scope.choices();
        let records = scope.records();
        let operations = scope.operations();
        let (instrument, classes) = (raw.instrument.clone(), scope.classes());
        let limits = scope.ceilings();
        scope.refuse_unused();
        Family {
            rust: self.rust_name(&None, &name, place, "", type_name),
            title: raw.title.as_ref().map_or_else(|| name.clone(), |title| title.value.clone()),
            doc: if self.documents.incomplete { text_of(&raw.doc) } else { self.need(&raw.doc, "doc", place) },
            source: self.source(&raw.source),
            sources: self.sources(raw.sources.as_ref(), raw.source.as_ref()),
            numbers_as_text: super::types::travels_as_text(raw.numbers, None),
            errors: raw.errors.iter().map(|(code, error)| self.error_code(code, error)).collect(),
            limits,
            instrument,
            classes,
            serves: raw.serves.iter().map(|(path, family)| (placed(path), NameOf::new(placed(family)))).collect(),
            probe: raw.probe.as_ref().and_then(|probe| self.probe(probe)),
            flat: raw.flat.clone(),
            lifecycle,
            statements: self.statements(
                &raw.rules,
                &documents.operations,
                &raw.not_shown,
                &raw.contradictions,
                &raw.observed,
            ),
            enums,
            identifiers,
            choices,
            records,
            effects: operations.iter().map(|operation| operation.effect).collect(),
            operations: Operations(operations),
            shared_files: documents.shared_files.clone(),
            number,
            name,
            place,
        }
    }

    fn family_name(&mut self, documents: &FamilyDocuments) -> String {
        if let Some(name) = documents.family.family.as_ref().filter(|name| name.value != documents.folder) {
            self.at(
                name.place,
                Code::WrongName,
                format!("the family is named `{}`, but its folder `{}`", name.value, documents.folder),
            )
            .help("use the same name for both");
        } else if documents.family.family.is_none() && !self.documents.incomplete {
            self.missing("family", documents.place);
        }
        if documents.family.numbers.is_none() && !self.documents.incomplete {
            self.missing("numbers", documents.place);
        }
        documents.folder.clone()
    }

    fn statements(
        &mut self,
        rules: &[Spanned<raw::Rule>],
        operations: &statements::Operations,
        not_shown: &[Short<OpenQuestion>],
        contradictions: &[Spanned<raw::Contradiction>],
        observed: &[Spanned<raw::Observation>],
    ) -> Statements {
        Statements {
            rules: statements::rules(self, rules, operations),
            not_shown: not_shown.iter().map(|Short(open)| open.clone()).collect(),
            contradictions: statements::contradictions(self, contradictions),
            observed: statements::observations(self, observed),
        }
    }

    fn refuse_empty(&mut self, wire: &Text, what: &str) {
        if wire.value.trim().is_empty() {
            self.at(wire.place, Code::NotAnIdentifier, format!("the {what} name is empty")).help("write the name");
        }
    }

    /// Returns the name given with `rust`, or the one made from the wire name.
    fn rust_name(
        &mut self,
        given: &Option<Text>,
        wire: &str,
        place: Place,
        what: &str,
        make: fn(&str) -> Result<String, NoIdentifier>,
    ) -> String {
        let (from, place) = match given {
            Some(given) => (given.value.as_str(), given.place),
            None => (wire, place),
        };
        let made = make(from);
        match (given, &made) {
            (Some(given), Err(_)) => {
                self.at(given.place, Code::NotAnIdentifier, format!("invalid Rust name `{from}`"))
                    .help("use ASCII letters, digits and underscores, and do not start with a digit");
            }
            (Some(given), Ok(made)) if made.trim_start_matches("r#") != from => {
                let made = made.trim_start_matches("r#");
                self.at(given.place, Code::NotAnIdentifier, format!("invalid Rust name `{from}`: expected `{made}`"))
                    .help("types and variants are spelled `LikeThis`, fields and functions `like_this`");
            }
            // An invisible character has already been reported.
            (None, Err(_)) if !from.is_empty() && !from.contains(is_invisible) => {
                let unexpected = from.chars().find(|c| !c.is_ascii());
                let why = unexpected.map(|c| format!(": U+{:04X} is not ASCII", u32::from(c))).unwrap_or_default();
                let message = format!("the {what} name `{from}` cannot become a Rust name{why}");
                self.at(place, Code::NotAnIdentifier, message.replace("the  ", "the "))
                    .help("add its Rust name with `rust: ...`");
            }
            _ => {}
        }
        made.unwrap_or_default()
    }
}

/// Returns the days of the keys `from` and `until`.
fn dates(from: Option<&Spanned<Day>>, until: Option<&Spanned<Day>>) -> Dates {
    let placed = |day: &Spanned<Day>| (day.value, day.place);
    Dates { from: from.map(placed), until: until.map(placed), by: Sources::new() }
}

/// The family that is being built, with its types.
struct FamilyBuilder<'a, 'b> {
    family: &'a FamilyDocuments,
    names: &'a types::TypeNames,
    builder: &'a mut Builder<'b>,
}

impl FamilyBuilder<'_, '_> {
    fn at(&mut self, place: Place, code: Code, message: impl Into<String>) -> DiagnosticBuilder<'_> {
        self.builder.at(place, code, message)
    }

    fn refuse_keys(&mut self, keys: &[(&str, Option<Place>)], why: &str) {
        self.builder.refuse_keys(keys, why);
    }

    fn name(
        &mut self,
        wire: &Text,
        rust: &Option<Text>,
        what: &str,
        make: fn(&str) -> Result<String, NoIdentifier>,
    ) -> Name {
        self.builder.refuse_empty(wire, what);
        let rust = self.builder.rust_name(rust, wire.value.trim(), wire.place, what, make);
        Name { wire: wire.value.clone(), rust, place: wire.place }
    }

    fn field_name(&mut self, wire: &Text, rust: &Option<Text>) -> Name {
        self.name(wire, rust, "field", field_name)
    }

    fn type_name(&mut self, wire: &Text, rust: &Option<Text>) -> Name {
        self.name(wire, rust, "type", type_name)
    }
}
