//! Admits calls when their rate limits have room.
//!
//! Calls are spread by slots before the limiter, which stays exact and does not depend on them. Cancellations have no
//! slots. A call takes the first slot that all its limits have free, also one between those of others, so that a heavy
//! call delays no lighter one of its pool; a call that is given up returns it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::data::account::Known;
use crate::data::clock::{Timer, pause};
use crate::data::error::{Error, Limited, LimiterFailure};
use crate::data::operation::DynOperation;
use crate::data::tables::{Api, Effect, Meta, RateLimit};
use crate::network::limits::{
    AddressRate, AddressRefusals, Admission, AdmissionError, Call, Classes, Full, Limiter, Permit, Plan, Unavailable,
    Watch, call_of,
};
use crate::network::observe;

/// The action of a client when a rate limit is used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitMode {
    /// The call waits; [`Reply::waited`](crate::Reply::waited) and [`Error::waited`] are the time.
    #[default]
    Wait,
    /// Like `Wait`, but the calls of a limit are spread over its window, for a program that quotes all the time: with
    /// ten calls a second, one leaves every 100 ms. Nothing is saved up, so there is no burst after a pause and no
    /// second without a call after a burst. Cancellations and requests that close positions are not spread, and neither
    /// are limits with windows of more than a minute. A call that waits for one limit does not hold up calls of its
    /// other limits: lighter calls of a pool leave before a heavy one that waits for a limit of its own.
    ///
    /// The calls of a client and its clones are spread together. The limiter still counts every call.
    Spread,
    /// The call fails with [`Error::Limited`], which contains the time until there is room. Nothing is sent.
    Refuse,
    /// The call is sent regardless, and is not counted.
    Off,
}

/// The rate limits of a client: the limiter, the classes, the address, and what to do when a limit is used up.
#[derive(Clone)]
pub(crate) struct RateLimitPolicy {
    pub(crate) mode: LimitMode,
    pub(crate) limiter: Arc<dyn Limiter>,
    /// True if the limiter counts several accounts, by their names. That of a key counts one, however it is named.
    pub(crate) counts_names: bool,
    /// The name that calls count for; empty if names do not count.
    pub(crate) name: String,
    pub(crate) classes: Classes,
    pub(crate) address: String,
    /// The rate of the address and its refusals, which the clients of the process share.
    pub(crate) address_rate: Arc<AddressRate>,
    pub(crate) refusals: Arc<AddressRefusals>,
    pub(crate) slots: Slots,
}

/// The longest window that calls are spread over.
const LONGEST_SPREAD: Duration = Duration::from_secs(60);

/// When the calls of each limit leave in the mode `Spread`. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Slots(Arc<Mutex<HashMap<Limit, Line>>>);

/// The taken slots of a limit that have not ended, each with its start and its end, in order. They do not overlap.
#[derive(Default)]
struct Line(Vec<(Duration, Duration)>);

impl Line {
    /// Returns the end of the last slot that overlaps one that starts at `at`.
    fn blocked_until(&self, at: Duration, length: Duration) -> Option<Duration> {
        let (_, end) = self.0.get(self.place_of(at.saturating_add(length)).checked_sub(1)?)?;
        (*end > at).then_some(*end)
    }

    fn take(&mut self, at: Duration, length: Duration) {
        self.0.insert(self.place_of(at), (at, at.saturating_add(length)));
    }

    fn give_back(&mut self, at: Duration) {
        let place = self.place_of(at);
        if self.0.get(place).is_some_and(|(start, _)| *start == at) {
            self.0.remove(place);
        }
    }

    fn forget_before(&mut self, now: Duration) {
        let past = self.0.partition_point(|(_, end)| *end <= now);
        self.0.drain(..past);
    }

    /// Returns the place of the first slot that starts at `at` or later.
    fn place_of(&self, at: Duration) -> usize {
        self.0.partition_point(|(start, _)| *start < at)
    }
}

/// A limit: the pool, or the operation and the class; and whose calls it counts.
type Limit = (&'static str, &'static str, u32, String);

