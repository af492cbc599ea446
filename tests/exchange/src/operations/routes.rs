//! The operations of the exchange by their paths, and how a request of one is read, counted, checked and served.

use std::net::IpAddr;
use std::sync::LazyLock;

use bytes::Bytes;
use http::Request;
use rustc_hash::FxHashMap;
use tradeapi::observed::{GetContracts, GetInstruments};
use tradeapi::runtime::account::Known;
use tradeapi::runtime::checks::{CheckContext, Violation};
use tradeapi::runtime::json::{Encode, JsonWriter};
use tradeapi::runtime::tables::{Effect, Meta, RateLimit, Scope, Sends, Shows};
use tradeapi::runtime::value::ExchangeTime;
use tradeapi::{Operation, Timestamp, Violations};

use crate::operations::reading;
use crate::operations::reading::Wanted;
use crate::operations::tolerance::{Names, Symbol};
use crate::state::core::Core;
use crate::state::faults::ShownValue;
use crate::state::journal::count_rule;
use crate::state::orders::{Name, Order};
use crate::state::refusal::{Reason, Refusal, item_of, of_parameter, of_violation, of_violations};
use crate::state::words::{Family, Line};

/// The initial capacity of an answer, enough for the record of an order.
const ROOM: usize = 1_024;

/// An operation that this exchange serves. A new operation of the schema does not compile until it is served.
pub(crate) trait Serve: Operation<Response: Encode> {
    /// Parameters that no document lists and that a tolerant exchange takes nevertheless.
    const TAKES: &[&str] = &[];

    /// False if its symbols are not those of pairs.
    const SYMBOL_IS_LISTED: bool = true;

    /// True if it amends an order that has a condition, and keeps one whatever else the request names.
    const AMENDS_CONDITION: bool = false;

    /// True if an item that breaks a rule does not affect the other items.
    const ITEMS_FAIL_ALONE: bool = false;

    /// The family whose account the operation is about.
    const FAMILY: Family = match served(Self::META) {
        Some(family) => family,
        None => Family::Unified,
    };

    /// Carries out the request.
    fn serve(self, at: &mut Desk<'_>) -> Result<Self::Response, Refusal>;
}

/// Returns the data of an answer, with all fields of its records; a record without fields is `null`.
fn data<O: Serve>(response: &O::Response) -> String {
    if O::META.shows == Shows::Nothing {
        return "null".to_owned();
    }
    let mut out = JsonWriter::with_capacity(ROOM).with_missing_fields();
    response.encode(&mut out);
    out.finish()
}

/// The context of a request that is served.
pub(crate) struct Desk<'a> {
    pub(crate) core: &'a mut Core,
    pub(crate) meta: &'static Meta,
    pub(crate) family: Family,
    /// The account of the request. A public request has none.
    pub(crate) account: usize,
    /// The symbol of the request, also if the operation has no such parameter.
    pub(crate) symbol: Option<&'static str>,
    violations: Violations,
}

impl Desk<'_> {
    /// Returns why an item of a batch is refused before it is handled.
    pub(crate) fn refused_item(&self, index: usize) -> Option<Refusal> {
        if let Some(refusal) = &self.core.refused_items {
            return Some(refusal.clone());
        }
        let violation = self.violations.refusals().find(|violation| item_of(violation) == Some(index))?;
        Some(of_violation(violation, self.meta, self.family))
    }

    pub(crate) fn refusal(&self, reason: Reason) -> Refusal {
        reason.of_family(self.meta, self.family)
    }

    /// Returns the refusal for a parameter; see [`of_parameter`].
    pub(crate) fn refusal_of(&self, reason: Reason, parameter: [&str; 2], why: &str) -> Refusal {
        of_parameter(reason, parameter, why, self.meta, self.family)
    }

    /// Returns the order that a request names, if it is one of those that the request is about.
    pub(crate) fn named(&self, name: &Name, wanted: Wanted<'_>) -> Result<&Order, Reason> {
        let order = self.core.find(self.account, name).filter(|order| wanted.is(self.core, order));
        order.ok_or(Reason::NoSuchOrder)
    }

    /// Returns the pair that the family of the operation trades under a name, with other participants.
    pub(crate) fn pair(&mut self, line: &str, symbol: &str) -> Result<usize, Reason> {
        let line = Line::of(line).ok_or(Reason::Parameter)?;
        let index = self.core.pair(self.family, line, symbol).ok_or(Reason::UnknownSymbol)?;
        self.core.wake(index);
        Ok(index)
    }

    /// Finds a pair as [`pair`](Self::pair) does, for a contract that is margined in the named coin.
    pub(crate) fn contract(&mut self, line: &str, symbol: &str, coin: &str) -> Result<usize, Reason> {
        let index = self.pair(line, symbol)?;
        if self.core.is_margined_in(index, coin) { Ok(index) } else { Err(Reason::MarginCoin) }
    }

    /// Returns the order that a query names, as the node shows it.
    pub(crate) fn shown(&mut self, name: &Name) -> Option<Order> {
        self.core.shown(self.account, name)
    }
}

