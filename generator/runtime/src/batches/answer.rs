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
    pub(super) result: Result<T, Failure>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) code: Option<String>,
    pub(super) message: Option<String>,
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
            result: Ok(item),
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
            let (code, message) = why(item);
            Said { place: None, ids: ids(item).into(), result: Err(Failure { code, message }) }
        }));
    }

    /// An item of a list failed if it has a code that is not `success`.
    pub fn by_code<const N: usize>(
        &mut self,
        list: List<T>,
        success: Option<&str>,
        ids: impl Fn(&T) -> [Option<String>; N],
        why: impl Fn(&T) -> (Option<String>, Option<String>),
    ) {
        // Items that could not be read hold their places.
        let bad: Vec<usize> = list.bad.iter().map(|bad| bad.index).collect();
        let places = (0..).filter(|place| !bad.contains(place));
        self.results.extend(list.items.into_iter().zip(places).map(|(item, place)| {
            let (code, message) = why(&item);
            let ids = ids(&item).into();
            let failed = code.as_deref().is_some_and(|code| Some(code) != success);
            let result = if failed { Err(Failure { code, message }) } else { Ok(item) };
            Said { place: Some(place), ids, result }
        }));
        self.bad.extend(list.bad);
    }

    /// Whether everything succeeded, as the answer itself says.
    pub fn all_done(&mut self, all: Option<bool>) {
        self.all_done = all;
    }
}
