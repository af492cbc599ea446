//! Decides what an answer proves about one thing that a request was to create, change or end. Nothing here makes a call.
//!
//! # Records
//!
//! A record with the right id may be of another request: an older or a later one with the same id, or of the same order
//! before the change. It is a proof only if nothing contradicts the request and something confirms it.
//!
//! Attempts that carry one key of repeats are one request, where the schema says that the exchange recognizes it. They
//! are attempts only if their whole stored form is equal and the key is still kept; anything else with the id is a
//! rival. A record of any of them is a proof.
//!
//! # Absences
//!
//! A "not found" can be too early, because the request may still arrive or its effect may not be visible yet, or too
//! late, because the exchange may have deleted the record already. In between, it proves that the request had no
//! effect.
//!
//! Both limits are checked twice: by the exchange's time in the response, because the exchange checks signatures by its
//! clock, and by the local time that passed. The clock of the machine that responds proves nothing about the clock of
//! the machine that received the request, and may be wrong by as much as the local one; [`Assumptions`] say how far. The
//! steady clock bounds what this process sent; of an earlier run only wall clocks are known, so they count less the error
//! that is assumed.
//!
//! The defaults of a minute for lag and clocks make an absence take 160 seconds, because a false "not done" costs more
//! than a late one.

use std::time::Duration;

use tradeapi_words::Assumptions;

use crate::data::json::Form;
use crate::data::operation::DynOperation;
use crate::data::parameters::Named;
use crate::data::tables::{Confirm, Ends};
use crate::data::value::{Decimal, Timestamp};
use crate::state::journal::SigningTimes;

/// When a request was signed and left, and other facts that its outcome is evaluated by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    /// The time in its signature, by which the exchange checks it, whichever clock it came from.
    pub(crate) signed_at: Timestamp,
    /// The distance from the exchange's clock within which a request is accepted, if known.
    pub(crate) window: Option<Duration>,
    /// The assumptions that its outcome is evaluated by.
    pub(crate) assumptions: Assumptions,
    /// The earliest and the latest time of departure by the exchange's clock, if known.
    pub(crate) left: Option<(Timestamp, Timestamp)>,
    /// When it was sent, by every clock that shows it.
    pub(crate) departure: Departure,
    /// The attempts that it is one of, if the exchange recognizes them as one request.
    pub(crate) attempts: Option<Attempts>,
}

/// When a request was sent, its first attempt if it has several. A machine of the exchange whose clock is wrong may have
/// corrected that of the signature, and this machine's may be wrong, so a record counts that fits either.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub(crate) at: SigningTimes,
    /// The time by which the request may have been earlier by the exchange's clock.
    pub(crate) earlier: Duration,
    /// The time by which the last attempt was signed later.
    pub(crate) attempted_for: Duration,
}

impl Default for Departure {
    fn default() -> Self {
        Self { at: Timestamp::default().into(), earlier: Duration::ZERO, attempted_for: Duration::ZERO }
    }
}

/// Several attempts of one request; the exchange serves one of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempts {
    /// The time in the signature of the first one, and the earliest and latest time of its departure by the exchange's
    /// clock, if known.
    pub(crate) first: (Timestamp, Option<(Timestamp, Timestamp)>),
    /// The time in the signature of the last one.
    pub(crate) last: Timestamp,
}

impl Sent {
    /// Returns the time in the signature of the first attempt, and when that left.
    pub(crate) fn first(&self) -> (Timestamp, Option<(Timestamp, Timestamp)>) {
        self.attempts.map_or((self.signed_at, self.left), |attempts| attempts.first)
    }

    /// Returns the time in the signature of the last attempt.
    pub(crate) fn last(&self) -> Timestamp {
        self.attempts.map_or(self.signed_at, |attempts| attempts.last)
    }
}

/// The result that an answer shows of a thing. `R` is the record.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen<R> {
    /// The record.
    Record(R),
    /// The thing is not there.
    Absent,
    /// Neither, and why.
    Nothing(&'static str),
}

