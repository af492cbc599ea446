use super::answer::BatchAnswer;
use crate::operation::Operation;
use crate::parameters::Parameters;

/// A request with a list of items, each of which succeeds or fails by itself. Emitted where the schema says so.
pub trait Batch: Operation + Clone {
    /// One of the things asked for.
    type Item: Parameters;

    /// What is answered for an item that succeeded.
    type Done;

    /// What the documents say about it.
    const SHAPE: &'static BatchShape;

    /// Takes the items out.
    fn take_items(&mut self) -> Vec<Self::Item>;

    /// Puts items in the place of those that are there.
    fn set_items(&mut self, items: Vec<Self::Item>);

    /// What an answer says about each item; a code stands for success or does not.
    fn answer(response: Self::Response, is_success: &dyn Fn(&str) -> bool) -> BatchAnswer<Self::Done>;
}

/// What is known about a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchShape {
    /// The parameter that holds the items; empty where they are the whole body.
    pub list: &'static str,
    /// The most items of one call.
    pub max_items: usize,
    /// The names by which an item and its result are told, the one that wins first.
    pub ids: &'static [&'static str],
    /// Whether results come in the order of the items.
    pub by_place: bool,
}
