//! The requests that a client signed recently.
//!
//! They tell whether an id was used for two of them, and when one of them left. Their bodies are copied: memory that
//! each request keeps for hours would make every call allocate cold memory.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::VecDeque;
use std::hash::Hasher;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustc_hash::FxHasher;

use crate::clock::Moment;
use crate::value::Timestamp;

/// The maximum number of requests to remember.
const MOST: usize = 1 << 14;

/// The maximum length of their bodies, in bytes. A request that is longer by itself is remembered alone.
const MOST_TEXT: usize = 1 << 26;

/// The ages of records distinguish requests that left further apart than this.
const AROUND: Duration = Duration::from_secs(5 * 60);

/// How long requests are remembered, in which a program queries unknown outcomes.
const AGE: Duration = Duration::from_secs(2 * 60 * 60);

/// The clock that requests are signed by is set back by no more than this at once, in milliseconds.
const CLOSE_MS: u64 = 2_000;

/// Recently signed requests.
#[derive(Debug, Default)]
pub(super) struct RecentRequests(Mutex<Requests>);

/// Identifies a remembered request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestNumber(u64);

#[derive(Debug, Default)]
struct Requests {
    /// The number of the first request.
    first: u64,
    requests: VecDeque<Recent>,
    /// The bodies of all requests, one after the other.
    text: VecDeque<u8>,
}

/// A signed request that has left or may leave.
#[derive(Debug)]
struct Recent {
    signed_at: Timestamp,
    made: Moment,
    /// The length of its body.
    length: usize,
    /// The marks of all texts in it, so that few bodies are searched for an id; zero until it is searched first.
    marks: Cell<u64>,
    /// Whether it gives an id to something new.
    names: bool,
    departure: Departure,
    /// When its outcome became known.
    settled: Option<Moment>,
}

/// Whether a request has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Departure {
    /// It may leave at any time.
    Possible,
    At(Moment),
    /// It will not leave, or was refused: it has no effect.
    Void,
}

impl RecentRequests {
    /// Adds a request that may leave from now on, and drops old ones.
    pub(super) fn remember(&self, body: &[u8], signed_at: Timestamp, made: Moment, names: bool) -> RequestNumber {
        let mut recent = self.lock();
        recent.make_room(body.len(), made);
        recent.text.extend(body);
        let departure = Departure::Possible;
        let (length, marks) = (body.len(), Cell::default());
        recent.requests.push_back(Recent { signed_at, made, length, marks, names, departure, settled: None });
        RequestNumber(recent.first + recent.requests.len() as u64 - 1)
    }

    /// Notes that a request leaves.
    pub(super) fn leaves(&self, request: RequestNumber, now: Moment) {
        self.note(request, |recent| recent.departure = Departure::At(now));
    }

    /// Notes that a request has no effect.
    pub(super) fn void(&self, request: RequestNumber) {
        self.note(request, |recent| recent.departure = Departure::Void);
    }

    /// Notes that the outcome of a request is known.
    pub(super) fn settle(&self, request: RequestNumber, now: Moment) {
        self.note(request, |recent| recent.settled = Some(now));
    }

    fn note(&self, RequestNumber(number): RequestNumber, what: impl FnOnce(&mut Recent)) {
        let mut recent = self.lock();
        let index = number.checked_sub(recent.first).and_then(|index| usize::try_from(index).ok());
        if let Some(recent) = index.and_then(|index| recent.requests.get_mut(index)) {
            what(recent);
        }
    }

    /// Whether something with `id` may be of another request than the one that was signed at `signed_at`: of one that
    /// gave the same id to something else about that time.
    ///
    /// The caller of a dropped call does not know when it was signed. If no request was signed at `signed_at`, the only
    /// older one with the id is meant, unless a call with that id was dropped before it left.
    pub(super) fn is_named_twice(&self, id: &str, signed_at: Timestamp) -> bool {
        let recent = self.lock();
        let all: Vec<_> = recent.that_carry(id).filter(|(recent, _)| recent.names).collect();
        if all.iter().any(|(_, times)| *times > 1) {
            return true;
        }
        let all = all.into_iter().map(|(recent, _)| recent);
        let (exact, others): (Vec<_>, Vec<_>) = all.partition(|recent| recent.signed_at == signed_at);
        match (exact.as_slice(), others.as_slice()) {
            ([], []) => false,
            ([], [only]) => only.signed_at.as_millis().saturating_sub(signed_at.as_millis()) > CLOSE_MS,
            ([own], others) => others.iter().any(|other| other.may_be_taken_for(own)),
            _ => true,
        }
    }

