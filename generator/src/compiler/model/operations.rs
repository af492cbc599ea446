//! The operations of a family, and questions about all of them.

use std::ops::Deref;

use super::{Batch, Operation, Response};

/// The operations of a family.
#[derive(Clone, Debug)]
pub(crate) struct Operations(pub(crate) Vec<Operation>);

impl Operations {
    /// The operation with this name.
    pub(crate) fn named(&self, name: &str) -> Option<&Operation> {
        self.0.iter().find(|operation| operation.name == name)
    }

    /// The name of each operation with the id of each of its rules.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().flat_map(|operation| {
            let ids = operation.statements.rules.iter().map(|rule| rule.id.as_str());
            ids.map(|id| (operation.name.as_str(), id))
        })
    }

    /// Returns whether an operation confirms its effect by a query of the operation with this name.
    pub(crate) fn is_queried(&self, name: &str) -> bool {
        let confirms = self.0.iter().filter_map(|operation| operation.confirm.as_ref());
        confirms.flat_map(|confirm| std::iter::once(&confirm.by).chain(&confirm.then)).any(|(query, _)| query == name)
    }

    /// The answers of batches, and how they state the results.
    pub(crate) fn batches(&self) -> impl Iterator<Item = (&Response, &Batch)> {
        self.0.iter().filter_map(|operation| Some((&operation.response, operation.batch.as_ref()?)))
    }

    /// Where answers state why an item of a request failed: the record of the answer, its member with failed items
    /// unless the answer itself lists them, and the member with the code.
    pub(crate) fn item_codes(&self) -> impl Iterator<Item = (usize, Option<&str>, &str)> {
        self.batches().filter_map(|(response, batch)| {
            let (record, list) = match *response {
                Response::Array { record, .. } => (record, None),
                Response::Object { record } => (record, Some(batch.failed.as_ref()?.0.as_str())),
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