impl Slots {
    /// Takes the first slot that is free in all limits of a call, even between slots of other calls.
    fn take(&self, call: Call<'_>, now: Duration) -> Slot<'_> {
        let is_spread = |row: &&RateLimit| row.window() <= LONGEST_SPREAD && !interval(row).is_zero();
        let mut limits: Vec<(Limit, Duration)> = Vec::new();
        for row in call.limits().filter(is_spread) {
            let (of, class) = row.pool.map_or((call.meta().id, row.class), |pool| (pool, ""));
            limits.push(((of, class, row.per_millis, call.counted(row.scope).to_owned()), interval(row)));
        }
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (limit, _) in &limits {
            if let Some(line) = slots.get_mut(limit) {
                line.forget_before(now);
            }
        }
        let mut at = now;
        let blocked = |at: Duration| {
            limits.iter().filter_map(|(limit, length)| slots.get(limit)?.blocked_until(at, *length)).max()
        };
        while let Some(free) = blocked(at) {
            at = free;
        }
        let mut taken = Vec::with_capacity(limits.len());
        for (limit, length) in limits {
            slots.entry(limit.clone()).or_default().take(at, length);
            taken.push(limit);
        }
        Slot { slots: self, at, limits: taken, is_used: false }
    }
}

/// The time at which a call may leave. A call that is given up before returns its slot: otherwise a program that gives
/// up call after call would wait longer and longer.
struct Slot<'a> {
    slots: &'a Slots,
    at: Duration,
    limits: Vec<Limit>,
    is_used: bool,
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        if self.is_used {
            return;
        }
        let mut slots = self.slots.0.lock().unwrap_or_else(PoisonError::into_inner);
        for limit in &self.limits {
            if let Some(line) = slots.get_mut(limit) {
                line.give_back(self.at);
            }
        }
    }
}

/// Returns the time between two calls of a limit that are spread evenly.
fn interval(row: &RateLimit) -> Duration {
    row.window().saturating_mul(row.weight).checked_div(row.calls).unwrap_or_default()
}

impl RateLimitPolicy {
    /// Returns the same for the account with this name.
    pub(crate) fn of_account(self: &Arc<Self>, name: &str) -> Arc<Self> {
        if !self.counts_names || self.name == name {
            return Arc::clone(self);
        }
        Arc::new(Self { name: name.to_owned(), ..Self::clone(self) })
    }

    /// Returns `operation` as the limiter sees it, by what is known beside it.
    pub(crate) fn call(&self, operation: &dyn DynOperation, known: Known<'_>) -> Call<'_> {
        let call = Call::of_any(operation, &self.classes, known).counted_for(&self.name, &self.address);
        call.within(self.address_rate.rate())
    }

    /// Admits a call of a client without limits; `None` if there are limits.
    pub(crate) fn admit_unlimited(&self, api: &'static Api, meta: &'static Meta) -> Option<Result<Permit<'_>, Error>> {
        let admitted = || refuse_in_child(meta).map(|()| Permit::new(&*self.limiter, api, None));
        (self.mode == LimitMode::Off).then(admitted)
    }

