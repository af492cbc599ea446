//! Weighs what a record proves about requests of this client, and remembers the ids of records that answers showed.

use std::collections::{HashSet, VecDeque};
use std::hash::Hasher;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustc_hash::{FxBuildHasher, FxHasher};
use tradeapi_words::Assumptions;

use super::core::ClientCore;
use super::recent::Meant;
use crate::data::clock::Moment;
use crate::data::json::Form;
use crate::data::lifecycle::OrderShown;
use crate::data::operation::{DynOperation, DynResponse};
use crate::data::parameters::Named;
use crate::data::tables::Meta;
use crate::data::value::Timestamp;
use crate::state::evidence::{
    Attempts, Awaited, CallEnd, Case, Departure, OutsideRecord, QueryTimes, Seen, Sent, Target, Verdict,
};
use crate::state::journal::SigningTimes;

impl ClientCore {
    /// Returns the assumptions that [`assume`](crate::ClientBuilder::assume) set, or the default ones.
    pub fn assumptions(&self) -> &Assumptions {
        &self.parts.assumptions
    }

    /// Returns the requests that wait for records, and the records from outside.
    pub(crate) fn awaited(&self) -> &Awaited {
        &self.parts.awaited
    }

    /// Notes that an answer showed a record with `id`.
    pub(crate) fn note_shown(&self, family: &str, id: &str) {
        self.parts.shown.note(family, id);
    }

    /// Notes the records in an answer to any call: they refute an absence that a later query reports.
    pub(super) fn note_records(&self, meta: &Meta, data: &dyn DynResponse) {
        data.show_orders(&mut |order| self.note_order(meta.family, order));
    }

    /// Notes the ids of an order whose record is shown.
    pub(crate) fn note_order(&self, family: &str, order: OrderShown<'_>) {
        order.id.iter().chain(&order.client_id).for_each(|id| self.note_shown(family, id));
    }

    /// Returns whether an answer showed a record with `id`.
    pub(crate) fn was_shown(&self, family: &str, id: &str) -> bool {
        self.parts.shown.contains(family, id)
    }

    /// Returns when the request about `target` was sent, as far as known.
    fn sent(&self, target: &Target, signed: SigningTimes, left: Option<Moment>, assumptions: &Assumptions) -> Sent {
        let signed_at = signed.signed_at;
        let there = left.and_then(|left| self.exchange_time(left));
        let window = accepted_within(self.signature_window(target.named()), target.expires(), signed_at, there);
        let attempts = self.parts.recent.attempts(target.key(), signed_at).map(|attempted| {
            let (signed_at, left) = attempted.first;
            Attempts { first: (signed_at, left.and_then(|left| self.exchange_time(left))), last: attempted.last }
        });
        let departure = self.departure(target, signed, left);
        Sent { signed_at, window, assumptions: *assumptions, left: there, departure, attempts }
    }

    /// Returns when the first attempt of the request about `target` was sent, by every clock that shows it. The clock
    /// of this machine counts as it was when the request left or, if this client did not send it, as a journal has it.
    /// Then nothing is known of the exchange's clock at that time.
    pub(crate) fn departure(&self, target: &Target, signed: SigningTimes, left: Option<Moment>) -> Departure {
        let attempted = self.parts.recent.attempts(target.key(), signed.signed_at);
        let (first, left) = attempted.map_or((signed, left), |attempted| (attempted.first.0.into(), attempted.first.1));
        let at = SigningTimes { made_at: left.map(Moment::wall).or(first.made_at), ..first };
        let earlier = match left.map(|left| self.exchange_time(left)) {
            None => Duration::MAX,
            Some(None) => Duration::ZERO,
            Some(Some((earliest, _))) => (at.earliest() - earliest).saturating_add(self.assumptions().clock_distance),
        };
        let attempted_for = attempted.map_or(Duration::ZERO, |attempted| attempted.last - first.signed_at);
        Departure { at, earlier, attempted_for }
    }

