//! The calls that are counted in the same windows.
//!
//! A waiting call keeps its room in pools, as much as it weighs, once nothing but shared windows delays it. In order of
//! arrival alone, heavy calls would be passed forever; with the whole pool kept, an order that waits for the limit of a
//! day would stop every query.

use std::collections::VecDeque;
use std::time::Duration;

use super::call::Call;
use crate::data::tables::{Effect, Meta};

/// The key of a bucket or a window. Keys are never reused.
pub(super) type Key = slotmap::DefaultKey;

/// The calls that are counted in the same windows: those of one operation, class, account and address.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    operation: &'static Meta,
    classes: [&'static str; 2],
    or_classes: Option<[&'static str; 2]>,
    /// The rows of the operation's table that apply to its calls.
    rows: u64,
    account: String,
    pub(super) address: String,
    /// True if its calls are admitted before those of other buckets.
    urgent: bool,
    /// True if no call is ever admitted.
    pub(super) closed: bool,
    /// Until when no call is admitted, even if the windows have room.
    pub(super) shut_until: Duration,
    /// The windows that must all have room: those of the operation alone, of its pools, and the overall ones.
    pub(super) windows: Vec<Taken>,
    /// The number of windows at the front in which no other operation counts.
    pub(super) alone: usize,
    /// The number of windows at the front that are in the operation's table.
    pub(super) own: usize,
    /// The turns of the waiting calls, in order.
    pub(super) queue: VecDeque<u64>,
}

/// The part of a window that a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) window: Key,
    /// The number of calls that one call counts as.
    pub(super) count: usize,
}

/// The end of a pause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pause {
    pub(super) until: Duration,
    /// The end for cancellations.
    pub(super) cancels_until: Duration,
}

impl Bucket {
    pub(super) fn of(call: &Call<'_>, windows: Vec<Taken>, [alone, own]: [usize; 2], urgent: bool) -> Self {
        let (account, address) = names(call);
        Self {
            operation: call.meta(),
            classes: [call.uid_class, call.ip_class],
            or_classes: call.or_classes,
            rows: call.rows,
            account: account.to_owned(),
            address: address.to_owned(),
            urgent,
            closed: false,
            shut_until: Duration::ZERO,
            windows,
            alone,
            own,
            queue: VecDeque::new(),
        }
    }

    #[inline]
    pub(super) fn takes(&self, call: &Call<'_>) -> bool {
        let (account, address) = names(call);
        std::ptr::eq(self.operation, call.meta())
            && self.rows == call.rows
            && self.or_classes == call.or_classes
            && is_same(self.classes[0], call.uid_class)
            && is_same(self.classes[1], call.ip_class)
            && is_same(&self.account, account)
            && is_same(&self.address, address)
    }

    /// Admits no call until the end of `pause`.
    pub(super) fn shut(&mut self, pause: Pause) {
        let until = if self.cancels() { pause.cancels_until } else { pause.until };
        self.shut_until = self.shut_until.max(until);
    }

    pub(super) fn cancels(&self) -> bool {
        self.operation.effect == Effect::Cancel
    }

    /// The rank of the first waiting call among those of all buckets: the least is admitted first.
    pub(super) fn turn(&self) -> Option<(bool, u64)> {
        self.queue.front().map(|turn| (!self.urgent, *turn))
    }
}

fn names<'a>(call: &Call<'a>) -> (&'a str, &'a str) {
    use crate::data::tables::Scope::{Ip, Uid};
    (call.counted(Uid), call.counted(Ip))
}

/// Returns whether two names are the same, without comparing their bytes if possible. Empty texts may have a dangling
/// address, and processors with AVX-512 take a hundred nanoseconds to compare zero bytes there.
#[inline]
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && (one.is_empty() || std::ptr::eq(one, other) || one == other)
}
