//! The changes that a client has waiting, under way or without an answer.

use std::sync::Arc;
use std::time::Duration;

use super::core::ClientCore;
use super::departures::{Departed, Departure, Door, Outstanding, Purpose, Ticket, UnderWay};
use super::weighing::SETTLING;
use crate::data::clock::Moment;
use crate::data::error::{Error, Unsigned};
use crate::data::parameters::Named;
use crate::data::tables::{Effect, Meta};
use crate::data::value::Timestamp;
use crate::state::evidence::CLOCK_ERROR;
use crate::state::journal::ChangeNumber;

impl ClientCore {
    /// The changes of this client, and of others in this process with the same key and address, that may still be
    /// carried out: those that wait for a rate limit, those that are under way, and those that got no answer.
    ///
    /// Changes of other processes are not known here; those of earlier runs are in the journal.
    pub fn under_way(&self) -> Vec<UnderWay> {
        let (now, outstanding) = (self.moment(), self.outstanding());
        let mut all = Vec::new();
        for operation in outstanding.waiting {
            all.push(UnderWay::waiting(operation));
        }
        for left in outstanding.unanswered {
            let shown = self.shown(left);
            let is_over = self.carried_out_within(left.at).is_some_and(|longest| now.steady_since(left.at) > longest);
            if !is_over {
                all.push(shown);
            }
        }
        all
    }

    /// A change that left, as users see it.
    pub(crate) fn shown(&self, Departure { operation, at, .. }: Departure) -> UnderWay {
        let until = self.carried_out_within(at).map(|longest| at.wall() + longest);
        UnderWay { operation, left: Some(at.wall()), until }
    }

    /// Returns what may still have an effect.
    pub(crate) fn outstanding(&self) -> Outstanding {
        self.parts.departures.outstanding()
    }

    /// Returns how long after it left a request may be carried out; `None` if its signature does not expire.
    pub(crate) fn carried_out_within(&self, left: Moment) -> Option<Duration> {
        let window = self.signature_window(&Named::default())?;
        let uncertainty = self.signature_uncertainty(window, left.wall(), None);
        Some([uncertainty, CLOCK_ERROR, SETTLING].into_iter().fold(window, Duration::saturating_add))
    }

    /// Notes that a change has arrived, and found nothing to do, although its code alone does not prove that.
    pub(crate) async fn has_arrived(&self, error: &Error) {
        let Error::Unknown(unknown) = error else { return };
        self.parts.departures.forget(unknown.sent.left);
        let change = unknown.change.map(ChangeNumber);
        self.close_attempts(change.as_slice()).await;
    }

    /// Keeps this client and others with its key from placing and amending, until the door is dropped. What waits for a
    /// rate limit is not sent. [`for_flattening`](Self::for_flattening) returns a client that is not kept from it.
    pub(crate) fn close_door(&self) -> Door {
        self.parts.departures.close()
    }

    /// Returns a client whose changes are sent while the account is made flat.
    pub(crate) fn for_flattening(&self) -> Self {
        self.with_purpose(Arc::new(Purpose::new(true)))
    }

    /// Returns a client for one change, and what shows whether it has left. It shares everything else with this one.
    pub fn noting(&self) -> (Self, Departed) {
        let passes = self.purpose.as_ref().is_some_and(|purpose| purpose.passes);
        let purpose = Arc::new(Purpose::new(passes));
        (self.with_purpose(Arc::clone(&purpose)), Departed(purpose))
    }

    /// Begins a change, or a pause before it is repeated. A read has no ticket.
    pub(crate) fn begin_change(&self, meta: &'static Meta) -> Result<Option<Ticket<'_>>, Error> {
        if meta.effect == Effect::Read {
            return Ok(None);
        }
        let passes = self.purpose.as_ref().is_some_and(|purpose| purpose.passes);
        let ticket = self.parts.departures.begin(meta, passes);
        ticket.map(Some).ok_or_else(|| refused_by_door(meta))
    }

    /// Refuses a change that began to wait before the account was made flat.
    pub(crate) fn may_leave(&self, ticket: Option<&Ticket<'_>>, meta: &'static Meta) -> Result<(), Error> {
        match ticket {
            Some(ticket) if !ticket.may_leave() => Err(refused_by_door(meta)),
            Some(_) | None => Ok(()),
        }
    }

    /// Notes that a change leaves now, unless it is not to be sent any more.
    pub(super) fn leave(
        &self,
        ticket: Option<&Ticket<'_>>,
        meta: &'static Meta,
        (signed_at, now): (Timestamp, Moment),
    ) -> Result<(), Error> {
        let Some(ticket) = ticket else { return Ok(()) };
        if !ticket.leaves(now) {
            return Err(refused_by_door(meta));
        }
        if let Some(purpose) = &self.purpose {
            purpose.leaves(signed_at, now);
        }
        Ok(())
    }
}

/// The error of a change that is not sent because the account is made flat.
fn refused_by_door(meta: &Meta) -> Error {
    let why = "everything of the account is being cancelled and closed; nothing is placed until that ends";
    Error::Unsigned(Box::new(Unsigned { operation: meta.id, why, skew: None, waited: Duration::ZERO }))
}
