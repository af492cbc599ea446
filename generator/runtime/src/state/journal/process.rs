//! The process that a journal belongs to: a forked one shares its files and connections, and must not use them.
//!
//! The journal refuses by itself, because it can be used without a client.

use std::process;

use crate::data::error::JournalError;

/// The process that opened a journal.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnProcess(u32);

impl OwnProcess {
    pub(super) fn new() -> Self {
        Self(process::id())
    }

    /// Returns whether this is another process, which was forked from the one that opened the journal.
    pub(super) fn is_forked(self) -> bool {
        self.0 != process::id()
    }

    /// Refuses to use the journal at `place` in a forked process.
    pub(super) fn refuse_in_child(self, place: &str) -> Result<(), JournalError> {
        match self.is_forked() {
            false => Ok(()),
            true => Err(JournalError::Forked { place: place.to_owned() }),
        }
    }

    /// As it is in a forked process.
    #[cfg(test)]
    pub(super) fn of_parent(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}
