use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::Response;

use super::limiter::{Limiter, Slot};
use super::signs::Signs;
use crate::tables::Api;

/// The leave to make one call by one's own means; see [`ClientCore::admit`](crate::ClientCore::admit).
///
/// It takes room until it is dropped. Once [`sent`](Self::sent) was called, the call counts, whatever becomes of it: from
/// its answer, or, if it has none, from when the permit is dropped. Without, the room is free again. A permit that is leaked
/// takes room for ever.
#[must_use = "it takes room until it is dropped"]
pub struct Permit<'a> {
    limiter: &'a dyn Limiter,
    api: &'static Api,
    slot: Option<Slot>,
    waited: Duration,
    sent: bool,
}

impl<'a> Permit<'a> {
    /// For a call that counts; without a slot, for one that does not.
    pub(super) fn new(limiter: &'a dyn Limiter, api: &'static Api, slot: Option<Slot>) -> Self {
        let waited = slot.as_ref().map(|slot| slot.waited).unwrap_or_default();
        Self { limiter, api, slot, waited, sent: false }
    }

    /// How long the call had to wait for it.
    pub fn waited(&self) -> Duration {
        self.waited
    }

    /// The call goes out now.
    pub fn sent(&mut self) {
        self.sent = true;
        if let Some(slot) = &mut self.slot {
            self.limiter.sent(slot);
        }
    }

    /// Tells the limiter what `response` says, and returns it. The status and the headers count even where the body
    /// cannot be read.
    pub fn answered(&mut self, response: &Response<Bytes>) -> Signs {
        self.answered_after(response, None)
    }

    /// The same, after a round trip of `trip` over a connection that had carried a response before.
    pub fn answered_after(&mut self, response: &Response<Bytes>, trip: Option<Duration>) -> Signs {
        let signs = Signs { trip, ..Signs::read(self.api, response) };
        if let Some(slot) = self.slot.take() {
            self.limiter.answered(slot, signs);
        }
        signs
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        match self.slot.take() {
            Some(slot) if self.sent => self.limiter.lost(slot),
            Some(slot) => self.limiter.give_back(slot),
            None => {}
        }
    }
}

impl fmt::Debug for Permit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("waited", &self.waited).field("sent", &self.sent).finish_non_exhaustive()
    }
}
