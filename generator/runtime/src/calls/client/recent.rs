//! The requests that the clients of an account signed recently, and those of earlier runs that the journal has.
//!
//! They show whether two of them used the same id, and when one of them left. Each is the JSON of its parameters, also
//! if these travel in a query, a form, a path or headers, because ids are found by searching JSON text. They are
//! remembered for the account, not for the client, because a record proves at most one change.

mod texts;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use self::texts::Texts;
use crate::data::clock::Moment;
use crate::data::parameters::Named;
use crate::data::tables::{Confirm, Outcome};
use crate::data::value::Timestamp;
use crate::state::evidence::{Rival, Target};
use crate::state::journal::{ChangeNumber, SigningTimes};

/// The maximum number of requests to remember: two hundred a second for as long as records may be mistaken.
const MAX_REQUESTS: usize = 1 << 16;

/// The maximum length of their texts, in bytes. A request that is longer by itself is remembered alone.
const MAX_TEXT: usize = 1 << 26;

/// The times of records distinguish requests that left further apart than this.
pub(super) const RIVAL_DISTANCE: Duration = Duration::from_secs(5 * 60);

/// The time for which requests are remembered: long enough for a program to query unknown outcomes, and longer than a
/// signature is accepted by any clock.
pub(super) const REMEMBERED: Duration = Duration::from_secs(2 * 60 * 60);

/// The clock that requests are signed by is set back by no more than this at once.
const MAX_SET_BACK: Duration = Duration::from_secs(2);

/// Recently signed requests.
#[derive(Debug, Default)]
pub(super) struct RecentRequests(Mutex<Requests>);

/// Identifies a remembered request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestNumber(u64);

/// The use of an id: for something new, or for something that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IdUse {
    Nothing,
    One,
    /// Each of its items has one.
    Several,
}

impl IdUse {
    /// Returns whether requests that are confirmed by this table give an id to something new.
    fn of(confirm: &Confirm) -> Self {
        match (confirm.created, confirm.list) {
            (None, _) => Self::Nothing,
            (Some(_), None) => Self::One,
            (Some(_), Some(_)) => Self::Several,
        }
    }
}

/// The exchange recognizes a repeat of a request by a key in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyOfRepeats {
    /// The time after a request within which a repeat is recognized; `None` if there is no end.
    pub(super) kept: Option<Duration>,
}

/// The facts about a request beside its text.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestFacts {
    pub(super) operation: &'static str,
    pub(super) signed: SigningTimes,
    /// When it was made; for a request of an earlier run, when it was read from the journal.
    pub(super) made: Moment,
    pub(super) is_of_earlier_run: bool,
    /// The table that it is confirmed by.
    pub(super) confirm: &'static Confirm,
    /// The key of repeats, if it carries one.
    pub(super) key: Option<KeyOfRepeats>,
}

/// The request that a caller means who does not know when it was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meant {
    /// The only one, which was signed at this time.
    Signed(Timestamp),
    /// One that had no effect: it never left, or was refused.
    Void,
    /// None is remembered, or several, or it may be a forgotten one.
    Unclear,
}

/// The attempts of one request; the exchange serves one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attempted {
    /// When the first one was signed, and when it left.
    pub(super) first: (Timestamp, Option<Moment>),
    /// When the last one was signed.
    pub(super) last: Timestamp,
}

#[derive(Debug, Default)]
struct Requests {
    /// The number of the first request.
    first: u64,
    requests: VecDeque<Recent>,
    /// The text of each of them.
    texts: Texts,
    /// The number of requests that carry a key of repeats. APIs without such keys have no attempts to look for.
    keyed: usize,
    forgotten: Option<Forgotten>,
}

/// The last of the requests that may have had an effect and are remembered no more.
#[derive(Clone, Copy, Debug)]
struct Forgotten {
    /// When the last one was made, by the steady clock.
    made: Duration,
    /// The latest time by a clock.
    signed_at: Timestamp,
}

/// A signed request that has left or may leave.
#[derive(Debug)]
struct Recent {
    about: RequestFacts,
    departure: Departure,
    /// When its outcome became known.
    settled: Option<Moment>,
    /// The change in the journal, if it has one.
    change: Option<ChangeNumber>,
}