    /// Waits until a call may be sent.
    pub(crate) async fn admit<'a>(
        &'a self,
        api: &'static Api,
        call: Call<'_>,
        timer: &'a dyn Timer,
    ) -> Result<Permit<'a>, Error> {
        let Some(refused) = &api.refused_address else {
            return self.admit_within_limits(api, &call, timer).await;
        };
        let (meta, mut waited) = (call.meta(), Duration::ZERO);
        loop {
            let mut permit = self.admit_within_limits(api, &call, timer).await?;
            self.admit_from_address(&mut permit, meta).await?;
            // Only now, because the address may have been refused during the wait for the limits.
            let Some(left) = self.refusals.left(meta.effect, timer) else {
                permit.watched(Watch::new(&self.refusals, refused, timer), waited);
                return Ok(permit);
            };
            waited = waited.saturating_add(permit.waited()).saturating_add(left);
            drop(permit);
            if self.mode == LimitMode::Refuse {
                let (operation, is_address_refused) = (meta.id, true);
                return Err(Error::Limited(Box::new(Limited {
                    operation,
                    free_in: left,
                    binding: None,
                    is_address_refused,
                })));
            }
            observe::waits_for_address(meta, left);
            pause(timer, left).await;
        }
    }

    /// Waits until a call also has room within the rate of the address.
    async fn admit_from_address<'a>(&'a self, permit: &mut Permit<'a>, meta: &'static Meta) -> Result<(), Error> {
        let waits = self.mode != LimitMode::Refuse;
        let Some((limiter, admission)) = self.address_rate.admit(meta.effect, waits) else { return Ok(()) };
        let reservation = match admission {
            Admission::Now(known) => known,
            Admission::Later(later) => {
                observe::waits_for_room(meta);
                later.await
            }
        };
        match reservation {
            Ok(reservation) => {
                permit.within(limiter, reservation);
                Ok(())
            }
            Err(denied) => Err(refused(denied, meta.id).after_waiting(permit.waited())),
        }
    }

    /// Waits until a call has room within its rate limits.
    async fn admit_within_limits<'a>(
        &'a self,
        api: &'static Api,
        call: &Call<'_>,
        timer: &dyn Timer,
    ) -> Result<Permit<'a>, Error> {
        let (limiter, meta) = (&*self.limiter, call.meta());
        refuse_in_child(meta)?;
        let waits = self.mode != LimitMode::Refuse;
        let mut spread = Duration::ZERO;
        if self.mode == LimitMode::Spread && is_spread(meta.effect) {
            let now = timer.now();
            let mut slot = self.slots.take(*call, now);
            spread = slot.at.saturating_sub(now);
            if !spread.is_zero() {
                observe::waits_for_room(meta);
                pause(timer, spread).await;
            }
            slot.is_used = true;
        }
        let reservation = match limiter.admit(*call, waits) {
            Admission::Now(known) => known,
            Admission::Later(later) => {
                observe::waits_for_room(meta);
                later.await
            }
        };
        let mut reservation = reservation.map_err(|denied| {
            let error = refused(denied, meta.id);
            let waited = error.waited().saturating_add(spread);
            error.after_waiting(waited)
        })?;
        reservation.waited = reservation.waited.saturating_add(spread);
        Ok(Permit::new(limiter, api, Some(reservation)))
    }

    /// Plans by the limit that takes longer: those of the limiter, or the rate of the address.
    pub(crate) fn plan(&self, calls: &[Call<'_>]) -> Plan {
        let plan = self.limiter.plan(calls);
        let Some(of_address) = self.address_rate.limiter() else { return plan };
        let calls: Vec<_> = calls.iter().map(|call| call_of(call.meta().effect)).collect();
        let of_address = of_address.plan(&calls);
        if of_address.lasts > plan.lasts {
            Plan { lasts: of_address.lasts, binding: of_address.binding, ..plan }
        } else {
            plan
        }
    }
}

/// Returns whether calls with this effect are spread. Calls that reduce risk are never delayed.
fn is_spread(effect: Effect) -> bool {
    match effect {
        Effect::Read | Effect::Create | Effect::Amend => true,
        Effect::Cancel | Effect::Close => false,
    }
}

/// Refuses a call in a process that was forked from that of the client.
fn refuse_in_child(meta: &Meta) -> Result<(), Error> {
    #[cfg(feature = "blocking")]
    super::forked::refuse_in_child().map_err(|forked| refused(forked.into(), meta.id))?;
    let _ = meta;
    Ok(())
}

