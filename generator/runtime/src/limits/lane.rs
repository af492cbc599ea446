use std::collections::VecDeque;
use std::time::Duration;

use super::book::Pause;
use super::call::Call;
use super::slab::Key;
use crate::tables::{Effect, Meta};

/// The calls that are counted in the same windows: those of one operation, class, account and address.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    operation: &'static Meta,
    classes: [&'static str; 2],
    account: String,
    pub(super) address: String,
    /// Whether its calls go before those of other lanes.
    urgent: bool,
    /// Whether nothing ever goes.
    pub(super) closed: bool,
    /// Until when nothing goes, whatever the windows say.
    pub(super) shut_until: Duration,
    /// The windows that must all have room.
    pub(super) windows: Vec<Key>,
    /// How many of them, from the front, are the operation's own.
    pub(super) own: usize,
    /// The turns of those who wait, in order.
    pub(super) queue: VecDeque<u64>,
}

impl Lane {
    pub(super) fn of(call: &Call<'_>, windows: Vec<Key>, own: usize, urgent: bool) -> Self {
        let (account, address) = names(call);
        Self {
            operation: call.meta(),
            classes: [call.uid_class, call.ip_class],
            account: account.to_owned(),
            address: address.to_owned(),
            urgent,
            closed: false,
            shut_until: Duration::ZERO,
            windows,
            own,
            queue: VecDeque::new(),
        }
    }

    #[inline]
    pub(super) fn takes(&self, call: &Call<'_>) -> bool {
        let (account, address) = names(call);
        std::ptr::eq(self.operation, call.meta())
            && is_same(self.classes[0], call.uid_class)
            && is_same(self.classes[1], call.ip_class)
            && is_same(&self.account, account)
            && is_same(&self.address, address)
    }

    /// Lets nothing go for as long as `pause` says.
    pub(super) fn shut(&mut self, pause: Pause) {
        let until = if self.cancels() { pause.cancels_until } else { pause.until };
        self.shut_until = self.shut_until.max(until);
    }

    pub(super) fn cancels(&self) -> bool {
        self.operation.effect == Effect::Cancel
    }

    /// Where the first who waits stands among those of all lanes: the least goes first.
    pub(super) fn turn(&self) -> Option<(bool, u64)> {
        self.queue.front().map(|turn| (!self.urgent, *turn))
    }
}

fn names<'a>(call: &Call<'a>) -> (&'a str, &'a str) {
    use crate::tables::Scope::{Ip, Uid};
    (call.counted(Uid), call.counted(Ip))
}

/// Whether two names are the same, found without looking at them where possible. The texts of empty ones in particular
/// may be at an address where nothing is, and processors with AVX-512 take a hundred nanoseconds to compare nothing there.
#[inline]
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && (one.is_empty() || std::ptr::eq(one, other) || one == other)
}
