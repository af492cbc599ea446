//! The texts that differ in each request. A nonce is one that no other request of a client has.
//!
//! A UUID is a keyed hash of the number that grows, so that a clock that is set back repeats no nonce. The number of
//! the process is hashed too, because a fork has the same key.

use std::fmt::{self, Write};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use arrayvec::ArrayString;

use crate::data::operation::Call;
use crate::data::tables::{NonceForm, TimestampForm};
use crate::data::value::Timestamp;

/// The length of a UUID; a number is shorter.
pub(super) const LONGEST_NONCE: usize = 36;

/// The nonces of a client.
#[derive(Debug, Default)]
pub(super) struct Nonces {
    last: AtomicU64,
    /// Distinguishes the UUIDs of this client from those of others.
    chance: RandomState,
}

impl Nonces {
    /// The nonce of a request at `now`.
    pub(super) fn next(&self, now: Timestamp, form: NonceForm) -> ArrayString<LONGEST_NONCE> {
        let number = self.next_number(now);
        let mut text = ArrayString::new();
        // It is long enough for both forms.
        let _ = match form {
            NonceForm::Number => write!(text, "{number}"),
            NonceForm::Uuid => {
                let [high, low] = self.uuid(number);
                let (first, second, third) = (high >> 32, high >> 16 & 0xffff, high & 0xffff);
                write!(text, "{first:08x}-{second:04x}-{third:04x}-{:04x}-{:012x}", low >> 48, low & 0xffff_ffff_ffff)
            }
        };
        text
    }

    /// At least the time in milliseconds, and more than the last one.
    fn next_number(&self, now: Timestamp) -> u64 {
        let next = |last: u64| last.saturating_add(1).max(now.as_millis());
        let last = self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
        next(last.unwrap_or_else(|last| last))
    }

    /// The random UUID (RFC 9562, version 4) that belongs to a number. After a fork, only the process tells two apart.
    fn uuid(&self, number: u64) -> [u64; 2] {
        let bits = |half: u8| self.chance.hash_one((std::process::id(), number, half));
        [bits(0) & !0xf000 | 0x4000, bits(1) & (u64::MAX >> 2) | 1 << 63]
    }
}

/// A timestamp in nanoseconds takes 26 digits at most; as in ISO 8601 it has fewer characters.
const LONGEST_TIMESTAMP: usize = 32;

/// The texts that are different in each request.
#[derive(Debug, Default)]
pub(crate) struct Stamp {
    pub(crate) at: Timestamp,
    pub(crate) timestamp: ArrayString<LONGEST_TIMESTAMP>,
    pub(crate) expires: ArrayString<LONGEST_TIMESTAMP>,
    pub(crate) nonce: ArrayString<LONGEST_NONCE>,
    /// The call that the request makes.
    pub(crate) call: Option<Call>,
    /// True if the parameters are a form.
    pub(crate) is_form: bool,
}

/// A time as it is sent.
pub(super) fn written(at: Timestamp, form: TimestampForm) -> ArrayString<LONGEST_TIMESTAMP> {
    let millis = at.as_millis();
    match form {
        TimestampForm::Seconds => text_of(format_args!("{}", millis / 1000)),
        TimestampForm::Milliseconds => text_of(format_args!("{millis}")),
        TimestampForm::Microseconds => text_of(format_args!("{millis}000")),
        TimestampForm::Nanoseconds => text_of(format_args!("{millis}000000")),
        TimestampForm::Iso8601 => text_of(format_args!("{at}")),
        TimestampForm::Iso8601Seconds => {
            text_of(format_args!("{}", at.to_string().split('.').next().unwrap_or_default()))
        }
    }
}

fn text_of(what: fmt::Arguments<'_>) -> ArrayString<LONGEST_TIMESTAMP> {
    let mut text = ArrayString::new();
    // It is long enough for every time.
    let _ = text.write_fmt(what);
    text
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn uuids_differ_although_the_clock_stands_still() {
        let nonces = Nonces::default();
        let other = Nonces::default();
        let at = Timestamp::from_millis(1_700_000_000_000);
        let all: HashSet<_> =
            (0..1_000).flat_map(|_| [&nonces, &other]).map(|from| from.next(at, NonceForm::Uuid)).collect();
        assert_eq!(all.len(), 2_000);
        for text in all {
            let groups: Vec<_> = text.split('-').map(str::len).collect();
            assert_eq!(groups, [8, 4, 4, 4, 12], "{text}");
            assert!(text.bytes().all(|byte| matches!(byte, b'-' | b'0'..=b'9' | b'a'..=b'f')), "{text}");
            assert!(text.as_bytes()[14] == b'4' && matches!(text.as_bytes()[19], b'8' | b'9' | b'a' | b'b'), "{text}");
        }
    }
}
