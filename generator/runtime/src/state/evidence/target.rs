//! The things that a request creates or changes.

use super::proof::{Evidence, Sent, contradicts_nothing, evaluate};
use crate::data::json::Form;
use crate::data::operation::DynOperation;
use crate::data::parameters::Named;
use crate::data::tables::Confirm;
use crate::data::value::Timestamp;

/// One thing that a request was to create or change, and that has an id.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    confirm: &'static Confirm,
    /// The parameters of the request, those of the item first.
    named: Named,
    /// The field that identifies the thing: the field of its record, and its text.
    field: &'static str,
    key: String,
}

impl Target {
    /// The target of a request, or that of each of its items. `None` if it has no id.
    pub(crate) fn all(operation: &dyn DynOperation) -> Vec<Option<Self>> {
        let confirm = operation.meta().confirm.as_ref();
        confirm.map(|confirm| Self::all_in(confirm, Named::of(operation))).unwrap_or_default()
    }

    /// The same for a request with these parameters.
    pub(crate) fn all_in(confirm: &'static Confirm, named: Named) -> Vec<Option<Self>> {
        match confirm.list {
            None => vec![Self::of(confirm, named)],
            Some(list) => {
                let (items, shared) = (named.items(list), named.without(list));
                let mut targets = Vec::with_capacity(items.len());
                for item in items {
                    targets.push(Self::of(confirm, item.and(&shared)));
                }
                targets
            }
        }
    }

    fn of(confirm: &'static Confirm, named: Named) -> Option<Self> {
        let has_id = confirm.ids.is_empty() || confirm.ids.iter().any(|(_, own)| named.text(own).is_some());
        let id = confirm.fields().iter().find_map(|(field, own)| Some((*field, named.text(own)?.into_owned())));
        let (field, key) = id.filter(|_| has_id)?;
        Some(Self { confirm, named, field, key })
    }

    /// The table that it is confirmed by.
    pub(crate) fn confirm(&self) -> &'static Confirm {
        self.confirm
    }

    /// The parameters of the request.
    pub(crate) fn named(&self) -> &Named {
        &self.named
    }

    /// The field of its record that has its id.
    pub(crate) fn field(&self) -> &'static str {
        self.field
    }

    /// The time after which the exchange refuses the request, if it says so.
    pub(crate) fn expires(&self) -> Option<Timestamp> {
        let (parameter, read) = self.confirm.expires?;
        read(&self.named.text(parameter)?)
    }

    /// Returns the id.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Returns whether the request gives the id to something new.
    pub(crate) fn is_new(&self) -> bool {
        self.confirm.created.is_some()
    }

    /// Returns whether a record has its id.
    pub(crate) fn is_shown_by(&self, record: &Named) -> bool {
        record.text(self.field).as_deref() == Some(&self.key)
    }

    /// Returns whether the request may have made the last change that a record of it shows: nothing that it gives
    /// differs there.
    pub(crate) fn may_have_left(&self, record: &Named) -> bool {
        contradicts_nothing(self.confirm, &self.named, record)
    }

    /// Returns what a record of it proves. `has_rival` returns whether another request of the client is about the thing
    /// with an id.
    pub(crate) fn evaluate(
        &self,
        record: &Named,
        form: Form,
        sent: &Sent,
        has_rival: impl Fn(&str) -> bool,
    ) -> Evidence {
        // The other request may name the thing by its other id.
        let ids = || self.confirm.fields().iter().filter_map(|(field, _)| record.text(field));
        evaluate(self.confirm, &self.named, (record, form), sent, || ids().any(|id| has_rival(&id)))
    }
}
