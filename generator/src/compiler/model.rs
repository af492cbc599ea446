//! The content of the schema: resolved, immutable and free of YAML. All later steps read the model only.

mod builder;
mod confirm;
mod counterpart;
mod credentials;
pub(crate) mod elements;
mod envelope;
mod facts;
pub(crate) mod formats;
mod names;
pub(crate) mod number;
mod operation;
mod parameter;
pub(crate) mod phrases;
mod rate;
mod record;
mod resolve;
mod rules;
mod shape;
mod types;

use super::diagnostics::{Diagnostics, Place};
use super::load::Documents;

pub(crate) use super::load::declared::{self, Alternatives, NamesWithin, Pair, Placed};
pub(crate) use super::load::raw::{
    Batch, BatchContext, Compound, Confirm, ConfirmContext, Counterpart, CounterpartCase, CounterpartDecision,
    Deprecated, Edit, EnumCounterpart, Flat, FlatCancel, FlatClose, FlatReduce, FlatSide, FlatValue, InFlight,
    InstrumentNames, ListedInstruments, ListedPrices, OpenQuestion, Pages, Reading, Repeat, Shows, Source, Trade,
    TradeFees, TradePosition, TradeSides, Window, WindowContext, Worth,
};
pub(crate) use super::references::*;
pub(crate) use super::values::{Dates, Day, Duration, DurationUnit, UtcOffset};
pub(crate) use super::words::*;
pub(crate) use confirm::*;
pub(crate) use counterpart::*;
pub(crate) use credentials::*;
pub(crate) use envelope::{AnswerPath, Envelope, Step, SuccessWith};
pub(crate) use facts::Fact;
pub(crate) use formats::*;
pub(crate) use names::{KEYWORDS, Name, field_name, type_name, variant_name};
pub(crate) use number::Number;
pub(crate) use operation::*;
pub(crate) use parameter::*;
pub(crate) use rate::*;
pub(crate) use record::*;
pub(crate) use rules::*;
pub(crate) use shape::*;
pub(crate) use types::*;

/// Makes the model of the files of a schema: first its parts, then what their names stand for.
pub(crate) fn of(documents: Documents, to: &mut Diagnostics) -> Api {
    let mut api = builder::build(documents, to);
    resolve::resolve(&mut api, to);
    api
}

/// A whole API.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    pub(crate) name: String,
    /// A place that stands for `api.yaml` as a whole.
    pub(crate) place: Place,
    /// `api.yaml` was read without a mistake, so a key that is absent was left out on purpose.
    pub(crate) is_sound: bool,
    /// Every file was read, so a name that is absent does not exist.
    pub(crate) is_whole: bool,
    pub(crate) doc: String,
    /// The licence as an SPDX expression.
    pub(crate) license: Option<String>,
    pub(crate) documents: Vec<Document>,
    pub(crate) envelope: Option<Envelope>,
    pub(crate) credentials: Option<Credentials>,
    pub(crate) calls: Calls,
    pub(crate) headers: Vec<Header>,
    pub(crate) remaining_calls: Option<String>,
    /// The windows that it counts.
    pub(crate) remaining_calls_in: Vec<Duration>,
    /// Rates that several operations share.
    pub(crate) pools: Vec<Pool>,
    pub(crate) refused_address: Option<RefusedAddress>,
    /// Other markets at the same address.
    pub(crate) markets: Vec<Market>,
    /// The programs in the folder `examples`.
    pub(crate) examples: Vec<Program>,
    /// The chapters in the folder `guide`.
    pub(crate) guide: Vec<Chapter>,
    pub(crate) account: Option<Account>,
    /// The outcome of a request that changes something, by the result of its call.
    pub(crate) outcomes: Vec<OutcomeRow>,
    pub(crate) observed: Vec<Observation>,
    /// Where the codes that no document lists come from as a whole.
    pub(crate) codes_doc: String,
    /// Codes that no document lists.
    pub(crate) codes: Vec<ObservedCode>,
    /// Reasons to refuse requests, with their codes.
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) families: Vec<Family>,
    /// The sections of documents that each file was last checked against.
    pub(crate) reviewed: Vec<Reviewed>,
}

