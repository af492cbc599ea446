//! The path to a value within a response.

/// The path to a value within a response.
pub type Path = &'static [Step];

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the member of an object.
    Member(&'static str),
    /// To the item of an array, counted from 0.
    Item(usize),
}
