//! The change that an amendment makes to a value that is already set.

/// The change that an amendment makes to a value that is already set.
///
/// On the wire a deletion is a text of its own, such as `0`. Setting a value with that text deletes it, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edit<T> {
    /// Keeps the value; nothing is sent.
    #[default]
    Keep,
    /// Replaces it.
    Set(T),
    /// Removes it.
    Delete,
}

impl<T> Edit<T> {
    /// The new value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Delete => None,
        }
    }

    /// Converts the new value, if there is one.
    pub fn map<U>(self, of: impl FnOnce(T) -> U) -> Edit<U> {
        match self {
            Self::Keep => Edit::Keep,
            Self::Set(value) => Edit::Set(of(value)),
            Self::Delete => Edit::Delete,
        }
    }
}

impl<T> From<T> for Edit<T> {
    fn from(value: T) -> Self {
        Self::Set(value)
    }
}

impl From<&str> for Edit<String> {
    fn from(value: &str) -> Self {
        Self::Set(value.to_owned())
    }
}