/// The knowledge about a request's leaving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Departure {
    /// The request may leave at any time.
    Possible,
    At(Moment),
    /// The request will not leave, or was refused: it has no effect.
    Void,
}

impl RecentRequests {
    /// Adds a request that may leave from now on, and drops old ones.
    pub(super) fn remember(&self, text: &[u8], about: RequestFacts) -> RequestNumber {
        let mut recent = self.lock();
        recent.make_room(text.len(), about.made);
        recent.texts.push(text);
        recent.keyed += usize::from(about.key.is_some());
        recent.requests.push_back(Recent { about, departure: Departure::Possible, settled: None, change: None });
        RequestNumber(recent.first + recent.requests.len() as u64 - 1)
    }

    /// Adds a request of an earlier run, or one that was forgotten, as its journal has it, unless it is remembered.
    /// `ended` is its outcome if the journal has it as ended.
    pub(super) fn remember_change(
        &self,
        change: ChangeNumber,
        text: &[u8],
        about: RequestFacts,
        ended: Option<Outcome>,
    ) {
        let known = {
            let recent = self.lock();
            if recent.change(change, about.signed.signed_at).is_some() {
                return;
            }
            recent.unnumbered(text, &about)
        };
        let request = known.unwrap_or_else(|| self.remember(text, about));
        self.is_change(request, change);
        match ended {
            Some(Outcome::NotDone) => self.void(request),
            Some(Outcome::Done | Outcome::Unknown) => self.settle(request, about.made),
            None => {}
        }
    }

    /// Returns whether a change of the journal is remembered, and no request is forgotten that a record of it may be
    /// of.
    pub(super) fn has_all_around(&self, change: ChangeNumber, signed_at: Timestamp) -> bool {
        let recent = self.lock();
        recent.change(change, signed_at).is_some_and(|own| !recent.lacks_around(own))
    }

    /// Returns whether a request with `id` that was signed at `signed_at` is remembered.
    pub(super) fn remembers(&self, id: &str, signed_at: Timestamp) -> bool {
        !self.hashed().that_carry(id, &|recent| recent.about.signed.signed_at == signed_at).is_empty()
    }

    /// Notes the change of a request in the journal.
    pub(super) fn is_change(&self, request: RequestNumber, change: ChangeNumber) {
        self.note(request, &|recent| recent.change = Some(change));
    }

    /// Returns whether a request is remembered that is not old `now`.
    pub(super) fn is_needed(&self, now: Moment) -> bool {
        self.lock().requests.back().is_some_and(|latest| now.steady_since(latest.about.made) <= REMEMBERED)
    }

    /// Notes that a request leaves.
    pub(super) fn leaves(&self, request: RequestNumber, now: Moment) {
        self.note(request, &|recent| recent.departure = Departure::At(now));
    }

    /// Notes that a request has no effect.
    pub(super) fn void(&self, request: RequestNumber) {
        self.note(request, &|recent| recent.departure = Departure::Void);
    }

    /// Notes that the outcome of a request is known.
    pub(super) fn settle(&self, request: RequestNumber, now: Moment) {
        self.note(request, &|recent| recent.settled = Some(now));
    }

    fn note(&self, RequestNumber(number): RequestNumber, what: &dyn Fn(&mut Recent)) {
        let mut recent = self.lock();
        let index = number.checked_sub(recent.first).and_then(|index| usize::try_from(index).ok());
        if let Some(recent) = index.and_then(|index| recent.requests.get_mut(index)) {
            what(recent);
        }
    }

    /// Returns whether a record with `id` may belong to another request than the one that was signed at `signed_at`,
    /// because that gave the same id to something else at about the same time. Attempts of one request count as one.
    ///
    /// A cancellation is not remembered: its record is that of the only request with the id. If no request was signed at
    /// `signed_at`, that is the only older one, unless a call with the id was dropped before it left.
    pub(super) fn is_named_twice(&self, id: &str, signed_at: Timestamp) -> bool {
        let recent = self.hashed();
        let all = recent.that_carry(id, &|recent| recent.about.names() != IdUse::Nothing);
        if all.iter().any(|one| one.recent.about.names() == IdUse::Several && one.times > 1) {
            return true;
        }
        let is_another = |own: &RequestWithId<'_>, other: &RequestWithId<'_>| !recent.are_attempts(own, other);
        let (exact, others) = split_by_signature(all, signed_at);
        match (exact.split_first(), others.split_first()) {
            (None, None) => recent.may_have_forgotten(signed_at),
            (None, Some((oldest, others))) => {
                recent.lacks_around(oldest.recent)
                    || oldest.recent.about.signed.signed_at - signed_at > MAX_SET_BACK
                    || others.iter().any(|other| is_another(oldest, other))
            }
            (Some((own, same)), _) => {
                let is_rival = |other: &RequestWithId<'_>| other.recent.may_be_taken_for(own.recent);
                recent.lacks_around(own.recent)
                    || same.iter().any(|other| is_another(own, other))
                    || others.iter().any(|other| is_another(own, other) && is_rival(other))
            }
        }
    }

