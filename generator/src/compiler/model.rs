//! The content of the schema: resolved, immutable and free of YAML. All later steps read the model only.
//!
//! Each file is one concept: its types, how they are read from a document, and their keys and facts.

mod account;
mod api;
mod builder;
mod choice;
mod codes;
mod confirm;
mod counterpart;
mod credentials;
pub(crate) mod elements;
mod enums;
mod envelope;
mod facts;
mod family;
pub(crate) mod formats;
mod lifecycle;
mod names;
pub(crate) mod number;
mod operation;
mod parameter;
pub(crate) mod phrases;
mod rate;
mod record;
mod request;
mod resolve;
mod response;
mod rules;
mod shape;
mod types;
mod wire;

use super::diagnostics::Diagnostics;
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
pub(crate) use account::*;
pub(crate) use api::*;
pub(crate) use choice::*;
pub(crate) use codes::*;
pub(crate) use confirm::*;
pub(crate) use counterpart::*;
pub(crate) use credentials::*;
pub(crate) use enums::*;
pub(crate) use envelope::*;
pub(crate) use facts::Fact;
pub(crate) use family::*;
pub(crate) use formats::*;
pub(crate) use lifecycle::*;
pub(crate) use names::{KEYWORDS, Name, field_name, type_name, variant_name};
pub(crate) use number::Number;
pub(crate) use operation::*;
pub(crate) use parameter::*;
pub(crate) use rate::*;
pub(crate) use record::*;
pub(crate) use request::*;
pub(crate) use response::*;
pub(crate) use rules::*;
pub(crate) use shape::*;
pub(crate) use types::*;
pub(crate) use wire::*;

/// Makes the model of the files of a schema: first its parts, then what their names stand for.
pub(crate) fn of(documents: Documents, to: &mut Diagnostics) -> Api {
    let mut api = api::build(documents, to);
    resolve::resolve(&mut api, to);
    api
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
