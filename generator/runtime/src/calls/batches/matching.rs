//! Assigns results to items.
//!
//! Ids decide. A result without an id is matched by its place only if nothing contradicts that: a result that is
//! assigned to the wrong item is worse than a missing one.
//!
//! An item with a success flag is done only if it has no error code; a contradictory item is unaccounted, because a
//! success is not queried. Codes in an array of their own count only if there are as many of them as items.

use super::batch::{BatchAnswer, BatchShape, Failure, Ids, ItemResult, StatedResult};

/// The way a result was matched to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matched {
    /// By an id of the item.
    ById,
    /// By its place in the response, with nothing that contradicts it. To be certain, give every item an id.
    ByPlace,
}

/// The result of an item, and how it was matched.
#[derive(Debug)]
pub(super) struct MatchedResult<T> {
    pub(super) stated: StatedResult<T>,
    pub(super) how: Matched,
}

/// The result of every item that has one, and the results that belong to no item.
pub(super) struct Matching<T> {
    pub(super) items: Vec<Option<MatchedResult<T>>>,
    pub(super) unmatched: Vec<StatedResult<T>>,
}

/// Assigns results to items.
pub(super) fn assign<T>(items: &[Ids], answer: BatchAnswer<T>, shape: &BatchShape) -> Matching<T> {
    let BatchAnswer { results, bad, all_done, is_full } = answer;
    let by_id: Vec<Option<usize>> = named(items, &results);
    let alignment = Alignment {
        are_as_many: results.len() + bad.len() == items.len(),
        in_order: results.iter().zip(&by_id).all(|(stated, item)| item.is_none() || stated.place == *item),
        all_read: bad.is_empty(),
        all_done,
        is_full,
    };
    let targets = by_place(items, &results, &by_id, shape, &alignment);
    collect(items.len(), results, &targets)
}

impl<T> Matching<T> {
    /// Returns how many items have no result, not even one that may be theirs: a result without a conflicting id, or
    /// one of `unreadable` ones.
    pub(super) fn unmentioned(&self, items: &[Ids], unreadable: usize) -> usize {
        let without: Vec<&Ids> =
            items.iter().zip(&self.items).filter_map(|(ids, found)| found.is_none().then_some(ids)).collect();
        let may_be = |stated: &&StatedResult<T>| without.iter().any(|ids| !differ(Some(ids), Some(&stated.ids)));
        without.len().saturating_sub(self.unmatched.iter().filter(may_be).count() + unreadable)
    }
}

struct Alignment {
    are_as_many: bool,
    /// Every result that names an item is at the item's place.
    in_order: bool,
    all_read: bool,
    all_done: Option<bool>,
    /// The response has all that the documents say of a success.
    is_full: bool,
}

/// Returns the item that each result names.
fn named<T>(items: &[Ids], results: &[StatedResult<T>]) -> Vec<Option<usize>> {
    let mut taken = vec![false; items.len()];
    let mut find = |stated: &StatedResult<T>| {
        let candidates: Vec<usize> = (0..stated.ids.len()).flat_map(|kind| named_by(items, stated, kind)).collect();
        let free = candidates.iter().copied().find(|item| !taken[*item]);
        let item = free.or_else(|| candidates.first().copied())?;
        taken[item] = true;
        Some(item)
    };
    results.iter().map(&mut find).collect()
}

/// Returns the items with the same id of this kind, unless their ids of a kind with higher precedence differ. There are
/// several only in a request that was called directly, in which two items may share an id.
fn named_by<T>(items: &[Ids], stated: &StatedResult<T>, kind: usize) -> impl Iterator<Item = usize> {
    let id = stated.ids.get(kind).and_then(Option::as_deref);
    let is_it = move |ids: &Ids| {
        let own = ids.get(kind).and_then(Option::as_deref);
        own.is_some() && own == id && !differ(ids.get(..kind), stated.ids.get(..kind))
    };
    items.iter().enumerate().filter_map(move |(item, ids)| is_it(ids).then_some(item))
}

/// Returns whether the two have different ids of the same kind.
fn differ(one: Option<&[Option<String>]>, other: Option<&[Option<String>]>) -> bool {
    let pairs = one.unwrap_or_default().iter().zip(other.unwrap_or_default());
    pairs.into_iter().any(|(one, other)| one.is_some() && other.is_some() && one != other)
}

