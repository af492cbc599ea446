//! Records of any type.

use std::any::Any;
use std::fmt;

use crate::data::json::{Decode, Encode, Form, write_json};
use crate::data::parameters::Named;

/// A record of any type, as a query returned it.
pub struct AnyRecord {
    record: Box<dyn Any + Send>,
    fields: Named,
    form: Form,
}

impl AnyRecord {
    pub(super) fn new<R: Decode + Encode + Send + 'static>(record: R) -> Self {
        let fields = Named::of_record(write_json(&record), R::FORM);
        Self { record: Box::new(record), fields, form: R::FORM }
    }

    /// Returns the fields.
    pub(super) fn fields(&self) -> &Named {
        &self.fields
    }

    /// Returns how it is written in JSON.
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// The record, if it has this type.
    pub(super) fn get<R: 'static>(&self) -> Option<&R> {
        self.record.downcast_ref()
    }

    /// The record, if it has this type.
    pub(super) fn into<R: 'static>(self) -> Option<R> {
        self.record.downcast().ok().map(|record| *record)
    }
}

impl fmt::Debug for AnyRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyRecord").field("fields", &self.fields).finish_non_exhaustive()
    }
}
