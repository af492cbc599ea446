//! A call as a limiter sees it, its admission, and plans how long a set of calls takes.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::settings::LimitSettings;
use super::state::LimiterState;
use super::window::Key;
use crate::data::account::Known;
use crate::data::error::BindingLimit;
use crate::data::json::{Kind, ReadError, Reader};
use crate::data::operation::{DynOperation, Operation};
use crate::data::parameters::{Named, Parameters, json_of};
use crate::data::tables::{Meta, RateLimit, Scope, WeightCondition};

/// A call as a limiter sees it: its operation, and the account and address that it counts for.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    meta: &'static Meta,
    pub(super) uid_class: &'static str,
    pub(super) ip_class: &'static str,
    /// The classes that it may have instead, if an instrument that is not known decides, or a day that may have come. The
    /// rows of both apply.
    pub(super) or_classes: Option<[&'static str; 2]>,
    account: &'a str,
    address: &'a str,
    /// The rate of all calls of the address together, if that is known.
    pub(super) address_rate: Option<&'a RateLimit>,
    /// The rows of the table that apply to the call, a bit for each.
    pub(super) rows: u64,
}

impl<'a> Call<'a> {
    /// Creates a call of the operation `meta` with the default rows, for an account and an address without a name. If
    /// its weight depends on parameters, it has the greatest.
    #[inline]
    pub fn new(meta: &'static Meta) -> Self {
        let rows = if meta.limits.iter().any(is_of_some) { heaviest(meta, &|_| true) } else { ALL };
        let [uid_class, ip_class] = [DEFAULT; 2];
        Self { meta, uid_class, ip_class, or_classes: None, account: "", address: "", address_rate: None, rows }
    }

    /// Returns the call of `operation` with the rows of its class: the one that `classes` select, or else the one that
    /// follows from the request, the account, the instruments and the exchange's time. If an instrument that is not
    /// known decides, or a day that may have come, the rows of both classes apply.
    pub fn of<'k, O: Operation>(operation: &O, classes: &Classes, known: impl Into<Known<'k>>) -> Self {
        Self::of_any(operation, classes, known.into())
    }

    /// Creates a call as [`of`](Self::of) does, for an operation without its type.
    pub(crate) fn of_any(operation: &dyn DynOperation, classes: &Classes, known: Known<'_>) -> Self {
        let meta = operation.meta();
        let has_rows = |class: &&str, scope| meta.limits.iter().any(|row| row.scope == scope && row.class == *class);
        let [by_itself, or_else] = operation.limit_class(known);
        let choose = |scope, by_itself: Option<&'static str>| {
            let stated = classes.choose(meta.limits, scope, operation);
            stated.or(by_itself.filter(|class| has_rows(class, scope))).unwrap_or(DEFAULT)
        };
        let of_both = |by_itself| [Scope::Uid, Scope::Ip].map(|scope| choose(scope, by_itself));
        let [uid_class, ip_class] = of_both(by_itself);
        let or_classes = (by_itself != or_else).then(|| of_both(or_else));
        let rows = match meta.limits.iter().any(is_of_some) {
            true => rows_of(operation),
            false => ALL,
        };
        Self { uid_class, ip_class, or_classes, rows, ..Self::new(meta) }
    }

    /// Returns the same, counted for the user `account` and the network address `address`.
    #[must_use]
    pub fn counted_for(self, account: &'a str, address: &'a str) -> Self {
        Self { account, address, ..self }
    }

    /// Returns the same, of an address with this rate.
    pub(crate) fn within(self, address_rate: Option<&'a RateLimit>) -> Self {
        Self { address_rate, ..self }
    }

    /// Returns the operation.
    pub fn meta(&self) -> &'static Meta {
        self.meta
    }

    /// Returns the rows that apply to it; all of them must have room.
    pub fn limits(&self) -> impl Iterator<Item = &'static RateLimit> {
        let Self { uid_class, ip_class, or_classes, rows, .. } = *self;
        let is_of =
            move |row: &RateLimit, [uid, ip]: [&str; 2]| row.class == if row.scope == Scope::Uid { uid } else { ip };
        let is_meant = move |row: &RateLimit| {
            is_of(row, [uid_class, ip_class]) || or_classes.is_some_and(|classes| is_of(row, classes))
        };
        let rows_of_classes = self.meta.limits.iter().enumerate();
        rows_of_classes.filter(move |(index, row)| is_meant(row) && has(rows, *index)).map(|(_, row)| row)
    }

    /// Returns the account or the address that is counted within `scope`. Empty if it has no name.
    pub fn counted(&self, scope: Scope) -> &'a str {
        match scope {
            Scope::Uid => self.account,
            Scope::Ip => self.address,
        }
    }
}

/// Every row of a table.
const ALL: u64 = u64::MAX;