/// When a query was sent and answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueryTimes {
    /// The exchange's time in the response.
    pub(crate) there: Option<Timestamp>,
    /// The least time by local clocks from the signing of the request to the departure of the query.
    pub(crate) at_least: Duration,
    /// The greatest time from the signing of the request to the arrival of the response.
    pub(crate) at_most: Duration,
    /// The time by which the signature may expire later by the exchange's clock than by local ones.
    pub(crate) uncertainty: Duration,
}

/// A time in a response is not the exchange's if it is later by more than this than every possible time.
const SLACK: Duration = Duration::from_secs(1);

/// The verdict of an answer on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The request had its effect.
    Done,
    /// The request had no effect.
    NotDone(Proof),
    /// Neither is known, and why.
    Unknown(Doubt, &'static str),
}

/// The proof that a request had no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// The thing that the request was to create does not exist, and never did.
    Absence,
    /// The order is in a state that the request would have changed.
    State,
    /// The request was refused because of something older that has its id.
    RefusedId,
    /// The request was refused, and the order has ended without its values.
    RefusedChange,
}

/// The reason why an answer decides nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// The record is of something else with the same id.
    Another,
    /// The record fits another request of the client as well.
    Ambiguous,
    /// The thing is not there, but may still appear.
    Early,
    /// Something else.
    Open,
}

/// The end of the call of a request, as far as the outcome follows from it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallEnd {
    /// True if it was refused because its id was used before.
    pub(crate) is_duplicate: bool,
    /// True if it was refused with a code that, by any source, says that nothing was done.
    pub(crate) is_refused: bool,
    /// True if it was refused, although a record from outside shows its effect.
    pub(crate) is_contradicted: bool,
}

/// One thing that a request was to create, change or end, and what its outcome follows from beside the answer.
pub(crate) struct Case<'a> {
    pub(crate) target: &'a Target,
    pub(crate) sent: Sent,
    pub(crate) call: CallEnd,
    /// True if the request does several things, of which the queried one is the last.
    pub(crate) is_compound: bool,
    /// True if an answer showed a record with its id before.
    pub(crate) was_shown: bool,
}

/// The requests that a record may be of instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rival {
    Any,
    /// One that changes what exists.
    Amendment,
}

