//! The name and the number that a request carries besides its parameters.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::data::json::JsonWriter;
use crate::data::parameters::ParameterWriter;
use crate::data::tables::{Calls, Meta};

/// The numbers of calls, for people to distinguish them.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

/// The call that a request makes: the name and number that it carries besides its parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) calls: Calls,
    pub(crate) name: &'static str,
    pub(crate) number: u64,
}

impl Call {
    /// A new call of an operation; `None` if the operation is not called by a name.
    pub(crate) fn of(calls: Calls, meta: &'static Meta) -> Option<Self> {
        let name = meta.call?;
        Some(Self { calls, name, number: NUMBERS.fetch_add(1, Ordering::Relaxed) })
    }

    /// Writes it before the parameters, if these are members themselves.
    pub(crate) fn write_beside(&self, to: &mut ParameterWriter) {
        if self.calls.parameters.is_some() {
            return;
        }
        for (name, value) in self.calls.fixed {
            to.text_of_table(name, value);
        }
        if let Some(id) = self.calls.id {
            to.number_of_table(id, self.number);
        }
        if let Some(method) = self.calls.method {
            to.text_of_table(method, self.name);
        }
    }

    /// The body of a request with these parameters.
    pub(crate) fn around(&self, parameters: String) -> String {
        let Calls { fixed, id, method, parameters: member } = self.calls;
        let Some(member) = member else { return parameters };
        let mut out = JsonWriter::with_capacity(parameters.len() + self.name.len() + 64);
        out.begin_object();
        for (name, value) in fixed {
            out.member(name).string(value);
        }
        if let Some(id) = id {
            out.member(id).number(&self.number);
        }
        if let Some(method) = method {
            out.member(method).string(self.name);
        }
        out.member(member).raw(&parameters);
        out.end_object();
        out.finish()
    }
}