/// Another market at the same address, such as one for practice.
#[derive(Clone, Debug)]
pub(crate) struct Market {
    pub(crate) name: String,
    pub(crate) doc: String,
    /// The headers that lead there, with their values.
    pub(crate) headers: Vec<(NameOf<HeaderOfMarket>, String)>,
    pub(crate) place: Place,
}

/// A program in the folder `examples` of the emitted crate.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) shows: String,
    pub(crate) place: Place,
}

/// A chapter in the folder `guide` of the emitted crate.
#[derive(Clone, Debug)]
pub(crate) struct Chapter {
    /// The name of its file, without `.md`.
    pub(crate) name: String,
    pub(crate) explains: String,
    pub(crate) place: Place,
}

/// One of the documents that the schema was written from.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) id: String,
    pub(crate) title: String,
    /// The day of the last announced change with which the schema was compared.
    pub(crate) aligned: Option<(Day, Place)>,
    pub(crate) reading: Option<Reading>,
    pub(crate) place: Place,
}

/// A section of a document as it was when a file of the schema was last checked against it.
#[derive(Clone, Debug)]
pub(crate) struct Reviewed {
    pub(crate) document: String,
    pub(crate) section: Placed,
    /// The digest and its place; a new digest is written there.
    pub(crate) digest: Placed,
}

/// A header beside those of the credentials.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) sent: Sent,
    pub(crate) place: Place,
}

/// A part of the API with conventions of its own.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub(crate) name: String,
    /// The position in the API, with the families that are not emitted.
    pub(crate) number: usize,
    /// The Rust type that holds the family's functions.
    pub(crate) rust: String,
    pub(crate) place: Place,
    /// The indices of the files that every operation of the family builds on.
    pub(crate) shared_files: Vec<u32>,
    pub(crate) title: String,
    pub(crate) doc: String,
    pub(crate) source: Option<Source>,
    /// Who has seen its operations on the wire, if no document describes it.
    pub(crate) sources: Sources,
    /// True if numbers and times travel as JSON strings, unless a field says otherwise.
    pub(crate) numbers_as_text: bool,
    pub(crate) errors: Vec<ErrorCode>,
    pub(crate) limits: Vec<Ceiling>,
    /// The parameters that name the instrument of a request.
    pub(crate) instrument: Option<InstrumentNames>,
    pub(crate) classes: Vec<Class>,
    /// The families whose accounts operations are about by the beginning of their paths, if not those of this one.
    pub(crate) serves: Vec<(Placed, NameOf<OtherFamily>)>,
    pub(crate) probe: Option<Probe>,
    pub(crate) flat: Option<Flat>,
    pub(crate) lifecycle: Option<Lifecycle>,
    pub(crate) statements: Statements,
    pub(crate) enums: Vec<Enum>,
    pub(crate) identifiers: Vec<Identifier>,
    pub(crate) choices: Vec<Choice>,
    pub(crate) records: Vec<Record>,
    pub(crate) operations: Operations,
    /// The effect of each operation by its number, including operations that are not emitted.
    pub(crate) effects: Vec<Effect>,
}

impl Family {
    /// Returns whether no document describes it.
    pub(crate) fn is_observed(&self) -> bool {
        !self.sources.is_empty()
    }

    /// Returns the family whose accounts the operations at a path are about, if it is another one.
    pub(crate) fn served_at(&self, path: &str) -> Option<&Reference> {
        let fitting = self.serves.iter().filter(|((beginning, _), _)| path.starts_with(beginning));
        fitting.max_by_key(|((beginning, _), _)| beginning.len()).map(|(_, family)| &**family)
    }

    /// Returns whether a name stands for it.
    pub(crate) fn is(&self, name: &Reference) -> bool {
        name.number == Some(self.number)
    }
}

/// Who has seen on the wire what no document describes; empty for what a document does.
pub(crate) type Sources = Vec<Placed>;

