//! The outcomes of the items in a response, for a journal: what a report of the batch shows, without its types.

use super::batch::{BatchAnswer, ItemResult, ListsResults, SentItems, StatedResult};
use super::matching;
use crate::data::operation::{ItemJudge, ItemOutcome, ItemOutcomes};
use crate::data::parameters::Named;
use crate::data::tables::{CallResult, Meta, Outcome};
use crate::network::wire::is_compound_with;

/// The outcomes of the items of a request, or those that the response to a request without items lists.
pub fn item_outcomes<O: ListsResults<Response: Clone>>(
    request: &O,
    response: &O::Response,
    judge: &ItemJudge<'_>,
) -> ItemOutcomes {
    let answer = O::answer(response.clone(), judge.is_success).without_data();
    let mut answer = BatchAnswer { is_full: judge.is_full, ..answer };
    if let Some(apart) = &O::APART {
        answer.with_codes(apart, judge.raw, judge.is_success);
    }
    let depends = O::META.compound.is_some_and(|compound| compound.when.is_some());
    match request.sent() {
        None => unlisted(O::META, answer, depends, judge),
        Some(sent) => {
            let items = if depends { items(&Named::of(request), &sent) } else { Vec::new() };
            listed(O::META, answer, &sent, &items, judge)
        }
    }
}

fn items(request: &Named, sent: &SentItems) -> Vec<Named> {
    request.items(if sent.shape.list.is_empty() { "[]" } else { sent.shape.list })
}

/// The outcome of each item of a request. One that the response does not mention, or contradicts itself about, is
/// unknown.
fn listed(
    meta: &Meta,
    answer: BatchAnswer<()>,
    sent: &SentItems,
    items: &[Named],
    judge: &ItemJudge<'_>,
) -> ItemOutcomes {
    let matching = matching::assign(&sent.ids, answer, sent.shape);
    let mut outcomes = Vec::with_capacity(sent.ids.len());
    for (place, found) in matching.items.into_iter().enumerate() {
        let is_compound = items.get(place).is_some_and(|item| is_compound_with(meta, item));
        outcomes.push(match found {
            Some(found) => outcome(meta, found.stated, is_compound, judge),
            None => ItemOutcome { outcome: Outcome::Unknown, code: None },
        });
    }
    ItemOutcomes { items: outcomes, are_of_request: true }
}

/// The outcomes that a response lists. One that cannot be read, or a failure that is claimed and not shown, is unknown.
fn unlisted(meta: &Meta, answer: BatchAnswer<()>, may_be_compound: bool, judge: &ItemJudge<'_>) -> ItemOutcomes {
    let unknown = ItemOutcome { outcome: Outcome::Unknown, code: None };
    let mut items = vec![unknown.clone(); answer.bad.len()];
    let claims_failure = answer.all_done == Some(false);
    for stated in answer.results {
        items.push(outcome(meta, stated, may_be_compound, judge));
    }
    if claims_failure && items.iter().all(|item| item.outcome == Outcome::Done) {
        items.push(unknown);
    }
    ItemOutcomes { items, are_of_request: false }
}

fn outcome(meta: &Meta, stated: StatedResult<()>, is_compound: bool, judge: &ItemJudge<'_>) -> ItemOutcome {
    match stated.result {
        ItemResult::Done(()) => ItemOutcome { outcome: Outcome::Done, code: None },
        ItemResult::Unclear(_) => ItemOutcome { outcome: Outcome::Unknown, code: None },
        ItemResult::Failed(failure) => {
            let outcome = match &failure.code {
                Some(code) => (judge.outcome_of)(code, is_compound),
                None if is_compound => Outcome::Unknown,
                None => judge.api.outcome_of(meta.effect, CallResult::ItemFailed, Outcome::NotDone),
            };
            ItemOutcome { outcome, code: failure.code }
        }
    }
}

impl<T> BatchAnswer<T> {
    /// The same results without the data of those that succeeded.
    fn without_data(self) -> BatchAnswer<()> {
        let results = self.results.into_iter().map(|StatedResult { place, ids, is_tacit, result }| {
            let result = match result {
                ItemResult::Done(_) => ItemResult::Done(()),
                ItemResult::Failed(failure) => ItemResult::Failed(failure),
                ItemResult::Unclear(failure) => ItemResult::Unclear(failure),
            };
            StatedResult { place, ids, is_tacit, result }
        });
        BatchAnswer { results: results.collect(), bad: self.bad, all_done: self.all_done, is_full: self.is_full }
    }
}
