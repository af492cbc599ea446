use std::collections::VecDeque;

use super::call::Call;
use crate::tables::Effect;

/// The calls that are counted in the same windows: those of one operation, class, account and address.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    operation: &'static str,
    classes: [&'static str; 2],
    account: String,
    address: String,
    /// Whether its calls go before those of other lanes.
    pub(super) urgent: bool,
    /// The windows that must all have room.
    pub(super) windows: Vec<usize>,
    /// How many of them, from the front, are the operation's own.
    pub(super) own: usize,
    /// The turns of those who wait, in order.
    pub(super) queue: VecDeque<u64>,
}

impl Lane {
    pub(super) fn of(call: &Call<'_>, windows: Vec<usize>, own: usize, cancels_first: bool) -> Self {
        let (account, address) = names(call);
        Self {
            operation: call.meta().id,
            classes: [call.uid_class, call.ip_class],
            account: account.to_owned(),
            address: address.to_owned(),
            urgent: cancels_first && call.meta().effect == Effect::Cancel,
            windows,
            own,
            queue: VecDeque::new(),
        }
    }

    #[inline]
    pub(super) fn takes(&self, call: &Call<'_>) -> bool {
        let (account, address) = names(call);
        is_same(self.operation, call.meta().id)
            && is_same(self.classes[0], call.uid_class)
            && is_same(self.classes[1], call.ip_class)
            && is_same(&self.account, account)
            && is_same(&self.address, address)
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