    /// Returns whether a record with `id` may be of another request than the one that was signed at `signed_at` and had
    /// no effect.
    pub(super) fn has_another(&self, id: &str, signed_at: Timestamp) -> bool {
        let recent = self.hashed();
        let all = recent.that_carry(id, &|recent| recent.about.names() != IdUse::Nothing);
        let (exact, others) = split_by_signature(all, signed_at);
        let [own] = exact.as_slice() else { return true };
        let is_another = |other: &RequestWithId<'_>| {
            other.recent.departure != Departure::Void && other.recent.apart(own.recent) <= RIVAL_DISTANCE
        };
        own.times > 1 || recent.lacks_around(own.recent) || others.iter().any(is_another)
    }

    /// Returns whether a request other than the one that left at `left` may have made the last change that `record`, of
    /// what has `id`, shows. It may if it was under way since then, or shortly before, which the times of records
    /// distinguish only by clocks that are right, unless something that it gave differs from the record.
    pub(super) fn has_contender(&self, (id, rival): (&str, Rival), left: Moment, record: &Named) -> bool {
        let is_apart = |settled: Moment| left.steady_since(settled) > RIVAL_DISTANCE;
        let is_rival = |recent: &Recent| rival == Rival::Any || recent.about.names() == IdUse::Nothing;
        let is_since = |recent: &Recent| {
            is_rival(recent) && recent.departure != Departure::Void && !recent.settled.is_some_and(is_apart)
        };
        let recent = self.hashed();
        if recent.lacks_since(left.steady) {
            return true;
        }
        let since = recent.that_carry(id, &is_since);
        let own = since.iter().position(|one| one.recent.departure == Departure::At(left));
        let is_attempt = |other| own.is_some_and(|own| recent.are_attempts(&since[own], other));
        let mut others = since.iter().enumerate().filter(|(place, _)| Some(*place) != own);
        others.any(|(_, other)| !is_attempt(other) && recent.may_have_left(other, id, record))
    }

    /// Returns when the only request with `id` that was signed at `signed_at` left; if it had several attempts, the
    /// first.
    pub(super) fn left(&self, id: &str, signed_at: Timestamp) -> Option<Moment> {
        let recent = self.hashed();
        let found = recent.that_carry(id, &|recent| recent.about.signed.signed_at == signed_at);
        let (own, same) = found.split_first()?;
        same.iter().all(|other| recent.are_attempts(own, other)).then(|| own.recent.left()).flatten()
    }

    /// Returns the only request of an operation with `id`, for a caller that does not know when it was signed, as after a
    /// call that was dropped: also one that was dropped before it left is remembered. A request of an earlier run is none
    /// that the caller may mean, and makes it unclear which one is meant.
    pub(super) fn meant(&self, id: &str, operation: &str, now: Moment) -> Meant {
        let recent = self.hashed();
        let all = recent.that_carry(id, &|recent| recent.about.operation == operation);
        let Some((own, others)) = all.split_first() else { return Meant::Unclear };
        let is_meant = |one: &RequestWithId<'_>| !one.recent.about.is_of_earlier_run && recent.names(one, id);
        if recent.lacks_of_late(now) || !all.iter().all(is_meant) {
            return Meant::Unclear;
        }
        match all.iter().find(|one| one.recent.departure != Departure::Void) {
            None => Meant::Void,
            Some(one) if others.iter().all(|other| recent.are_attempts(own, other)) => {
                Meant::Signed(one.recent.about.signed.signed_at)
            }
            Some(_) => Meant::Unclear,
        }
    }

    /// Returns the attempts of the request with `id` that was signed at `signed_at`, if the exchange recognizes them by
    /// a key. Those without an effect do not count.
    pub(super) fn attempts(&self, id: &str, signed_at: Timestamp) -> Option<Attempted> {
        if self.lock().keyed == 0 {
            return None;
        }
        let recent = self.hashed();
        let all = recent.that_carry(id, &|recent| recent.about.key.is_some());
        let own = all.iter().find(|one| one.recent.about.signed.signed_at == signed_at)?;
        let is_attempt =
            |one: &&RequestWithId<'_>| recent.are_attempts(own, one) && one.recent.departure != Departure::Void;
        let mut attempts = all.iter().filter(is_attempt).map(|one| one.recent);
        let first = attempts.next()?;
        let last = attempts.next_back().unwrap_or(first);
        Some(Attempted { first: (first.about.signed.signed_at, first.left()), last: last.about.signed.signed_at })
    }

    /// Returns the requests, all hashed.
    fn hashed(&self) -> MutexGuard<'_, Requests> {
        let mut recent = self.lock();
        recent.texts.hash();
        recent
    }

    fn lock(&self) -> MutexGuard<'_, Requests> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the requests that were signed at a time, and the others.