/// Returns whether a set of rows has the one at `index`. Rows beyond the last bit have no conditions, and always apply.
fn has(rows: u64, index: usize) -> bool {
    u32::try_from(index).ok().and_then(|index| rows.checked_shr(index)).is_none_or(|rest| rest & 1 == 1)
}

fn is_of_some(row: &RateLimit) -> bool {
    row.when != WeightCondition::Always
}

/// Returns the rows of a call; of several rows of a pool, only the heaviest.
fn rows_of(operation: &dyn DynOperation) -> u64 {
    let meta = operation.meta();
    let named = Named::of(operation);
    let default = |name: &str| meta.defaults.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
    let number = |name: &str| named.text(name).or_else(|| default(name).map(Cow::Borrowed))?.parse::<u64>().ok();
    heaviest(meta, &|row| match row.when {
        WeightCondition::Always => true,
        WeightCondition::Without(name) => !named.has(name),
        WeightCondition::With(name) => named.has(name),
        WeightCondition::Over(name, most) => number(name).is_some_and(|number| number > most),
    })
}

/// Returns the rows for which `is_of` holds, without those whose pool has a heavier one.
fn heaviest(meta: &Meta, is_of: &dyn Fn(&RateLimit) -> bool) -> u64 {
    let outweighs = |(other_index, other): (usize, &RateLimit), (index, row): (usize, &RateLimit)| {
        let is_of_same = row.pool.is_some() && other.pool == row.pool && other.per_millis == row.per_millis;
        is_of_same && is_of(other) && (other.weight, index) > (row.weight, other_index)
    };
    let mut set = 0;
    for (index, row) in meta.limits.iter().enumerate() {
        if is_of(row) && !meta.limits.iter().enumerate().any(|other| outweighs(other, (index, row))) {
            set |= u32::try_from(index).ok().and_then(|index| 1_u64.checked_shl(index)).unwrap_or_default();
        }
    }
    set
}

/// The class of the rows that apply if no others do.
pub(super) const DEFAULT: &str = "default";

/// The classes of rate limits that a client's calls belong to, the most specific first.
///
/// A limit can apply to a class of accounts or of pairs only ([`RateLimit::class`]). If the schema says which account
/// and which pair that is, the class follows from the request and the account
/// ([`Operation::limit_class`]), and need not be set here. Classes that are set here
/// take precedence. For each call, and separately for accounts and addresses, the first class applies that the call
/// belongs to and the operation has rows for; its rows replace the default ones, and all of them apply together. The
/// calls of a class are counted separately from those of others.
///
/// ```
/// use tradeapi_runtime::limits::Classes;
///
/// let copy_trader = Classes::new().always("copy-trading");
/// let listed = Classes::new().when("reality-whitelisted", "symbol", |symbol| symbol.starts_with('r'));
/// ```
#[derive(Clone, Default)]
pub struct Classes {
    classes: Vec<Class>,
}

#[derive(Clone)]
struct Class {
    name: Cow<'static, str>,
    when: Option<Condition>,
}

#[derive(Clone)]
struct Condition {
    parameter: Cow<'static, str>,
    holds: Arc<dyn Fn(&str) -> bool + Send + Sync>,
}

impl Classes {
    /// Creates classes without any: the default rows apply.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the class `name` for every call.
    #[must_use]
    pub fn always(self, name: impl Into<Cow<'static, str>>) -> Self {
        self.with(name.into(), None)
    }

    /// Adds the class `name` for calls whose parameter `parameter` has a text for which `holds` returns true. If there
    /// are several such parameters, as in a batch, one of them is enough.
    #[must_use]
    pub fn when(
        self,
        name: impl Into<Cow<'static, str>>,
        parameter: impl Into<Cow<'static, str>>,
        holds: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Self {
        let condition = Condition { parameter: parameter.into(), holds: Arc::new(holds) };
        self.with(name.into(), Some(condition))
    }

    fn with(mut self, name: Cow<'static, str>, when: Option<Condition>) -> Self {
        self.classes.push(Class { name, when });
        self
    }

    /// Returns the class whose rows apply within `scope`, as the table writes it; `None` for the default ones.
    pub(super) fn choose(
        &self,
        limits: &'static [RateLimit],
        scope: Scope,
        parameters: &dyn Parameters,
    ) -> Option<&'static str> {
        self.classes.iter().find_map(|class| {
            let row = limits.iter().find(|row| row.scope == scope && row.class == class.name)?;
            // Evaluated last, because only this condition is expensive.
            class.when.as_ref().is_none_or(|condition| condition.holds_for(parameters)).then_some(row.class)
        })
    }
}

impl Condition {
    fn holds_for(&self, parameters: &dyn Parameters) -> bool {
        // The parameters have just been written as JSON, so reading them does not fail.
        any_named(&mut Reader::new(&json_of(parameters)), &self.parameter, &*self.holds).unwrap_or(false)
    }
}

