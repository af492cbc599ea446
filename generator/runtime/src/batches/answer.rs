use crate::value::{BadItem, List};

/// What an answer says about the items of a batch, whichever way it says it. Emitted code fills it in.
#[derive(Debug)]
pub struct BatchAnswer<T> {
    pub(super) results: Vec<Said<T>>,
    pub(super) bad: Vec<BadItem>,
    /// Whether the answer says of itself that everything succeeded.
    pub(super) all_done: Option<bool>,
}

/// What an answer says about one item.
#[derive(Debug)]
pub(super) struct Said<T> {
    /// Its place in the answer; none where results stand in several lists.
    pub(super) place: Option<usize>,
    /// Its ids, in the order of [`BatchShape::ids`](super::BatchShape::ids).
    pub(super) ids: Vec<Option<String>>,
    pub(super) result: Told<T>,
}

/// What an answer says became of an item.
#[derive(Debug)]
pub(super) enum Told<T> {
    Done(T),
    Failed(Failure),
    /// It says neither: a message without a code, or no code and no id that would show whose success it is.
    Unclear(Failure),
}

/// What a failed item carries; neither is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) code: Option<String>,
    pub(super) message: Option<String>,
}

impl Failure {
    fn new((code, message): (Option<String>, Option<String>)) -> Self {
        let [code, message] = [code, message].map(|text| text.filter(|text| !text.is_empty()));
        Self { code, message }
    }
}

impl<T> Default for BatchAnswer<T> {
    fn default() -> Self {
        Self { results: Vec::new(), bad: Vec::new(), all_done: None }
    }
}

impl<T> BatchAnswer<T> {
    /// The items of a list succeeded.
    pub fn done<const N: usize>(&mut self, list: List<T>, ids: impl Fn(&T) -> [Option<String>; N]) {
        self.bad.extend(list.bad);
        self.results.extend(list.items.into_iter().map(|item| Said {
            place: None,
            ids: ids(&item).into(),
            result: Told::Done(item),
        }));
    }

    /// The items of a list failed, with a code and a message each.
    pub fn failed<R, const N: usize>(
        &mut self,
        list: List<R>,
        ids: impl Fn(&R) -> [Option<String>; N],
        why: impl Fn(&R) -> (Option<String>, Option<String>),
    ) {
        self.bad.extend(list.bad);
        self.results.extend(list.items.iter().map(|item| {
            let failure = Failure::new(why(item));
            Said { place: None, ids: ids(item).into(), result: Told::Failed(failure) }
        }));
    }

    /// An item of a list failed if it has a code that does not stand for success.
    pub fn by_code<const N: usize>(
        &mut self,
        list: List<T>,
        is_success: &dyn Fn(&str) -> bool,
        ids: impl Fn(&T) -> [Option<String>; N],
        why: impl Fn(&T) -> (Option<String>, Option<String>),
    ) {
        // Items that could not be read hold their places.
        let bad: Vec<usize> = list.bad.iter().map(|bad| bad.index).collect();
        let places = (0..).filter(|place| !bad.contains(place));
        self.results.extend(list.items.into_iter().zip(places).map(|(item, place)| {
            let failure = Failure::new(why(&item));
            let ids: Vec<_> = ids(&item).into();
            let is_named = ids.iter().any(Option::is_some);
            let result = match &failure {
                Failure { code: Some(code), .. } if is_success(code) => Told::Done(item),
                Failure { code: Some(_), .. } => Told::Failed(failure),
                Failure { code: None, message: None } if is_named => Told::Done(item),
                Failure { code: None, .. } => Told::Unclear(failure),
            };
            Said { place: Some(place), ids, result }
        }));
        self.bad.extend(list.bad);
    }

    /// Whether everything succeeded, as the answer itself says.
    pub fn all_done(&mut self, all: Option<bool>) {
        self.all_done = all;
    }
}