fn split_by_signature(
    all: Vec<RequestWithId<'_>>,
    signed_at: Timestamp,
) -> (Vec<RequestWithId<'_>>, Vec<RequestWithId<'_>>) {
    all.into_iter().partition(|one| one.recent.about.signed.signed_at == signed_at)
}

impl RequestFacts {
    fn names(&self) -> IdUse {
        IdUse::of(self.confirm)
    }
}

impl Recent {
    /// Returns whether a record of this request may be mistaken for one of `other`. The times of records distinguish
    /// requests that are minutes apart.
    fn may_be_taken_for(&self, other: &Self) -> bool {
        self.apart(other) <= RIVAL_DISTANCE && (self.departure != Departure::Void || other.departure == Departure::Void)
    }

    /// Returns how far apart they were made, as far as the time of a record can show. The steady clock of this run
    /// shows nothing of an earlier one, and a record counts that fits any other clock, which may have moved in between:
    /// the one of signatures by an answer of a machine whose clock is wrong, the wall clock because it was set.
    fn apart(&self, other: &Self) -> Duration {
        let (one, other) = (self.about, other.about);
        let by_clocks = one.signed.apart(other.signed);
        match one.is_of_earlier_run || other.is_of_earlier_run {
            true => by_clocks,
            false => by_clocks.min(one.made.steady_since(other.made) + other.made.steady_since(one.made)),
        }
    }

    fn left(&self) -> Option<Moment> {
        match self.departure {
            Departure::At(left) => Some(left),
            Departure::Possible | Departure::Void => None,
        }
    }
}

/// A request whose text contains an id.
struct RequestWithId<'a> {
    recent: &'a Recent,
    /// The number of times.
    times: usize,
    /// The place of its text.
    text: Range<usize>,
}

impl Requests {
    /// Drops requests that are old, and those for which there is no room beside another with `length` bytes.
    fn make_room(&mut self, length: usize, now: Moment) {
        while let Some(oldest) = self.requests.front() {
            let is_full = self.requests.len() >= MAX_REQUESTS || self.texts.len() + length > MAX_TEXT;
            if !is_full && now.steady_since(oldest.about.made) <= REMEMBERED {
                return;
            }
            if oldest.departure != Departure::Void {
                let (made, signed_at) = (oldest.about.made.steady, oldest.about.signed.latest());
                let before = self.forgotten.map_or(signed_at, |before| before.signed_at);
                self.forgotten = Some(Forgotten { made, signed_at: signed_at.max(before) });
            }
            self.keyed -= usize::from(oldest.about.key.is_some());
            self.texts.pop_front();
            self.requests.pop_front();
            self.first += 1;
        }
    }

    /// Returns whether a request is forgotten that was made at about the same time as this one.
    fn lacks_around(&self, own: &Recent) -> bool {
        self.lacks_since(own.about.made.steady) || self.may_have_forgotten(own.about.signed.earliest())
    }

    /// Returns whether a request is forgotten that was made shortly before `steady`, or later.
    fn lacks_since(&self, steady: Duration) -> bool {
        self.forgotten.is_some_and(|last| steady <= last.made.saturating_add(RIVAL_DISTANCE))
    }