/// Returns the item of each result, including results that are matched by place.
fn by_place<T>(
    items: &[Ids],
    results: &[StatedResult<T>],
    by_id: &[Option<usize>],
    shape: &BatchShape,
    alignment: &Alignment,
) -> Vec<Option<(usize, Matched)>> {
    let mut targets: Vec<_> = by_id.iter().map(|item| item.map(|item| (item, Matched::ById))).collect();
    let left: Vec<usize> = (0..results.len()).filter(|result| by_id[*result].is_none()).collect();
    let free: Vec<usize> = (0..items.len()).filter(|item| !by_id.contains(&Some(*item))).collect();
    if !alignment.is_full || !alignment.are_as_many || left.is_empty() {
        return targets;
    }
    let fits = |result: usize, item: usize| !differ(Some(&results[result].ids), Some(&items[item]));
    let pairs: Option<Vec<(usize, usize)>> = if shape.by_place && alignment.in_order {
        left.iter().map(|result| Some((*result, results[*result].place.filter(|item| free.contains(item))?))).collect()
    } else {
        let alike = alignment.all_read && left.len() == free.len() && are_alike(&left, results, alignment);
        alike.then(|| left.iter().copied().zip(free.iter().copied()).collect())
    };
    let pairs = pairs.filter(|pairs| pairs.iter().all(|(result, item)| fits(*result, *item)));
    for (result, item) in pairs.unwrap_or_default() {
        targets[result] = Some((item, Matched::ByPlace));
    }
    targets
}

/// Returns whether all remaining results are equal, so that it does not matter which belongs to which item.
fn are_alike<T>(left: &[usize], results: &[StatedResult<T>], alignment: &Alignment) -> bool {
    let mut all = left.iter().map(|result| &results[*result].result);
    let Some(first) = all.next() else { return false };
    let any_failed = results.iter().any(|stated| !matches!(stated.result, ItemResult::Done(_)));
    let is_consistent = alignment.all_done.is_none_or(|all_done| all_done != any_failed);
    is_consistent && all.all(|other| is_same_result(first, other))
}

/// Collects the result of each item; an item with contradictory results gets none.
fn collect<T>(count: usize, results: Vec<StatedResult<T>>, targets: &[Option<(usize, Matched)>]) -> Matching<T> {
    let mut matching = Matching { items: (0..count).map(|_| None).collect(), unmatched: Vec::new() };
    let mut contradicted = vec![false; count];
    for (mut stated, target) in results.into_iter().zip(targets) {
        let Some((item, how)) = *target else {
            matching.unmatched.push(stated);
            continue;
        };
        if how == Matched::ById {
            stated.doubt_at(item);
        }
        match &matching.items[item] {
            None => matching.items[item] = Some(MatchedResult { stated, how }),
            Some(first) => contradicted[item] |= !agree(&first.stated, &stated),
        }
    }
    for (item, _) in contradicted.iter().enumerate().filter(|(_, contradicted)| **contradicted) {
        matching.items[item] = None;
    }
    matching
}

impl<T> StatedResult<T> {
    /// Takes nothing from a result that only names the item, without all of its ids, at the place of another item.
    fn doubt_at(&mut self, item: usize) {
        let is_elsewhere = self.place.is_some_and(|place| place != item);
        if self.is_tacit && is_elsewhere && self.ids.iter().any(Option::is_none) {
            self.result = ItemResult::Unclear(Failure { code: None, message: None });
        }
    }
}

fn agree<T>(one: &StatedResult<T>, other: &StatedResult<T>) -> bool {
    is_same_result(&one.result, &other.result) && !differ(Some(&one.ids), Some(&other.ids))
}