impl Case<'_> {
    /// Returns what an answer proves. `asked` has the times of the queries: of two, if nothing is in the first place that
    /// was asked; of none for a record from outside. `has_rival` returns whether the record may be of another request of
    /// the client that names the thing by this id.
    pub(crate) fn judge(
        &self,
        seen: Seen<(&Named, Form)>,
        asked: &[QueryTimes],
        has_rival: impl Fn(&str, Rival) -> bool,
    ) -> Verdict {
        match seen {
            Seen::Record((record, form)) => {
                // The other request may name the thing by its other id.
                let ids = || self.target.confirm.fields().iter().filter_map(|(field, _)| record.text(field));
                self.of_record((record, form), asked, |rival| ids().any(|id| has_rival(&id, rival)))
            }
            Seen::Absent => self.of_absence(asked),
            Seen::Nothing(why) => Verdict::Unknown(Doubt::Open, why),
        }
    }

    /// Returns what the absence of the thing proves, if it is not denied although it exists.
    fn of_absence(&self, asked: &[QueryTimes]) -> Verdict {
        let open = |why| Verdict::Unknown(Doubt::Open, why);
        if self.is_compound {
            return open("it was not found, but the request does several things and may have done another");
        }
        if self.call.is_contradicted {
            return open("it was not found, but a record from outside shows it");
        }
        if self.was_shown {
            return open("it was not found, but an earlier answer showed a record with its id");
        }
        for times in asked {
            if let Err(doubt) = self.was_in_time(times) {
                return doubt;
            }
        }
        Verdict::NotDone(Proof::Absence)
    }

    /// Checks that a query was answered neither too early nor too late for an absence to prove anything.
    fn was_in_time(&self, times: &QueryTimes) -> Result<(), Verdict> {
        let open = |why| Verdict::Unknown(Doubt::Open, why);
        let kept = self.target.confirm.kept_ms.map(Duration::from_millis);
        let kept = kept.ok_or(open("it is not documented how long a record is kept, so its absence proves nothing"))?;
        let Arrived { window, there } = self.has_arrived(times)?;
        // The record may be as old as the signature window allows, and both clocks may be behind.
        let last = kept.checked_sub(window.saturating_add(self.sent.assumptions.clock_error));
        let last = last.ok_or(open("a record is deleted before its absence can prove anything"))?;
        let before = self.sent.signed_at - self.sent.first().0;
        match times.at_most.saturating_add(before) >= last || there.saturating_add(before) >= last {
            true => Err(open("it was not found, but may have been deleted already")),
            false => Ok(()),
        }
    }

    /// Checks that the request can no longer arrive, and that the machine which answered shows its effect.
    fn has_arrived(&self, times: &QueryTimes) -> Result<Arrived, Verdict> {
        let (sent, open) = (&self.sent, |why| Verdict::Unknown(Doubt::Open, why));
        let window = sent.window.ok_or(open("it is not known how long the request can be in flight"))?;
        let there = times.there.ok_or(open("the response does not contain the exchange's time"))?;
        // Since it was signed, by the exchange's clock.
        let there = there - sent.signed_at;
        // The last attempt may arrive later than this one.
        let behind = sent.last() - sent.signed_at;
        let first = sent.assumptions.visible_after(window).saturating_add(behind);
        if times.at_least <= first.saturating_add(times.uncertainty) || there <= first {
            return Err(Verdict::Unknown(Doubt::Early, "it was not found, but may still appear"));
        }
        if there > window.saturating_add(times.at_most).saturating_add(SLACK) {
            return Err(open("the time in the response cannot be the exchange's"));
        }
        Ok(Arrived { window, there })
    }

    /// Returns what a record proves. It has the id of what the request was to create or change.
    fn of_record(
        &self,
        (record, form): (&Named, Form),
        asked: &[QueryTimes],
        has_rival: impl Fn(Rival) -> bool,
    ) -> Verdict {
        let Target { confirm, named: request, .. } = self.target;
        if let Some(ends) = confirm.ends.filter(|_| confirm.cancels()) {
            return self.of_state(&ends, record, asked, has_rival);
        }
        let time = |field: &str| form.time_of(field, &record.text(field)?);
        if let Some(verdict) = confirm.created.and_then(|field| self.of_age(time(field))) {
            return verdict;
        }
        if !agrees(confirm, request, record) {
            let why = "it is another record with the same id: it differs from the request";
            return Verdict::Unknown(Doubt::Another, why);
        }
        match (confirm.created, confirm.matches) {
            (None, []) => {
                let why = "its time of creation is unknown, so it may be an older one with the same id";
                Verdict::Unknown(Doubt::Open, why)
            }
            (Some(_), []) if has_rival(Rival::Any) => {
                let why = "two requests had the same id, and the record may be of either";
                Verdict::Unknown(Doubt::Ambiguous, why)
            }
            (Some(_), []) => Verdict::Done,
            (_, matches) => self.of_values(matches, record, confirm.changed.and_then(time), has_rival),
        }
    }

    /// Returns what the state of an order shows about its cancellation. No time counts of an end, because it is final: an
    /// order that is cancelled needs no cancellation any more, whichever request made it so. An order that is still open
    /// was not cancelled once the request can no longer arrive.
    fn of_state(
        &self,
        ends: &Ends,
        record: &Named,
        asked: &[QueryTimes],
        has_rival: impl Fn(Rival) -> bool,
    ) -> Verdict {
        if has_rival(Rival::Any) {
            let why = "two orders had the same id, and the record may be of either";
            return Verdict::Unknown(Doubt::Ambiguous, why);
        }
        if is_in(ends.left_in, ends, record) {
            return Verdict::Done;
        }
        let is_open = is_in(ends.open, ends, record);
        let has_arrived = || asked.last().is_some_and(|times| self.has_arrived(times).is_ok());
        if is_in(ends.others, ends, record) || is_open && has_arrived() {
            return Verdict::NotDone(Proof::State);
        }
        Verdict::Unknown(
            Doubt::Open,
            match is_open {
                true => "the order is still open, and the request may still arrive",
                false => "it shows no documented state",
            },
        )
    }

    /// Returns the verdict of a time of creation that is not one of the request.
    fn of_age(&self, created: Option<Timestamp>) -> Option<Verdict> {
        let open = |why| Some(Verdict::Unknown(Doubt::Open, why));
        let Some(created) = created else { return open("it does not contain its time of creation") };
        let Some(window) = self.sent.window else { return open("it is not known how far the two clocks may differ") };
        let Departure { at, earlier, attempted_for } = self.sent.departure;
        let Assumptions { settling, clock_error, clock_distance, .. } = self.sent.assumptions;
        let later = window.saturating_add(settling).saturating_add(attempted_for);
        let earlier = earlier.clamp(clock_distance, window.max(clock_distance));
        if at.each().into_iter().any(|at| at - created <= earlier && created - at <= later) {
            return None;
        }
        let is_older = at.earliest() - created > window.saturating_add(clock_error);
        let why = match created - at.earliest() > later {
            // The exchange refused it because of the existing record, which this request did not create.
            _ if is_older && self.call.is_duplicate => return Some(Verdict::NotDone(Proof::RefusedId)),
            _ if is_older => "something older has the same id",
            true => "something later has the same id",
            false => "something earlier has the same id",
        };
        Some(Verdict::Unknown(Doubt::Another, why))
    }

    /// Returns whether everything that the request was to change has the wanted value, and has it because of this
    /// request.
    fn of_values(
        &self,
        matches: &[(&str, &str)],
        record: &Named,
        changed: Option<Timestamp>,
        has_rival: impl Fn(Rival) -> bool,
    ) -> Verdict {
        let (Target { confirm, named: request, .. }, sent) = (self.target, &self.sent);
        let open = |why| Verdict::Unknown(Doubt::Open, why);
        let (mut changes_any, mut has_all) = (false, true);
        for (field, own) in matches {
            let Some(wanted) = request.text(own) else { continue };
            changes_any = true;
            has_all &= record.text(field).is_some_and(|stated| is_same(&stated, &wanted));
        }
        if !changes_any {
            return open("the record has no field that the request changes");
        }
        if !has_all {
            // Of an earlier run, other requests are not known, which may have changed the order since.
            let is_final = sent.left.is_some() && confirm.ends.is_some_and(|ends| is_in(ends.others, &ends, record));
            return match is_final && !has_rival(Rival::Amendment) {
                true if self.is_compound => open("the order has ended, and the request may have ended it"),
                // The refusal may be one that a single source explains, and the record one of many forms: together they
                // agree.
                true if self.call.is_refused => Verdict::NotDone(Proof::RefusedChange),
                true => open("the order has ended without the values of the request"),
                false => open("it does not, or not yet, have the values of the request"),
            };
        }
        let Some(changed) = changed else {
            return open("it has the values of the request, but may have had them before");
        };
        if has_rival(Rival::Any) {
            let why = "another request, in flight or shortly before, may have changed it so";
            return Verdict::Unknown(Doubt::Ambiguous, why);
        }
        let only_amended = confirm.changed_while.iter().all(|(field, values)| {
            record.text(field).is_none_or(|stated| values.iter().any(|value| is_same(&stated, value)))
        });
        if !only_amended {
            return open("it has the values of the request, but its last change may have been a fill or its end");
        }
        // In the millisecond of its departure, an earlier change may have been made. What is known now of the exchange's
        // clock at that time may come from a machine that is behind, so every clock that shows the departure counts.
        match sent.first().1 {
            Some((_, latest)) if changed > latest.max(sent.departure.at.latest()) => Verdict::Done,
            _ => open("it has the values of the request, but its last change may be older than the request"),
        }
    }
}