    /// Returns whether a request is forgotten `now` that is not old.
    fn lacks_of_late(&self, now: Moment) -> bool {
        self.forgotten.is_some_and(|last| now.steady.saturating_sub(last.made) <= REMEMBERED)
    }

    /// Returns whether a request that is not remembered, and was signed at `signed_at`, may be a forgotten one, or
    /// another one that was made at about the same time.
    fn may_have_forgotten(&self, signed_at: Timestamp) -> bool {
        let around = u64::try_from(RIVAL_DISTANCE.as_millis()).unwrap_or(u64::MAX);
        self.forgotten.is_some_and(|last| signed_at.as_millis() <= last.signed_at.as_millis().saturating_add(around))
    }

    /// Returns the request of a change in the journal.
    fn change(&self, change: ChangeNumber, signed_at: Timestamp) -> Option<&Recent> {
        let is_it = |recent: &&Recent| recent.change == Some(change) && recent.about.signed.signed_at == signed_at;
        self.requests.iter().find(is_it)
    }

    /// Returns the request of this run that a change in the journal is about, although its number is not known: the call
    /// was dropped while the change was stored.
    fn unnumbered(&self, text: &[u8], about: &RequestFacts) -> Option<RequestNumber> {
        let keys = |text: &[u8]| -> Option<Vec<Option<String>>> {
            let targets = Target::all_in(about.confirm, Named::of_request(str::from_utf8(text).ok()?.to_owned()));
            Some(targets.iter().map(|target| target.as_ref().map(|target| target.key().to_owned())).collect())
        };
        let is_alike = |recent: &Recent| {
            let own = &recent.about;
            recent.change.is_none() && (own.operation, own.signed) == (about.operation, about.signed)
        };
        let wanted = keys(text)?;
        let mut all = self.requests.iter().zip(self.texts.places()).zip(self.first..);
        let found = all.find(|((recent, place), _)| {
            is_alike(recent) && keys(&self.texts.at(place)).is_some_and(|keys| keys == wanted)
        });
        found.map(|(_, number)| RequestNumber(number))
    }

    /// Returns whether the two are attempts of one request, which the exchange recognizes by its key.
    fn are_attempts(&self, one: &RequestWithId<'_>, other: &RequestWithId<'_>) -> bool {
        let [one_about, other_about] = [one, other].map(|request| request.recent.about);
        let is_alike = one_about.operation == other_about.operation && one_about.key == other_about.key;
        let Some(key) = one_about.key.filter(|_| is_alike) else { return false };
        key.kept.is_none_or(|kept| one.recent.apart(other.recent) < kept)
            && self.texts.at(&one.text) == self.texts.at(&other.text)
    }

    /// Returns what a request was to create or change, with each that has an id. `None` if its text cannot be read.
    fn targets(&self, one: &RequestWithId<'_>) -> Option<Vec<Option<Target>>> {
        let text = String::from_utf8(self.texts.at(&one.text).into_owned()).ok()?;
        Some(Target::all_in(one.recent.about.confirm, Named::of_request(text)))
    }

    /// Returns whether a request was to create or change what has `id`.
    fn names(&self, one: &RequestWithId<'_>, id: &str) -> bool {
        self.targets(one).is_some_and(|targets| targets.iter().flatten().any(|target| target.key() == id))
    }

    /// Returns whether a request may have made the last change that `record`, of what has `id`, shows.
    fn may_have_left(&self, one: &RequestWithId<'_>, id: &str, record: &Named) -> bool {
        let Some(targets) = self.targets(one) else { return true };
        let mut is_about = false;
        for target in targets.iter().flatten().filter(|target| target.named().has_text(id)) {
            if target.may_have_left(record) {
                return true;
            }
            is_about = true;
        }
        !is_about
    }

    /// Returns the requests that are `meant` and contain the text `id`.
    fn that_carry(&self, id: &str, meant: &dyn Fn(&Recent) -> bool) -> Vec<RequestWithId<'_>> {
        let mut found = Vec::new();
        self.texts.find(id, &|index| meant(&self.requests[index]), &mut |index, times, text| {
            found.push(RequestWithId { recent: &self.requests[index], times, text });
        });
        found
    }
}

#[cfg(test)]
mod tests;