/// Returns the family whose accounts an operation is about; none if any key may call it.
pub(crate) const fn served(meta: &Meta) -> Option<Family> {
    match meta.account_family().as_bytes() {
        b"classic" => Some(Family::Classic),
        b"unified" => Some(Family::Unified),
        _ => None,
    }
}

/// An operation with its path, and the function that serves it.
pub(crate) struct Route {
    pub(crate) meta: &'static Meta,
    call: fn(&mut Core, &Caller<'_>) -> Served,
}

impl Route {
    const fn of<O: Serve>() -> Self {
        Self { meta: O::META, call: call::<O> }
    }

    /// Serves a request.
    pub(crate) fn call(&self, core: &mut Core, caller: &Caller<'_>) -> Served {
        core.note_changes();
        let served = (self.call)(core, caller);
        core.liquidate_changed();
        served
    }

    /// Serves a request whose answer shows this value of what it sets, as a fault.
    pub(crate) fn call_showing(&self, core: &mut Core, caller: &Caller<'_>, shown: Option<ShownValue>) -> Served {
        (core.shown_value, core.is_kept) = (shown, false);
        let served = self.call(core, caller);
        core.shown_value = None;
        served
    }

    /// Returns the route of an operation.
    pub(crate) fn of_operation(meta: &Meta) -> Option<&'static Self> {
        routes().find(|route| route.meta.id == meta.id)
    }

    /// Returns the route of a request.
    pub(crate) fn of_request(request: &Request<Bytes>) -> Option<&'static Self> {
        let of_path = BY_PATH.get(request.uri().path())?;
        of_path.iter().find(|route| request.method().as_str() == route.meta.method.as_str()).copied()
    }

    /// Returns why a request has no route.
    pub(crate) fn missing(request: &Request<Bytes>) -> Refusal {
        match BY_PATH.get(request.uri().path()).and_then(|routes| routes.first()) {
            Some(other) => Reason::WrongMethod.of(other.meta),
            None => Reason::UnknownPath.of(&Meta::DEFAULT),
        }
    }
}

macro_rules! routes {
    ($($operation:ty),* $(,)?) => {
        &[$(Route::of::<$operation>()),*]
    };
}

/// The operations of the documents, and those that were only observed.
static ROUTES: [&[Route]; 2] = [tradeapi::for_each_operation!(routes), tradeapi::for_each_observed_operation!(routes)];

fn routes() -> impl Iterator<Item = &'static Route> {
    ROUTES.into_iter().flatten()
}

/// The routes by path, each with its method.
static BY_PATH: LazyLock<FxHashMap<&str, Vec<&Route>>> = LazyLock::new(|| {
    let mut by_path = FxHashMap::<&str, Vec<&Route>>::default();
    for route in routes() {
        by_path.entry(route.meta.path).or_default().push(route);
    }
    by_path
});

/// Returns the parameters that identify orders, which answers repeat.
pub(crate) fn id_parameters() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let echoes = routes().filter_map(|route| route.meta.echoes.as_ref());
        let mut names: Vec<&str> = echoes.flat_map(|echoes| echoes.ids).flat_map(|echo| echo.of).copied().collect();
        names.sort_unstable();
        names.dedup();
        names
    });
    &NAMES
}

/// The sender of a request, and its raw parameters.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) user: Option<usize>,
    pub(crate) address: IpAddr,
    pub(crate) parameters: &'a str,
}

/// The data of an answer or a refusal, and the number of calls left.
pub(crate) struct Served {
    pub(crate) data: Result<String, Refusal>,
    pub(crate) left: Option<u32>,
}

impl Served {
    pub(crate) fn refused(refusal: Refusal) -> Self {
        Self { data: Err(refusal), left: None }
    }
}

/// Returns the refusal of a call beyond a limit.
fn of_limit(limit: &RateLimit, meta: &Meta) -> Refusal {
    let message = format!("Too many requests: {} calls in {} s", limit.calls, limit.window().as_secs_f64());
    let scope = if limit.scope == Scope::Uid { "uid" } else { "ip" };
    let class = if limit.class == "default" { String::new() } else { format!("-{}", limit.class) };
    let rule = format!("{}.rate-{scope}{class}", meta.id);
    Refusal { message, rule, ..Reason::TooManyRequests.of(meta) }
}

/// Returns the refusal of a symbol that is not listed.
fn of_unknown(symbol: &str, meta: &Meta, family: Family) -> Refusal {
    let listing = if family == Family::Classic { GetContracts::META } else { GetInstruments::META };
    let why = format!("{symbol:?} given; GET {} lists the pairs of a business line", listing.path);
    of_parameter(Reason::UnknownSymbol, ["symbol", "listed"], &why, meta, family)
}