/// The window of a request that has arrived, and the time since its signature by the exchange's clock.
struct Arrived {
    window: Duration,
    there: Duration,
}

/// Returns whether a record shows one of these states.
fn is_in(states: &[&str], ends: &Ends, record: &Named) -> bool {
    record.text(ends.field).is_some_and(|shown| states.iter().any(|state| is_same(&shown, state)))
}

/// Returns whether every field that the request and the record both have agrees.
fn agrees(confirm: &Confirm, request: &Named, record: &Named) -> bool {
    confirm.agrees.iter().all(|(parameter, fields)| {
        let Some(wanted) = request.text(parameter) else { return true };
        let mut is_stated = false;
        for stated in fields.iter().filter_map(|field| record.text(field)) {
            if is_same(&stated, &wanted) {
                return true;
            }
            is_stated = true;
        }
        !is_stated
    })
}

/// Returns whether every field agrees that the record has and the request creates or changes.
pub(super) fn contradicts_nothing(confirm: &Confirm, request: &Named, record: &Named) -> bool {
    let differs = |(field, own): &(&str, &str)| {
        let both = record.text(field).zip(request.text(own));
        both.is_some_and(|(stated, wanted)| !is_same(&stated, &wanted))
    };
    agrees(confirm, request, record) && !confirm.matches.iter().any(differs)
}

