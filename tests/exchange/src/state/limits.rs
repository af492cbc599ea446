//! Rate limits, per user or address, in a sliding window, and the refusal of addresses that have made too many requests.

use std::collections::VecDeque;
use std::net::IpAddr;

use rustc_hash::FxHashMap;
use tradeapi::API;
use tradeapi::runtime::tables::{Meta, RateLimit, Scope};

/// The key of a count: caller, operation and class.
type Key = (CallerId, &'static str, &'static str);

/// The caller of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CallerId {
    User(u64),
    Address(IpAddr),
}

/// Each limit with the times of recent calls, and the requests of each address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    calls: FxHashMap<Key, (RateLimit, VecDeque<u64>)>,
    addresses: FxHashMap<IpAddr, Requests>,
}

/// The requests of an address.
#[derive(Clone, Debug, Default)]
struct Requests {
    times: VecDeque<u64>,
    refused_until: u64,
}

/// A call exceeded a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exceeded(pub(crate) RateLimit);

impl Limits {
    /// Counts a request of an address, and returns whether the address is refused.
    pub(crate) fn refuses(&mut self, address: IpAddr, now: u64) -> bool {
        let Some((refused, rate)) = API.refused_address.and_then(|refused| Some((refused, refused.rate?))) else {
            return false;
        };
        let Requests { times, refused_until } = self.addresses.entry(address).or_default();
        if now < *refused_until {
            return true;
        }
        let length = u64::from(rate.per_millis);
        while times.front().is_some_and(|at| at + length <= now) {
            times.pop_front();
        }
        times.push_back(now);
        let is_one_too_many = u32::try_from(times.len()).is_ok_and(|count| count > rate.calls);
        if is_one_too_many {
            times.clear();
            *refused_until = now + refused.lasts_ms;
        }
        is_one_too_many
    }

    /// Counts a call and returns the number of calls left, or refuses it. Refused calls are not counted.
    pub(crate) fn count(
        &mut self,
        meta: &'static Meta,
        class: Option<&str>,
        user: Option<u64>,
        address: IpAddr,
        now: u64,
    ) -> Result<Option<u32>, Exceeded> {
        let wanted = class.unwrap_or("default");
        let of_class = |wanted: &str| meta.limits.iter().find(|limit| limit.class == wanted);
        let Some(limit) = of_class(wanted).or_else(|| of_class("default")) else { return Ok(None) };
        let caller = match (limit.scope, user) {
            (Scope::Uid, Some(user)) => CallerId::User(user),
            _ => CallerId::Address(address),
        };
        let (_, calls) = self.calls.entry((caller, meta.id, limit.class)).or_insert_with(|| (*limit, VecDeque::new()));
        let length = u64::from(limit.per_millis);
        while calls.front().is_some_and(|at| at + length <= now) {
            calls.pop_front();
        }
        let used = u32::try_from(calls.len()).unwrap_or(u32::MAX);
        if used >= limit.calls {
            return Err(Exceeded(*limit));
        }
        calls.push_back(now);
        Ok(Some(limit.calls - used - 1))
    }
}

/// A limit and how much of it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) caller: CallerId,
    /// The id of the operation.
    pub(crate) operation: &'static str,
    pub(crate) class: &'static str,
    pub(crate) used: u32,
    pub(crate) calls: u32,
    pub(crate) per_millis: u32,
}

impl Limits {
    /// Returns all limits that were ever used, in arbitrary order.
    pub(crate) fn usage(&self, now: u64) -> impl Iterator<Item = Usage> {
        self.calls.iter().map(move |((caller, operation, class), (limit, times))| {
            let length = u64::from(limit.per_millis);
            let recent = times.iter().filter(|at| **at + length > now).count();
            let used = u32::try_from(recent).unwrap_or(u32::MAX);
            let RateLimit { calls, per_millis, .. } = *limit;
            Usage { caller: *caller, operation, class, used, calls, per_millis }
        })
    }
}

#[cfg(test)]
mod tests {
    use tradeapi::Operation;
    use tradeapi::unified::PlaceOrder;

    use super::*;

    #[test]
    fn an_address_with_too_many_requests_is_refused_for_a_while() {
        let mut limits = Limits::default();
        let [here, there] = [1, 2].map(|last| IpAddr::from([127, 0, 0, last]));
        // A hundred a second, so that the window is full.
        assert!((0..12_000).all(|number| !limits.refuses(here, number * 10)));
        assert!(limits.refuses(here, 119_999), "6001 within a minute");
        assert!(!limits.refuses(there, 119_999), "another address");
        assert!(limits.refuses(here, 119_999 + 299_999) && !limits.refuses(here, 119_999 + 300_000));
    }

    #[test]
    fn a_window_slides() {
        let mut limits = Limits::default();
        let mut call = |class, now| {
            limits.count(PlaceOrder::META, class, Some(1), IpAddr::from([127, 0, 0, 1]), now).ok().flatten()
        };
        assert_eq!((0..10).map(|now| call(None, now * 50)).last(), Some(Some(0)));
        assert_eq!(call(None, 999), None, "ten calls are less than a second old");
        assert_eq!(call(None, 1_000), Some(0), "the first is a second old");
        assert_eq!(call(Some("reality"), 1_000), Some(4), "another class is counted apart");
    }
}
