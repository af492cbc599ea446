//! The fates of the items of a batch.

use std::sync::Arc;

use super::confirmable::{Asked, ConfirmableItems};
use super::policy::ConfirmPolicy;
use super::question::{Question, cannot_be_asked};
use super::rounds::Open;
use super::verdict::{DidNotHappen, Fate, did_not_happen, happened, still_unknown};
use crate::batches::{BatchCall, ItemOutcome, ItemReport, Stray};
use crate::checks::Violations;
use crate::client::ClientCore;
use crate::error::Error;
use crate::tables::Outcome;
use crate::value::{BadItem, Timestamp};

/// What became of a batch, after asking. `T` is what is answered for an item that succeeded, `R` what tells of it later.
#[derive(Debug)]
#[non_exhaustive]
pub struct ItemFates<I, T, R> {
    /// Every item with what became of it, in the order they were given.
    pub items: Vec<ItemFate<I, T, R>>,
    /// Results that belong to no item.
    pub strays: Vec<Stray<T>>,
    /// Results that could not be read.
    pub bad: Vec<BadItem>,
    /// The number of calls that sent items.
    pub calls: usize,
    /// Rules that were broken without being refused for it.
    pub warnings: Violations,
}

/// An item, and what became of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ItemFate<I, T, R> {
    /// The item as it was given.
    pub item: I,
    /// What became of it.
    pub fate: Fate<T, R>,
}

impl<I, T, R> ItemFates<I, T, R> {
    /// What became of each item, in one word.
    pub fn outcomes(&self) -> impl Iterator<Item = Outcome> {
        self.items.iter().map(|item| item.fate.outcome())
    }
}

/// What became of the items of a batch of the operation `O`.
type FatesOf<O> = ItemFates<<O as crate::Batch>::Item, <O as crate::Batch>::Done, <O as Asked>::Record>;

/// What became of one of them.
type FateOf<O> = Fate<<O as crate::Batch>::Done, <O as Asked>::Record>;

impl<O: ConfirmableItems> BatchCall<O> {
    /// As [`send`](Self::send), and then asks for each item of which no answer told whether it succeeded, as
    /// [`ClientCore::place_and_confirm`] does. Items that carry nothing to ask by are not sent.
    ///
    /// # Errors
    ///
    /// When anything is forbidden in the batch as a whole; then nothing was sent.
    pub async fn send_and_confirm(self, policy: &ConfirmPolicy) -> Result<FatesOf<O>, Error> {
        let questions = distinct(Question::all(&self.request)).ok_or_else(cannot_be_asked::<O>)?;
        let client = self.client.clone();
        let report = self.send().await?;
        let (mut items, mut open, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (question, told) in questions.into_iter().zip(report.items) {
            let ItemReport { item, outcome, signed_at, left, .. } = told;
            let fate = told_fate::<O>(outcome);
            if let Fate::Unknown(still) = &fate {
                places.push(items.len());
                let signed_at = signed_at.unwrap_or_else(|| client.now());
                open.push(Open::new(question, signed_at, left, still.call.clone()));
            }
            items.push(ItemFate { item, fate });
        }
        for (place, fate) in places.into_iter().zip(client.ask(open, policy).await) {
            items[place].fate = fate;
        }
        let (strays, bad, calls, warnings) = (report.strays, report.bad, report.calls, report.warnings);
        Ok(ItemFates { items, strays, bad, calls, warnings })
    }
}

impl ClientCore {
    /// As [`settle`](Self::settle), for each item of a request: as many answers as there are items, in their order. An
    /// item without an id, and one that shares its id with another, stays unknown.
    pub async fn settle_each<O: ConfirmableItems>(
        &self,
        operation: &O,
        signed_at: Timestamp,
        policy: &ConfirmPolicy,
    ) -> Vec<FateOf<O>> {
        let questions = Question::all(operation);
        let keys: Vec<Option<String>> =
            questions.iter().map(|question| question.as_ref().map(|question| question.key().to_owned())).collect();
        let is_shared = |key: &str| keys.iter().flatten().filter(|other| *other == key).count() > 1;
        let mut fates: Vec<FateOf<O>> =
            keys.iter().map(|key| still_unknown(None, cannot_be_settled(key.as_deref()))).collect();
        let (mut open, mut places) = (Vec::new(), Vec::new());
        for (place, question) in questions.into_iter().enumerate() {
            let Some(question) = question.filter(|question| !is_shared(question.key())) else { continue };
            places.push(place);
            let left = self.left(question.key(), signed_at);
            open.push(Open::new(question, signed_at, left, None));
        }
        for (place, fate) in places.into_iter().zip(self.ask(open, policy).await) {
            fates[place] = fate;
        }
        fates
    }
}

/// The fate of an item as far as the answer tells.
fn told_fate<O: ConfirmableItems>(outcome: ItemOutcome<O::Done>) -> FateOf<O> {
    match outcome {
        ItemOutcome::Done(done) => happened(done),
        ItemOutcome::NotSent => Fate::DidNotHappen(Box::new(DidNotHappen { why: None, by_absence: false, asked: 0 })),
        ItemOutcome::Unaccounted => still_unknown(None, "the answer does not tell of it"),
        ItemOutcome::Failed(error) => by_error(Arc::new(Error::Exchange(error))),
        ItemOutcome::CallFailed(error) => by_error(error),
    }
}

fn by_error<T, R>(error: Arc<Error>) -> Fate<T, R> {
    match error.outcome() {
        Outcome::Unknown => still_unknown(Some(error), "the answer does not tell"),
        _ => did_not_happen(error),
    }
}

/// Why an item with this id is not asked for.
fn cannot_be_settled(key: Option<&str>) -> &'static str {
    match key {
        None => "the item carries nothing to ask by",
        Some(_) => "another item has the same id, so nothing that is found tells which of them it is",
    }
}

/// All questions, when each can be put and no two are the same.
fn distinct<O: Asked>(questions: Vec<Option<Question<O>>>) -> Option<Vec<Question<O>>> {
    let questions: Vec<_> = questions.into_iter().collect::<Option<_>>()?;
    let mut keys: Vec<_> = questions.iter().map(Question::key).collect();
    keys.sort_unstable();
    let count = keys.len();
    keys.dedup();
    (keys.len() == count).then_some(questions)
}