    /// Returns the case of a request about `target` that was signed at a time, and left at `left` if this client sent it.
    pub(crate) fn case<'a>(
        &self,
        target: &'a Target,
        (signed, left, assumptions): (SigningTimes, Option<Moment>, &Assumptions),
    ) -> Case<'a> {
        let sent = self.sent(target, signed, left, assumptions);
        Case { target, sent, call: CallEnd::default(), is_compound: false, was_shown: false }
    }

    /// Returns what an answer to queries at these times proves about a request.
    pub(crate) fn judge(
        &self,
        case: &Case<'_>,
        (signed, left): (SigningTimes, Option<Moment>),
        seen: Seen<(&Named, Form)>,
        asked: &[QueryTimes],
    ) -> Verdict {
        let (recent, target) = (&self.parts.recent, case.target);
        let is_new = target.is_new() || target.is_cancelled();
        let record = if let Seen::Record((record, _)) = seen { Some(record) } else { None };
        case.judge(seen, asked, |id, rival| match is_new {
            true => recent.is_named_twice(id, signed.signed_at),
            // For an earlier run, other requests are not known.
            false => left.zip(record).is_some_and(|(left, record)| recent.has_contender((id, rival), left, record)),
        })
    }

    /// Returns what a record from outside proves about a request.
    pub(crate) fn judge_record(
        &self,
        target: &Target,
        outside: &OutsideRecord,
        (signed, left, assumptions): (SigningTimes, Option<Moment>, &Assumptions),
    ) -> Verdict {
        let case = self.case(target, (signed, left, assumptions));
        self.judge(&case, (signed, left), Seen::Record((&outside.fields, outside.form)), &[])
    }

    /// Returns whether a record with `id` may be of another request than one that was signed at `signed_at` and had no
    /// effect.
    pub(crate) fn may_be_of_another(&self, id: &str, signed_at: Timestamp) -> bool {
        self.parts.recent.has_another(id, signed_at)
    }

    /// Returns the request that is meant by what it is about alone. What cancels is not remembered, and was signed no
    /// later than the latest clock shows.
    pub(crate) fn meant(&self, operation: &str, target: &Target) -> Meant {
        let now = self.moment();
        match target.is_cancelled() {
            true => Meant::Signed(self.exchange_time(now).map_or(self.latest_now(), |(_, latest)| latest)),
            false => self.parts.recent.meant(target.key(), operation, now),
        }
    }

    /// Returns whether a record from outside shows the effect of a request.
    pub(super) fn is_shown_outside(&self, operation: &dyn DynOperation, signed_at: Timestamp, left: Moment) -> bool {
        let awaited = self.awaited();
        awaited.has_records()
            && Target::all(operation).iter().flatten().filter(|target| !target.is_cancelled()).any(|target| {
                let sent = (signed_at.into(), Some(left), self.assumptions());
                let records = awaited.records(operation.meta().id, target);
                records.iter().any(|record| self.judge_record(target, record, sent) == Verdict::Done)
            })
    }
}

/// Returns how far the exchange's clock may be from `signed_at` when it accepts the request: as far as it accepts
/// signatures, or until the request expires by that clock, of which `left` is the time when the request left.
fn accepted_within(
    signature: Option<Duration>,
    expires: Option<Timestamp>,
    signed_at: Timestamp,
    left: Option<(Timestamp, Timestamp)>,
) -> Option<Duration> {
    let until_expiry = expires.zip(left).map(|(expires, (earliest, latest))| {
        let clocks_differ = (signed_at - earliest).max(latest - signed_at);
        (expires - signed_at).saturating_add(clocks_differ)
    });
    match (signature, until_expiry) {
        (Some(signature), Some(expiry)) => Some(signature.min(expiry)),
        (one, other) => one.or(other),
    }
}

/// The maximum number of ids that are remembered.
const MAX_IDS: usize = 1 << 16;

/// The ids of the latest records that answers showed. If the exchange later answers that one of them does not exist, it
/// is wrong or has deleted the record: either way, the record existed.
#[derive(Debug, Default)]
pub(super) struct ShownIds(Mutex<Ids>);

/// Ids by their hashes. If two ids have the same hash, an outcome may stay unknown that could be known.
#[derive(Debug, Default)]
struct Ids {
    known: HashSet<u64, FxBuildHasher>,
    in_order: VecDeque<u64>,
}

impl ShownIds {
    /// Notes that an answer showed a record with this id.
    pub(super) fn note(&self, family: &str, id: &str) {
        let (mut ids, hash) = (self.lock(), hash(family, id));
        if !ids.known.insert(hash) {
            return;
        }
        ids.in_order.push_back(hash);
        if ids.in_order.len() > MAX_IDS
            && let Some(oldest) = ids.in_order.pop_front()
        {
            ids.known.remove(&oldest);
        }
    }

    /// Returns whether an answer showed a record with this id.
    pub(super) fn contains(&self, family: &str, id: &str) -> bool {
        self.lock().known.contains(&hash(family, id))
    }

    fn lock(&self) -> MutexGuard<'_, Ids> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash(family: &str, id: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(family.as_bytes());
    hasher.write_u8(0xff);
    hasher.write(id.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_ids_of_each_family_are_known() {
        let shown = ShownIds::default();
        shown.note("spot", "a");
        shown.note("spot", "a");
        assert!(shown.contains("spot", "a") && !shown.contains("spot", "b") && !shown.contains("margin", "a"));
        (1..MAX_IDS).for_each(|number| shown.note("spot", &number.to_string()));
        assert!(shown.contains("spot", "a"));
        shown.note("spot", "b");
        assert!(!shown.contains("spot", "a") && shown.contains("spot", "b") && shown.contains("spot", "1"));
    }
}