/// Refuses what the documents forbid. Items of a batch that fail alone are refused one by one.
fn refuse_violations<O: Serve>(violations: &Violations, takes_ended_values: bool) -> Result<(), Refusal> {
    let refuses = violations.refusals().any(|violation| !O::ITEMS_FAIL_ALONE || item_of(violation).is_none());
    if refuses {
        return Err(of_violations(violations, O::META, O::FAMILY));
    }
    let has_ended = |violation: &&Violation| violation.rule.ends_with(".dates");
    let counts = !takes_ended_values && O::META.effect != Effect::Read;
    match violations.warnings().find(has_ended).filter(|_| counts) {
        Some(violation) => Err(of_violation(violation, O::META, O::FAMILY)),
        None => Ok(()),
    }
}

/// Refuses a request with a parameter that the operation does not have, and without which it would do more than was asked.
fn refuse_wider<O: Serve>(request: &O, ignored: &[String]) -> Result<(), Refusal> {
    let (reason, rule, why) = match O::META.effect {
        Effect::Create | Effect::Amend if !O::AMENDS_CONDITION => (
            Reason::Condition,
            "condition",
            "no such condition is known here: the order would be another one, or executed at once",
        ),
        Effect::Cancel | Effect::Close if !reading::has_any(request, &["orderId", "clientOid"]) => (
            Reason::Narrower,
            "narrower",
            "no such parameter is known here, and without it more would be cancelled or closed",
        ),
        _ => return Ok(()),
    };
    match ignored.iter().find(|name| reason.is_because_of(name)) {
        Some(parameter) => Err(of_parameter(reason, [parameter, rule], why, O::META, O::FAMILY)),
        None => Ok(()),
    }
}

/// Reads the request of one operation, counts it, checks it by the documents' rules and serves it.
fn call<O: Serve>(core: &mut Core, caller: &Caller<'_>) -> Served {
    let nobody = tradeapi::runtime::Account::new();
    let user = caller.user.map(|user| &core.users[user]);
    let account = user.map_or(0, |user| user.account(O::FAMILY));
    let properties = user.map_or(&nobody, |_| &core.accounts[account].properties);
    let Names { symbol, repairs } = Names::of(core, O::FAMILY, caller.parameters, O::META.sends() == Sends::Query);
    let reading::Read { request: read, mut ignored, miswritten } =
        reading::read::<O>(caller.parameters, repairs, core.settings.tolerant);
    ignored.retain(|name| !O::TAKES.contains(&name.as_str()));
    let time = ExchangeTime::exactly(Timestamp::from_millis(core.now));
    let class = read
        .as_ref()
        .ok()
        .and_then(|request| request.limit_class(Known { account: properties, listed: Some(&core.listed), time })[0]);
    let (now, listed) = (Some(Timestamp::from_millis(core.now)), Some(&core.listed));
    let context = CheckContext { account: properties, listed, time, now, ..CheckContext::default() };
    let violations = read.as_ref().map(|request| request.inspect(context)).unwrap_or_default();
    for name in &ignored {
        count_rule(&mut core.ignored, &format!("{}.{name}", O::META.id));
    }
    let mut left = None;
    if core.settings.rate_limits {
        match core.limits.count(O::META, class, user.map(|user| user.id), caller.address, core.now) {
            Ok(remaining) => left = remaining,
            Err(exceeded) => return Served { data: Err(of_limit(&exceeded.0, O::META)), left: Some(0) },
        }
    }
    let serve = || {
        let request = read.map_err(|violations| of_violations(&violations, O::META, O::FAMILY))?;
        if let Some(parameter) = miswritten {
            let why = "the documents write it as another kind of JSON, or the number in another way";
            return Err(of_parameter(Reason::WrongForm, [&parameter, "shape"], why, O::META, O::FAMILY));
        }
        refuse_violations::<O>(&violations, core.settings.takes_ended_values)?;
        refuse_wider(&request, &ignored)?;
        let symbol = match symbol {
            Some(Symbol::Unknown(symbol)) if O::SYMBOL_IS_LISTED => {
                return Err(of_unknown(symbol, O::META, O::FAMILY));
            }
            Some(Symbol::Listed(symbol)) => Some(symbol),
            Some(Symbol::Unknown(_)) | None => None,
        };
        let is_tolerant = core.settings.tolerant;
        let response =
            request.serve(&mut Desk { core, meta: O::META, family: O::FAMILY, account, symbol, violations })?;
        let data = data::<O>(&response);
        Ok(match O::META.list_member.filter(|_| is_tolerant) {
            Some(member) => format!(r#"{{"{member}":{data}}}"#),
            None => data,
        })
    };
    Served { data: serve(), left }
}