/// Returns whether `holds` returns true for a member `name` anywhere in the next value.
fn any_named(from: &mut Reader<'_>, name: &str, holds: &dyn Fn(&str) -> bool) -> Result<bool, ReadError> {
    let mut found = false;
    match from.peek() {
        Kind::Object => {
            let mut members = from.object(&[])?;
            while let Some(member) = members.next_name(from)? {
                let is_single = !matches!(from.peek(), Kind::Object | Kind::Array | Kind::Null);
                if is_single && member == name {
                    found |= holds(&from.scalar()?);
                } else {
                    found |= any_named(from, name, holds)?;
                }
            }
        }
        Kind::Array => {
            let mut elements = from.array()?;
            while elements.next(from)?.is_some() {
                found |= any_named(from, name, holds)?;
            }
        }
        _ => from.skip()?,
    }
    Ok(found)
}

impl fmt::Debug for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.classes.iter().map(|class| &class.name)).finish()
    }
}

/// The admission of one call. It takes room until it is used or given back.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a reservation takes room until it is used or given back"]
pub struct Reservation {
    /// An identifier for the limiter.
    pub key: u64,
    /// A time for the limiter: when the call was sent, or when it started to count.
    pub counted_at: Duration,
    /// The time that the caller waited for the permit.
    pub waited: Duration,
    /// The remaining calls after it, for the limiter.
    pub left: u32,
}

impl Reservation {
    /// Creates a reservation that the limiter identifies by `key`.
    pub fn new(key: u64, waited: Duration) -> Self {
        Self { key, counted_at: Duration::ZERO, waited, left: u32::MAX }
    }
}

/// Plans how long a set of calls takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// The number of requests.
    pub requests: usize,
    /// The number of calls that are refused, because the share of a limit is less than one call in a window.
    pub refused: usize,
    /// The time until the last of the others can be sent.
    pub lasts: Duration,
    /// The limit that the last one waits for; `None` if no call waits.
    pub binding: Option<BindingLimit>,
}

impl Plan {
    /// Creates a plan of a custom limiter.
    pub fn new(requests: usize, lasts: Duration, binding: Option<BindingLimit>) -> Self {
        Self { requests, refused: 0, lasts, binding }
    }

    /// Returns the plan for `calls` if there were none before.
    pub fn from_nothing(calls: &[Call<'_>]) -> Self {
        Self::after(LimiterState::new(LimitSettings::default()), Duration::ZERO, calls)
    }

    /// Returns the plan for `calls` that are made at `now`, one after the other, each of which is sent as soon as it is
    /// admitted and takes as long as usual.
    pub(super) fn after(mut state: LimiterState, now: Duration, calls: &[Call<'_>]) -> Self {
        state.expect_all(now);
        let mut plan = Self::new(calls.len(), Duration::ZERO, None);
        let mut first = None;
        let mut left = 0;
        for call in calls {
            let bucket = state.bucket(call, now);
            if state.is_closed(bucket) {
                plan.refused += 1;
                continue;
            }
            first.get_or_insert(state.line_up(bucket));
            left += 1;
            left -= state.go(now, first).len();
        }
        let mut latest = now;
        while let Some(moment) = state.next_at(latest).filter(|_| left > 0) {
            latest = moment;
            let mut waited_for = Vec::new();
            for bucket in state.busy() {
                waited_for.push((*bucket, state.binding(*bucket)));
            }
            let gone = state.go(moment, first);
            left -= gone.len();
            if let Some(last) = gone.last() {
                plan.lasts = moment.saturating_sub(now);
                plan.binding = waited_for.iter().find(|(bucket, _)| bucket == last).and_then(|(_, binding)| *binding);
            }
        }
        plan
    }
}

impl LimiterState {
    /// Admits all calls that there is room for. Returns the buckets of those with the turn `first` or later.
    fn go(&mut self, now: Duration, first: Option<u64>) -> Vec<Key> {
        let mut gone = Vec::new();
        for granted in self.settle(now) {
            self.expect(granted.bucket, now);
            if first <= Some(granted.turn) {
                gone.push(granted.bucket);
            }
        }
        gone
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requests, refused, lasts, binding } = self;
        if *refused == 0 || refused < requests {
            write!(f, "{} requests in {:.3} s", requests.saturating_sub(*refused), lasts.as_secs_f64())?;
        }
        if let Some(binding) = binding {
            write!(f, ", because of {binding}")?;
        }
        match refused {
            0 => return Ok(()),
            _ if refused >= requests => write!(f, "all {requests} requests are refused")?,
            _ => write!(f, "; {refused} more are refused")?,
        }
        f.write_str(": the share of their limit is less than one call in a window")
    }
}