fn is_same_result<T>(one: &ItemResult<T>, other: &ItemResult<T>) -> bool {
    match (one, other) {
        (ItemResult::Done(_), ItemResult::Done(_)) | (ItemResult::Unclear(_), ItemResult::Unclear(_)) => true,
        (ItemResult::Failed(one), ItemResult::Failed(other)) => one.code == other.code,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::json::{BadItem, ReadError};

    const SHAPE: BatchShape = BatchShape { list: "", max_items: 9, ids: &["own", "theirs"], by_place: false };
    const IN_ORDER: BatchShape = BatchShape { by_place: true, ..SHAPE };

    fn ids(texts: [&str; 2]) -> Ids {
        texts.iter().map(|text| Some((*text).to_owned()).filter(|text| !text.is_empty())).collect()
    }

    fn failed(code: &str) -> ItemResult<()> {
        ItemResult::Failed(Failure { code: Some(code.to_owned()), message: None })
    }

    fn unreadable() -> BadItem {
        BadItem { index: 1, raw: "{".to_owned(), error: ReadError::new(1, "an end") }
    }

    /// Returns, for each item, the position of its result.
    fn matched(
        items: &[[&str; 2]],
        results: Vec<([&str; 2], ItemResult<()>)>,
        shape: &BatchShape,
        bad: Vec<BadItem>,
        all_done: Option<bool>,
    ) -> Vec<Option<usize>> {
        let items: Vec<Ids> = items.iter().map(|item| ids(*item)).collect();
        let results = results.into_iter().enumerate();
        let stated =
            |(place, (texts, result))| StatedResult { place: Some(place), ids: ids(texts), is_tacit: false, result };
        let answer = BatchAnswer { results: results.map(stated).collect(), bad, all_done, is_full: true };
        let matching = assign(&items, answer, shape);
        matching.items.iter().map(|found| found.as_ref().and_then(|found| found.stated.place)).collect()
    }

    #[test]
    fn two_results_that_fit_two_items_belong_to_one_each() {
        let results = || vec![(["a", "1"], ItemResult::Done(())), (["a", "1"], ItemResult::Done(()))];
        assert_eq!(matched(&[["a", ""], ["", "1"]], results(), &SHAPE, Vec::new(), None), [Some(0), Some(1)]);
    }

    #[test]
    fn remaining_results_are_assigned_only_if_as_many_items_lack_one() {
        let results = || {
            vec![(["a", ""], ItemResult::Done(())), (["a", ""], ItemResult::Done(())), (["", ""], ItemResult::Done(()))]
        };
        let items = [["a", ""], ["b", ""], ["c", ""]];
        assert_eq!(matched(&items, results(), &SHAPE, Vec::new(), None), [Some(0), None, None]);
        let results = || vec![(["", ""], ItemResult::Done(()))];
        let items = [["a", ""], ["b", ""]];
        assert_eq!(matched(&items, results(), &SHAPE, vec![unreadable()], None), [None, None]);
    }

    #[test]
    fn a_result_of_another_item_rules_out_matching_by_place() {
        let results = || vec![(["", ""], ItemResult::Done(())), (["z", ""], ItemResult::Done(()))];
        assert_eq!(matched(&[["x", ""], ["y", ""]], results(), &IN_ORDER, Vec::new(), None), [None, None]);
        let results = || vec![(["", ""], ItemResult::Done(())), (["", ""], ItemResult::Done(()))];
        assert_eq!(matched(&[["x", ""], ["y", ""]], results(), &IN_ORDER, Vec::new(), None), [Some(0), Some(1)]);
    }

    #[test]
    fn a_claim_that_all_succeeded_must_fit_the_results() {
        let results = || vec![(["a", ""], failed("1")), (["", ""], ItemResult::Done(()))];
        let items = [["a", ""], ["b", ""]];
        for (all_done, second) in [(Some(true), None), (Some(false), Some(1)), (None, Some(1))] {
            assert_eq!(matched(&items, results(), &SHAPE, Vec::new(), all_done), [Some(0), second], "{all_done:?}");
        }
    }

    #[test]
    fn results_without_ids_count_only_if_all_are_the_same() {
        let items = [["", ""]; 3];
        let three = |last: ItemResult<()>| vec![(["", ""], failed("1")), (["", ""], failed("1")), (["", ""], last)];
        let all = [Some(0), Some(1), Some(2)];
        assert_eq!(matched(&items, three(failed("1")), &SHAPE, Vec::new(), None), all);
        for other in [failed("2"), ItemResult::Done(())] {
            assert_eq!(matched(&items, three(other), &SHAPE, Vec::new(), None), [None; 3]);
        }
        let done = || vec![(["", ""], ItemResult::Done(())), (["", ""], ItemResult::Done(())), (["", ""], failed("1"))];
        assert_eq!(matched(&items, done(), &SHAPE, Vec::new(), None), [None; 3]);
    }
}
