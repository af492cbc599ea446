//! Members of records that nobody declared.

use std::fmt;

use super::any::Json;
use super::error::ReadError;
use super::reader::Reader;

/// The memory of a member besides its texts: its place in a list that may be half empty, and two allocations.
const SHARE: usize = 2 * (size_of::<(String, Json)>() + 16);

/// The members of a record that the schema does not declare, as they came. Empty unless the client
/// [keeps](crate::ClientBuilder::keep_unknown) them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct UnknownMembers(
    /// A single word while there are none: every record has one.
    Option<Box<Kept>>,
);

#[derive(Clone, Default, PartialEq, Eq)]
struct Kept {
    members: Vec<(String, Json)>,
}

impl UnknownMembers {
    /// The names and values, in the order in which they came. A field of a record that travels as an array has its place
    /// as its name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().flat_map(|kept| &kept.members).map(|(name, value)| (name.as_str(), value))
    }

    /// The value of the first member with this name.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn push(&mut self, name: String, value: Json) {
        self.0.get_or_insert_default().members.push((name, value));
    }
}

impl Reader<'_> {
    /// Passes over the value of an unknown member, which is kept in `members` if the reader keeps any.
    ///
    /// # Errors
    ///
    /// Fails if the value is not JSON, or if what is kept takes too much memory.
    #[doc(hidden)]
    pub fn pass_unknown(&mut self, members: &mut UnknownMembers) -> Result<(), ReadError> {
        let Some(name) = self.unknown_name().map(str::to_owned) else { return self.skip() };
        let value = self.raw_value()?;
        self.take_room(SHARE + name.len() + value.len())?;
        members.push(name, Json::of_passed(value));
        Ok(())
    }
}

impl fmt::Debug for UnknownMembers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