/// Returns whether two texts are the same number, or the same word whatever its case, with spaces or underscores.
fn is_same(one: &str, other: &str) -> bool {
    let letter = |byte: u8| if byte == b' ' { b'_' } else { byte.to_ascii_lowercase() };
    let is_alike = |(one, other): (u8, u8)| letter(one) == letter(other);
    if one.len() == other.len() && one.bytes().zip(other.bytes()).all(is_alike) {
        return true;
    }
    match (one.parse::<Decimal>(), other.parse::<Decimal>()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// One thing that a request was to create or change, and that has an id.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    confirm: &'static Confirm,
    /// The parameters of the request, those of the item first.
    named: Named,
    /// The field that identifies the thing: the field of its record, and its text.
    field: &'static str,
    key: String,
}

impl Target {
    /// Returns the target of a request, or that of each of its items. `None` if it has no id.
    pub(crate) fn all(operation: &dyn DynOperation) -> Vec<Option<Self>> {
        let confirm = operation.meta().confirm.as_ref();
        confirm.map(|confirm| Self::all_in(confirm, Named::of(operation))).unwrap_or_default()
    }

    /// Returns the same for a request with these parameters.
    pub(crate) fn all_in(confirm: &'static Confirm, named: Named) -> Vec<Option<Self>> {
        match confirm.list {
            None => vec![Self::of(confirm, named)],
            Some(list) => {
                let (items, shared) = (named.items(list), named.without(list));
                let mut targets = Vec::with_capacity(items.len());
                for item in items {
                    targets.push(Self::of(confirm, item.and(&shared)));
                }
                targets
            }
        }
    }

    fn of(confirm: &'static Confirm, named: Named) -> Option<Self> {
        let has_id = confirm.ids.is_empty() || confirm.ids.iter().any(|(_, own)| named.text(own).is_some());
        let id = confirm.fields().iter().find_map(|(field, own)| Some((*field, named.text(own)?.into_owned())));
        let (field, key) = id.filter(|_| has_id)?;
        Some(Self { confirm, named, field, key })
    }

    /// Returns the table that it is confirmed by.
    pub(crate) fn confirm(&self) -> &'static Confirm {
        self.confirm
    }

    /// Returns the parameters of the request.
    pub(crate) fn named(&self) -> &Named {
        &self.named
    }

    /// Returns the field of its record that has its id.
    pub(crate) fn field(&self) -> &'static str {
        self.field
    }

    /// Returns the time after which the exchange refuses the request, if it says so.
    pub(crate) fn expires(&self) -> Option<Timestamp> {
        let (parameter, read) = self.confirm.expires?;
        read(&self.named.text(parameter)?)
    }

    /// Returns the id.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Returns whether the request gives the id to something new.
    pub(crate) fn is_new(&self) -> bool {
        self.confirm.created.is_some()
    }

    /// Returns whether the request cancels an order.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.confirm.cancels()
    }

    /// Returns whether a record has its id.
    pub(crate) fn is_shown_by(&self, record: &Named) -> bool {
        record.text(self.field).as_deref() == Some(&self.key)
    }

    /// Returns whether the request may have made the last change that a record of it shows: nothing that it gives
    /// differs there.
    pub(crate) fn may_have_left(&self, record: &Named) -> bool {
        contradicts_nothing(self.confirm, &self.named, record)
    }
}

#[cfg(test)]
mod tests;
