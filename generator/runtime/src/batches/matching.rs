//! Which result belongs to which item.
//!
//! Ids decide. What has no id is told by its place only where nothing speaks against it: a result that is given to the wrong
//! item is worse than none.

use super::answer::{BatchAnswer, Said, Told};
use super::batch::BatchShape;
use super::outcome::Matched;

/// The ids of an item or a result, in the order of [`BatchShape::ids`].
pub(super) type Ids = Vec<Option<String>>;

/// What an item was found to have as its result.
#[derive(Debug)]
pub(super) struct Found<T> {
    pub(super) said: Said<T>,
    pub(super) how: Matched,
}

/// What every item has for its result, if anything, and the results that nobody has.
pub(super) struct Matching<T> {
    pub(super) items: Vec<Option<Found<T>>>,
    pub(super) strays: Vec<Said<T>>,
}

/// Gives every item its result.
pub(super) fn assign<T>(items: &[Ids], answer: BatchAnswer<T>, shape: &BatchShape) -> Matching<T> {
    let BatchAnswer { results, bad, all_done } = answer;
    let by_id: Vec<Option<usize>> = named(items, &results);
    let evidence = Evidence {
        are_as_many: results.len() + bad.len() == items.len(),
        in_order: results.iter().zip(&by_id).all(|(said, item)| item.is_none() || said.place == *item),
        all_read: bad.is_empty(),
        all_done,
    };
    let targets = by_place(items, &results, &by_id, shape, &evidence);
    collect(items.len(), results, &targets)
}

struct Evidence {
    are_as_many: bool,
    /// Every result that names an item stands where the item stood.
    in_order: bool,
    all_read: bool,
    all_done: Option<bool>,
}

/// The item that each result names.
fn named<T>(items: &[Ids], results: &[Said<T>]) -> Vec<Option<usize>> {
    let mut taken = vec![false; items.len()];
    let mut find = |said: &Said<T>| {
        let candidates: Vec<usize> = (0..said.ids.len()).filter_map(|kind| named_by(items, said, kind)).collect();
        let free = candidates.iter().copied().find(|item| !taken[*item]);
        let item = free.or_else(|| candidates.first().copied())?;
        taken[item] = true;
        Some(item)
    };
    results.iter().map(&mut find).collect()
}

/// The item that has the same id of one kind, and no other one of a kind that wins over it.
fn named_by<T>(items: &[Ids], said: &Said<T>, kind: usize) -> Option<usize> {
    let id = said.ids.get(kind)?.as_deref()?;
    let is_it = |ids: &Ids| {
        ids.get(kind).and_then(Option::as_deref) == Some(id) && !differ(ids.get(..kind), said.ids.get(..kind))
    };
    items.iter().position(is_it)
}

/// Whether both have an id of the same kind, and not the same.
fn differ(one: Option<&[Option<String>]>, other: Option<&[Option<String>]>) -> bool {
    let pairs = one.unwrap_or_default().iter().zip(other.unwrap_or_default());
    pairs.into_iter().any(|(one, other)| one.is_some() && other.is_some() && one != other)
}

/// The item of each result, those found by place among them.
fn by_place<T>(
    items: &[Ids],
    results: &[Said<T>],
    by_id: &[Option<usize>],
    shape: &BatchShape,
    evidence: &Evidence,
) -> Vec<Option<(usize, Matched)>> {
    let mut targets: Vec<_> = by_id.iter().map(|item| item.map(|item| (item, Matched::ById))).collect();
    let left: Vec<usize> = (0..results.len()).filter(|result| by_id[*result].is_none()).collect();
    let free: Vec<usize> = (0..items.len()).filter(|item| !by_id.contains(&Some(*item))).collect();
    if !evidence.are_as_many || left.is_empty() {
        return targets;
    }
    let fits = |result: usize, item: usize| !differ(Some(&results[result].ids), Some(&items[item]));
    let pairs: Option<Vec<(usize, usize)>> = if shape.by_place && evidence.in_order {
        left.iter().map(|result| Some((*result, results[*result].place.filter(|item| free.contains(item))?))).collect()
    } else {
        let alike = evidence.all_read && left.len() == free.len() && are_alike(&left, results, evidence);
        alike.then(|| left.iter().copied().zip(free.iter().copied()).collect())
    };
    let pairs = pairs.filter(|pairs| pairs.iter().all(|(result, item)| fits(*result, *item)));
    for (result, item) in pairs.unwrap_or_default() {
        targets[result] = Some((item, Matched::ByPlace));
    }
    targets
}

/// Whether the same became of all that is left, so that it does not matter whose result is whose.
fn are_alike<T>(left: &[usize], results: &[Said<T>], evidence: &Evidence) -> bool {
    let mut all = left.iter().map(|result| &results[*result].result);
    let Some(first) = all.next() else { return false };
    let any_failed = results.iter().any(|said| !matches!(said.result, Told::Done(_)));
    let is_consistent = evidence.all_done.is_none_or(|all_done| all_done != any_failed);
    is_consistent && all.all(|other| is_same_result(first, other))
}

/// An item about which several results say different things has none.
fn collect<T>(count: usize, results: Vec<Said<T>>, targets: &[Option<(usize, Matched)>]) -> Matching<T> {
    let mut matching = Matching { items: (0..count).map(|_| None).collect(), strays: Vec::new() };
    let mut contradicted = vec![false; count];
    for (said, target) in results.into_iter().zip(targets) {
        let Some((item, how)) = *target else {
            matching.strays.push(said);
            continue;
        };
        match &matching.items[item] {
            None => matching.items[item] = Some(Found { said, how }),
            Some(first) => contradicted[item] |= !says_the_same(&first.said, &said),
        }
    }
    for (item, _) in contradicted.iter().enumerate().filter(|(_, contradicted)| **contradicted) {
        matching.items[item] = None;
    }
    matching
}

fn says_the_same<T>(one: &Said<T>, other: &Said<T>) -> bool {
    is_same_result(&one.result, &other.result) && !differ(Some(&one.ids), Some(&other.ids))
}

fn is_same_result<T>(one: &Told<T>, other: &Told<T>) -> bool {
    match (one, other) {
        (Told::Done(_), Told::Done(_)) | (Told::Unclear(_), Told::Unclear(_)) => true,
        (Told::Failed(one), Told::Failed(other)) => one.code == other.code,
        _ => false,
    }
}
