//! What a successful answer tells of the items of its request.

use super::confirmable::ConfirmableItems;
use super::verdict::Fate;
use crate::error::{Code, Error, ExchangeError};
use crate::exchange::Reply;
use crate::json::write_json;
use crate::parameters::Named;
use crate::tables::{Api, Ending, ItemResults, Meta, Outcome};

/// What became of a request of several items.
#[derive(Debug)]
#[non_exhaustive]
pub struct ItemFates<A, R> {
    /// The answer to the request itself, where there was one.
    pub reply: Option<Reply<A>>,
    /// What became of each item, in their order.
    pub fates: Vec<Fate<A, R>>,
}

/// What the answer tells of each item, by the caller's own ids; an error where it failed.
pub(super) fn told<'k, O: ConfirmableItems>(
    api: &Api,
    reply: &Reply<O::Response>,
    keys: impl Iterator<Item = &'k str>,
) -> Vec<(Outcome, Option<Error>)> {
    let json = write_json(&reply.data);
    let data = if json.starts_with('[') { Named::read(&format!("{{\"[]\":{json}}}")) } else { Named::read(&json) };
    let teller = Teller { api, meta: O::META, results: O::META.items, data };
    keys.map(|key| teller.of_item(key, reply)).collect()
}

struct Teller<'a> {
    api: &'a Api,
    meta: &'static Meta,
    results: Option<ItemResults>,
    data: Named,
}

impl Teller<'_> {
    fn of_item<A>(&self, key: &str, reply: &Reply<A>) -> (Outcome, Option<Error>) {
        let Some(results) = &self.results else { return self.unaccounted() };
        let find = |list: &str| {
            let mut items = self.data.items(list).into_iter();
            items.find(|item| item.text(results.client_id).as_deref() == Some(key))
        };
        let failed = results.failed.and_then(find);
        let Some(item) = failed.clone().or_else(|| find(results.list)) else { return self.unaccounted() };
        let code = results.code.and_then(|code| item.text(code));
        let success = self.api.envelope.as_ref().map(|envelope| envelope.success);
        let ending = match &code {
            None if failed.is_some() => Ending::ItemFailed,
            None => Ending::Success,
            Some(code) if Some(code.as_str()) == success => Ending::Success,
            Some(code) => match self.meta.error(code) {
                Some(known) if known.success => Ending::Success,
                Some(_) => Ending::ListedCode,
                None => Ending::UnlistedCode,
            },
        };
        let known = code.as_deref().and_then(|code| self.meta.error(code));
        let outcome = self.api.outcome(ending, known);
        let error = (ending != Ending::Success).then(|| {
            Error::Exchange(Box::new(ExchangeError {
                operation: self.meta.id,
                effect: self.meta.effect,
                outcome,
                ending,
                code: Code::new(code.as_deref().unwrap_or_default()),
                message: results.message.and_then(|message| item.text(message)).unwrap_or_default(),
                status: reply.status,
                request_time: reply.request_time,
                known,
                retry_after: None,
                raw: reply.raw.clone(),
                waited: reply.waited,
            }))
        });
        (outcome, error)
    }

    fn unaccounted(&self) -> (Outcome, Option<Error>) {
        (self.api.outcome(Ending::ItemUnaccounted, None), None)
    }
}