/// Returns the error of a call of `operation` that the limiter denied.
fn refused(denied: AdmissionError, operation: &'static str) -> Error {
    match denied {
        AdmissionError::Full(Full { free_in, binding }) => {
            Error::Limited(Box::new(Limited { operation, free_in, binding, is_address_refused: false }))
        }
        AdmissionError::Unavailable(Unavailable { kind, why, waited }) => {
            Error::LimiterFailed(Box::new(LimiterFailure { operation, kind, why, waited }))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::tables::{Meta, Scope};

    #[test]
    fn a_heavy_call_takes_as_many_slots_as_it_weighs() {
        let row = RateLimit::per_uid(10);
        assert_eq!(interval(&row), Duration::from_millis(100));
        assert_eq!(interval(&row.every(5)), Duration::from_millis(500));
        assert_eq!(interval(&row.pool("orders", 4)), Duration::from_millis(400));
    }

    #[test]
    fn calls_that_reduce_risk_are_not_spread() {
        let spread = [Effect::Read, Effect::Create, Effect::Amend, Effect::Cancel, Effect::Close].map(is_spread);
        assert_eq!(spread, [true, true, true, false, false]);
    }

    const fn operation(id: &'static str, limits: &'static [RateLimit]) -> Meta {
        Meta { id, limits, ..Meta::DEFAULT }
    }

    /// Operations with one limit, with several, with a pool in common, and with windows that are too long to spread over.
    static OPERATIONS: [Meta; 4] = [
        operation("one", &[RateLimit::per_uid(10)]),
        operation(
            "several",
            &[RateLimit::per_uid(20), RateLimit::per_ip(5).every(2), RateLimit::per_uid(30).every(61)],
        ),
        operation("pooled", &[RateLimit::per_uid(50).pool("orders", 2), RateLimit::per_uid(1).every(3600)]),
        operation("heavy", &[RateLimit::per_uid(50).pool("orders", 10), RateLimit::per_uid(30).every(60)]),
    ];

    const ACCOUNTS: [&str; 2] = ["one", "two"];

    /// Returns the limits that a call is spread over: a name for the calls that are counted together, and the time
    /// between two.
    fn spread_by(operation: usize, account: usize) -> Vec<(String, u64)> {
        let of = |limit: &str| format!("{limit} of {}", ACCOUNTS[account]);
        match operation {
            0 => vec![(of("one"), 100)],
            1 => vec![(of("several"), 50), ("several of the address".to_owned(), 400)],
            2 => vec![(of("orders"), 40)],
            _ => vec![(of("orders"), 200), (of("heavy"), 2000)],
        }
    }

    fn call(operation: usize, account: usize) -> Call<'static> {
        Call::new(&OPERATIONS[operation]).counted_for(ACCOUNTS[account], "10.0.0.1")
    }

    fn take(slots: &Slots, operation: usize, account: usize, now: u64) -> u64 {
        let mut slot = slots.take(call(operation, account), Duration::from_millis(now));
        slot.is_used = true;
        u64::try_from(slot.at.as_millis()).unwrap_or(u64::MAX)
    }

    proptest! {
        /// A call leaves as soon as each of its limits has room between the calls before it, and no later: a limit over a
        /// longer window, or of another account, does not delay it, and neither does a call that waits for another limit.
        #[test]
        fn a_call_leaves_as_soon_as_all_its_limits_allow(
            calls in prop::collection::vec((0..OPERATIONS.len(), 0..ACCOUNTS.len(), 0_u64..500), 1..60),
        ) {
            let (slots, mut now, mut taken) = (Slots::default(), 0, Vec::<(String, u64, u64)>::new());
            for (operation, account, later) in calls {
                now += later;
                let limits = spread_by(operation, account);
                let is_free = |at: &u64| limits.iter().all(|(limit, length)| {
                    taken.iter().all(|(of, begins, ends)| of != limit || *ends <= *at || at + length <= *begins)
                });
                let mut moments: Vec<_> = taken.iter().map(|(_, _, ends)| *ends).filter(|ends| *ends > now).collect();
                moments.push(now);
                moments.sort_unstable();
                let at = take(&slots, operation, account, now);
                prop_assert_eq!(Some(at), moments.into_iter().find(is_free));
                taken.extend(limits.into_iter().map(|(limit, length)| (limit, at, at + length)));
            }
        }

        /// Calls that are given up while they wait leave nothing behind, as if they had not been made.
        #[test]
        fn dropped_calls_delay_no_other_calls(
            calls in prop::collection::vec((0..OPERATIONS.len(), 0..ACCOUNTS.len(), 0_u64..500, any::<bool>()), 1..60),
        ) {
            let (slots, alone, mut now) = (Slots::default(), Slots::default(), 0);
            for (operation, account, later, is_given_up) in calls {
                now += later;
                if is_given_up {
                    drop(slots.take(call(operation, account), Duration::from_millis(now)));
                } else {
                    prop_assert_eq!(take(&slots, operation, account, now), take(&alone, operation, account, now));
                }
            }
        }
    }

    /// A call that waits behind one that is given up keeps its distance to the others, and the next call takes the free
    /// slot.
    #[test]
    fn a_slot_that_is_given_back_is_taken_by_the_next() {
        let slots = Slots::default();
        assert_eq!(take(&slots, 0, 0, 0), 0);
        let given_up = slots.take(call(0, 0), Duration::ZERO);
        assert_eq!(take(&slots, 0, 0, 0), 200);
        drop(given_up);
        assert_eq!([take(&slots, 0, 0, 0), take(&slots, 0, 0, 0)], [100, 300]);
        assert_eq!(call(1, 0).counted(Scope::Ip), "10.0.0.1");
    }

    /// The heavy call takes 200 ms of the pool, and waits two seconds for a limit of its own.
    #[test]
    fn a_heavy_call_that_waits_does_not_delay_lighter_ones_and_keeps_its_turn() {
        let slots = Slots::default();
        assert_eq!([take(&slots, 3, 0, 0), take(&slots, 3, 0, 0)], [0, 2000]);
        let lighter: Vec<_> = (0..46).map(|_| take(&slots, 2, 0, 0)).collect();
        assert_eq!(lighter[..3], [200, 240, 280]);
        // Between 2000 and 2200 is the turn of the heavy one.
        assert_eq!(lighter[44..], [1960, 2200]);
        assert_eq!(take(&slots, 2, 0, 2100), 2240);
    }
}
