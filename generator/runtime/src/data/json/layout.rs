//! The order in which the members of similar objects came.

/// The maximum number of unknown members to remember, which bounds the memory for hostile responses.
const MAX_UNKNOWN: usize = 64;

/// The usual maximum of unknown members in the objects of a list.
const USUAL_UNKNOWN: usize = 8;

/// The members that objects with these fields had so far, in the order in which they came.
///
/// One program writes all objects of a list, so the member that was at a place the last time is probably there again.
/// Checking that takes less time than reading a name and searching for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout<'a> {
    fields: &'static [&'static str],
    members: Vec<Seen<'a>>,
}

/// A member that came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    /// The name as it is in the text, from the opening quote to the colon.
    pub(super) name: &'a [u8],
    /// Which of the fields it is, if any.
    pub(super) field: Option<usize>,
}

impl<'a> Layout<'a> {
    /// A layout without members yet.
    pub(super) fn of(fields: &'static [&'static str]) -> Self {
        Self { fields, members: Vec::new() }
    }

    pub(super) fn is_of(&self, fields: &'static [&'static str]) -> bool {
        std::ptr::eq(self.fields, fields)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The member that came at `place`.
    #[inline]
    pub(super) fn at(&self, place: usize) -> Option<Seen<'a>> {
        self.members.get(place).copied()
    }

    /// The field with this name. The search begins at `expected` and wraps around.
    pub(super) fn field(&self, name: &str, expected: usize) -> Option<usize> {
        let (before, after) = self.fields.split_at_checked(expected).unwrap_or((self.fields, &[]));
        let behind = after.iter().position(|field| *field == name).map(|place| place + before.len());
        behind.or_else(|| before.iter().position(|field| *field == name))
    }

    /// Remembers a member that came at `place` of the current object. Returns the place of the next member.
    pub(super) fn learn(&mut self, seen: Seen<'a>, place: usize) -> usize {
        let is_same = |other: &Seen<'_>| other.name == seen.name || seen.field.is_some() && other.field == seen.field;
        if let Some(known) = self.members.iter().position(is_same) {
            // A field has one place, however its name is spelled.
            self.members[known] = seen;
            return known + 1;
        }
        if self.members.len() == self.fields.len() + MAX_UNKNOWN {
            return place;
        }
        if self.members.is_empty() {
            self.members.reserve(self.fields.len() + USUAL_UNKNOWN);
        }
        self.members.insert(place, seen);
        place + 1
    }
}