    /// Whether a request other than the one that left at `left` was under way since then, to change what has `id`.
    pub(super) fn has_contender(&self, id: &str, left: Moment) -> bool {
        let is_since = |recent: &&Recent| {
            recent.departure != Departure::Void && recent.settled.is_none_or(|settled| settled.steady >= left.steady)
        };
        let recent = self.lock();
        let since = recent.that_carry(id).map(|(recent, _)| recent).filter(is_since);
        let (own, others): (Vec<_>, Vec<_>) = since.partition(|recent| recent.departure == Departure::At(left));
        own.len() > 1 || !others.is_empty()
    }

    /// When the only request left that was signed at `signed_at` and carries `id`.
    pub(super) fn left(&self, id: &str, signed_at: Timestamp) -> Option<Moment> {
        let recent = self.lock();
        let mut found = recent.that_carry(id).filter(|(recent, _)| recent.signed_at == signed_at);
        match (found.next()?.0.departure, found.next()) {
            (Departure::At(left), None) => Some(left),
            _ => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Requests> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One bit of 64 for a text.
fn mark(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text);
    1 << (hasher.finish() >> 58)
}

/// The marks of whatever stands between two quotation marks of a body; all marks if it is not text.
fn marks(body: &[u8]) -> u64 {
    if str::from_utf8(body).is_err() {
        return u64::MAX;
    }
    body.split(|byte| *byte == b'"').fold(0, |marks, text| marks | mark(text))
}

impl Recent {
    /// Whether a record of this request may be mistaken for one of `other`. Minutes apart, their times differ.
    fn may_be_taken_for(&self, other: &Self) -> bool {
        let is_around = self.made.steady_since(other.made) + other.made.steady_since(self.made) <= AROUND;
        is_around && (self.departure != Departure::Void || other.departure == Departure::Void)
    }
}

impl Requests {
    /// Drops requests that are old, and those for which there is no room beside another with `length` bytes.
    fn make_room(&mut self, length: usize, now: Moment) {
        while let Some(oldest) = self.requests.front() {
            let is_full = self.requests.len() >= MOST || self.text.len() + length > MOST_TEXT;
            if !is_full && now.steady_since(oldest.made) <= AGE {
                return;
            }
            self.text.drain(..oldest.length);
            self.requests.pop_front();
            self.first += 1;
        }
    }

    /// The requests in whose bodies `id` is a text, and how many times.
    fn that_carry(&self, id: &str) -> impl Iterator<Item = (&Recent, usize)> {
        let quoted = format!("\"{id}\"");
        // Marks are of texts without quotation marks.
        let mark = if id.contains('"') { 0 } else { mark(id.as_bytes()) };
        let mut begin = 0;
        self.requests.iter().filter_map(move |recent| {
            let body = begin..begin + recent.length;
            begin = body.end;
            if recent.marks.get() == 0 {
                recent.marks.set(marks(&self.body(body.clone())));
            }
            if recent.marks.get() & mark != mark {
                return None;
            }
            // A body that is not text may carry anything.
            let times = str::from_utf8(&self.body(body)).map_or(1, |body| body.matches(&quoted).count());
            (times > 0).then_some((recent, times))
        })
    }

    /// The part of the text that is one body. It is copied only if the buffer wraps around within it.
    fn body(&self, body: Range<usize>) -> Cow<'_, [u8]> {
        let (first, second) = self.text.as_slices();
        match body.start.checked_sub(first.len()) {
            Some(start) => Cow::Borrowed(&second[start..body.end - first.len()]),
            None if body.end <= first.len() => Cow::Borrowed(&first[body]),
            None => Cow::Owned([&first[body.start..], &second[..body.end - first.len()]].concat()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Moment {
        Moment { wall: Timestamp::default(), steady: Duration::from_secs(seconds) }
    }

    fn millis(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn prepare(recent: &RecentRequests, signed_at: u64, now: u64, body: &str) -> RequestNumber {
        let names = body.starts_with("{\"id") || body.starts_with('[');
        recent.remember(body.as_bytes(), millis(signed_at), at(now), names)
    }

    fn send(recent: &RecentRequests, signed_at: u64, now: u64, body: &str) -> RequestNumber {
        let request = prepare(recent, signed_at, now, body);
        recent.leaves(request, at(now));
        request
    }

    #[test]
    fn what_only_speaks_of_an_id_does_not_use_it() {
        let recent = RecentRequests::default();
        send(&recent, 1, 0, r#"{"id":"a"}"#);
        send(&recent, 2, 7, r#"{"amends":"a"}"#);
        assert!(!recent.is_named_twice("a", millis(1)));
        let left = |id, signed_at| recent.left(id, millis(signed_at)).map(|left| left.steady.as_secs());
        assert_eq!((left("a", 1), left("a", 2), left("a", 3), left("b", 1)), (Some(0), Some(7), None, None));
        send(&recent, 2, 8, r#"{"amends":"a"}"#);
        assert_eq!(left("a", 2), None, "it may be either");
    }

    /// Each request is an hour after the one before it, so that two are remembered besides it, while the buffer of their
    /// bodies wraps around at every place there is.
    #[test]
    fn an_id_is_found_wherever_the_buffer_wraps_around() {
        let (recent, mut has_wrapped) = (RecentRequests::default(), false);
        for hour in 0..200 {
            send(&recent, hour, hour * 3600, &format!(r#"{{"id":"number {hour}"}}"#));
            for known in hour.saturating_sub(2)..=hour {
                let left = recent.left(&format!("number {known}"), millis(known));
                assert_eq!(left.map(|left| left.steady.as_secs()), Some(known * 3600));
            }
            has_wrapped |= !recent.lock().text.as_slices().1.is_empty();
        }
        assert!(has_wrapped);
    }

    #[test]
    fn a_body_that_is_not_text_may_carry_any_id() {
        let recent = RecentRequests::default();
        let request = recent.remember(&[b'"', 0xff, b'"'], millis(1), at(0), true);
        recent.leaves(request, at(3));
        send(&recent, 1, 4, r#"{"id":"b"}"#);
        assert_eq!(recent.left("a", millis(1)), Some(at(3)));
        assert_eq!(recent.left("b", millis(1)), None, "it may be either");
    }

    #[test]
    fn an_id_that_two_requests_have_is_seen() {
        let recent = RecentRequests::default();
        let is_named_twice = |signed_at| recent.is_named_twice("a", millis(signed_at));
        send(&recent, 1, 0, r#"{"id":"a"}"#);
        send(&recent, 2, 0, r#"{"id":"ab"}"#);
        assert!(!is_named_twice(1));
        send(&recent, 3, 1, r#"[{"id":"b"},{"id":"a"}]"#);
        assert!(is_named_twice(1) && is_named_twice(3));
        assert!(is_named_twice(9), "it may be either");
        // Minutes apart, their times tell them from one another.
        send(&recent, 300_000, 300, r#"{"id":"c"}"#);
        send(&recent, 600_000, 600, r#"{"id":"c"}"#);
        send(&recent, 900_001, 901, r#"{"id":"c"}"#);
        let is_named_twice_of = |signed_at| recent.is_named_twice("c", millis(signed_at));
        assert!(is_named_twice_of(300_000) && is_named_twice_of(600_000) && !is_named_twice_of(900_001));
        send(&recent, 400_000, 902, r#"{"id":"a"}"#);
        assert!(is_named_twice(1) && !is_named_twice(400_000));
    }

    #[test]
    fn one_request_can_name_two() {
        let recent = RecentRequests::default();
        send(&recent, 1, 0, r#"[{"id":"a"},{"id":"b"},{"id":"a"}]"#);
        assert!(recent.is_named_twice("a", millis(1)) && !recent.is_named_twice("b", millis(1)));
    }

    #[test]
    fn an_unknown_signing_time_means_the_only_earlier_request() {
        let recent = RecentRequests::default();
        let is_named_twice = |signed_at| recent.is_named_twice("a", millis(signed_at));
        assert!(!is_named_twice(10_000), "an earlier run sent it");
        send(&recent, 10_000, 0, r#"{"id":"a"}"#);
        assert!(!is_named_twice(10_060) && !is_named_twice(8_000));
        assert!(is_named_twice(7_999), "what an earlier run sent is not this one");
        // The query may mean another request, which was dropped before it left.
        recent.void(prepare(&recent, 11_000, 1, r#"{"id":"a"}"#));
        assert!(is_named_twice(11_060) && is_named_twice(11_000));
        assert!(!is_named_twice(10_000), "nothing came of the other");
    }

    #[test]
    fn what_may_still_leave_counts() {
        let recent = RecentRequests::default();
        send(&recent, 1, 0, r#"{"id":"a"}"#);
        prepare(&recent, 2, 0, r#"{"id":"a"}"#);
        assert!(recent.is_named_twice("a", millis(1)) && recent.is_named_twice("a", millis(2)));
        assert!(recent.has_contender("a", at(0)));
    }

    #[test]
    fn a_request_that_was_under_way_since_contends() {
        let recent = RecentRequests::default();
        let first = send(&recent, 1, 1, r#"{"amends":"a"}"#);
        send(&recent, 2, 5, r#"{"amends":"a"}"#);
        assert!(recent.has_contender("a", at(5)), "its outcome is not known");
        assert!(!recent.has_contender("b", at(5)));
        recent.settle(first, at(4));
        assert!(!recent.has_contender("a", at(5)), "it was over before");
        recent.settle(first, at(5));
        assert!(recent.has_contender("a", at(5)), "it was over only after");
        recent.void(first);
        assert!(!recent.has_contender("a", at(5)), "nothing came of it");
        // What makes the order changes it too, when it lands late.
        send(&recent, 3, 3, r#"{"id":"a"}"#);
        assert!(recent.has_contender("a", at(5)));
    }

    #[test]
    fn two_changes_of_one_moment_contend() {
        let recent = RecentRequests::default();
        send(&recent, 1, 5, r#"{"amends":"a"}"#);
        assert!(!recent.has_contender("a", at(5)));
        send(&recent, 1, 5, r#"{"amends":"a"}"#);
        assert!(recent.has_contender("a", at(5)));
    }

    #[test]
    fn two_requests_of_one_moment_are_distinguished() {
        let recent = RecentRequests::default();
        send(&recent, 1, 0, r#"{"id":"a"}"#);
        send(&recent, 1, 0, r#"{"id":"a"}"#);
        assert!(recent.is_named_twice("a", millis(1)));
    }

    #[test]
    fn what_is_old_is_forgotten_and_memory_is_bounded() {
        let recent = RecentRequests::default();
        send(&recent, 1, 0, r#"{"id":"a"}"#);
        send(&recent, 2, 7200, r#"{"id":"a"}"#);
        assert!(recent.is_named_twice("a", millis(9)));
        send(&recent, 3, 7201, "{}");
        assert!(!recent.is_named_twice("a", millis(9)));
        for index in 0..=MOST as u64 {
            send(&recent, index, 7201, "{}");
        }
        assert_eq!(recent.lock().requests.len(), MOST);
        let long = "x".repeat(MOST_TEXT / 3);
        let requests: Vec<_> = (0..4).map(|_| send(&recent, 4, 7202, &long)).collect();
        assert_eq!(recent.lock().requests.len(), 3);
        assert_eq!(recent.lock().text.len(), 3 * long.len());
        recent.void(RequestNumber(0));
        recent.settle(requests[1], at(7203));
        let settled: Vec<_> = recent.lock().requests.iter().map(|recent| recent.settled).collect();
        assert_eq!(settled, [Some(at(7203)), None, None], "the first was dropped");
        send(&recent, 5, 7204, &"x".repeat(MOST_TEXT + 1));
        assert_eq!(recent.lock().requests.len(), 1);
    }
}