impl Source {
    /// Returns the id of the document.
    pub(crate) fn document(&self) -> &str {
        &self.document.0
    }

    /// Returns the heading of the section.
    pub(crate) fn section(&self) -> Option<&str> {
        self.section.as_ref().map(|(section, _)| &**section)
    }
}

/// The read by which a caller finds out whether the credentials are accepted.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    pub(crate) place: Place,
    pub(crate) operation: NameOf<Checks>,
    /// The request as wire JSON.
    pub(crate) request: Placed,
}

/// A ceiling that is not a rate and belongs to no single operation.
#[derive(Clone, Debug)]
pub(crate) struct Ceiling {
    pub(crate) id: String,
    pub(crate) place: Place,
    pub(crate) n: u64,
    /// The values that count towards it; `None` if all do.
    pub(crate) over: Option<CeilingValues>,
    pub(crate) doc: String,
    pub(crate) source: Option<Source>,
}

/// The values of an enum that a ceiling is over.
#[derive(Clone, Debug)]
pub(crate) struct CeilingValues {
    pub(crate) enum_index: usize,
    pub(crate) values: Vec<Placed>,
}

/// The statements that families and operations can have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statements {
    pub(crate) rules: Vec<Rule>,
    pub(crate) not_shown: Vec<OpenQuestion>,
    pub(crate) contradictions: Vec<Contradiction>,
    pub(crate) observed: Vec<Observation>,
}

/// Two statements that cannot both hold.
#[derive(Clone, Debug)]
pub(crate) struct Contradiction {
    pub(crate) id: String,
    pub(crate) place: Place,
    pub(crate) readings: Vec<String>,
    pub(crate) chosen: String,
    pub(crate) why: String,
}

/// Something seen on the wire and in no document.
#[derive(Clone, Debug)]
pub(crate) struct Observation {
    pub(crate) id: String,
    pub(crate) place: Place,
    pub(crate) says: String,
    pub(crate) sources: Vec<String>,
}

impl Api {
    /// Returns the title of a document, or its id where it has none.
    pub(crate) fn document_title<'a>(&'a self, id: &'a str) -> &'a str {
        self.documents.iter().find(|document| document.id == id).map_or(id, |document| &document.title)
    }

    /// Returns the header that a name stands for.
    pub(crate) fn header(&self, name: &Reference) -> Option<&Header> {
        self.headers.get(name.number?)
    }

    /// Returns the family that a name stands for, if it is emitted.
    pub(crate) fn family(&self, name: &Reference) -> Option<&Family> {
        let at = self.families.binary_search_by_key(&name.number?, |family| family.number).ok()?;
        self.families.get(at)
    }

    /// Returns all operations with their families.
    pub(crate) fn operations(&self) -> impl Iterator<Item = (&Family, &Operation)> {
        self.families.iter().flat_map(|family| family.operations.iter().map(move |op| (family, op)))
    }
}

/// The number of operations, rules and other parts that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Families of operations.
    pub families: usize,
    /// Operations.
    pub operations: usize,
    /// Parameters of requests, including those of choices and items.
    pub parameters: usize,
    /// Fields of records.
    pub fields: usize,
    /// Values of enums.
    pub values: usize,
    /// Rates and ceilings.
    pub limits: usize,
    /// Rules.
    pub rules: usize,
}

impl Counts {
    /// Counts the parts of a model.
    pub(crate) fn of(api: &Api) -> Self {
        let mut counts = Self { families: api.families.len(), ..Self::default() };
        for family in &api.families {
            counts.operations += family.operations.len();
            counts.fields += family
                .records
                .iter()
                .filter(|record| !record.is_abstract)
                .map(|record| record.fields.len())
                .sum::<usize>();
            counts.values += family.enums.iter().map(|all| all.values.len()).sum::<usize>();
            counts.limits += family.limits.len();
            counts.rules += family.statements.rules.len();
            for operation in &family.operations {
                counts.limits += operation.rates.len();
                counts.rules += operation.statements.rules.len();
                counts.parameters += operation.parameter_count(family);
            }
        }
        counts
    }
}
