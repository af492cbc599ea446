//! A client that cancels and closes everything: once it says that nothing is left, the books have nothing, and no order
//! of it could open a position.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tradeapi::runtime::bytes::Bytes;
use tradeapi::runtime::clock::pause;
use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::error::{Delivery, TransportError, TransportErrorKind};
use tradeapi::runtime::flatten::{Flattened, Left, LeftOver, NotFlat};
use tradeapi::runtime::http;
use tradeapi::runtime::transport::{self, ResponseFuture, Transport};
use tradeapi::unified::{self, Category};
use tradeapi::{Account, Client, PositionMode, classic};
use tradeapi_exchange::{
    AccountView, Conditions, Exchange, Family, Fault, FaultKind, FaultTarget, Hostility, Keys, Mode, Node, OrderView,
    Profile, Seed, Settings, Time,
};

use crate::fixture::number;
use crate::random::{Chance, drive};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const MODES: [Mode; 2] = [Mode::OneWay, Mode::Hedge];

struct Desk {
    exchange: Exchange,
    keys: Keys,
    client: Client,
    mode: Mode,
    /// The client ids of its own orders; the other ones of its account are those of `flatten`.
    placed: RefCell<BTreeSet<String>>,
}

impl Desk {
    fn new(seed: u64, mode: Mode) -> Self {
        let mut settings = Settings::default();
        (settings.seed, settings.rate_limits) = (Seed(seed), false);
        let profile = Profile::new().both().mode(mode).balance("USDT", 10_000_000).balance("BTC", 100);
        let exchange = Exchange::with(settings, Time::by_hand(), profile);
        let keys = exchange.keys().clone();
        let client = exchange.client_of(&keys).transport(Impatient(exchange.clone())).build().unwrap();
        Self { exchange, keys, client, mode, placed: RefCell::default() }
    }

    /// Returns a client id, which is noted.
    fn client_id(&self) -> String {
        let id = unified::ClientOid::mint().as_str().to_owned();
        self.placed.borrow_mut().insert(id.clone());
        id
    }

    fn hostile(&self, seed: u64) {
        let mut hostility = Hostility::new(Seed(seed), 40, 8);
        hostility.nodes = vec![Node::new(2), Node::new(1).lagging(2_500)];
        let mut conditions = Conditions::default();
        conditions.hostility = Some(hostility);
        self.exchange.set_conditions(conditions);
    }

    fn unified(&self, side: unified::Side, qty: &str, execution: unified::Execution) -> unified::PlaceOrder {
        let order = unified::PlaceOrder::new(Category::UsdtFutures, "BTCUSDT", number(qty), side, execution);
        self.placed_by_desk(order)
    }

    /// Returns the order with a client id of the desk, and with the side of its position in hedge mode.
    fn placed_by_desk(&self, order: unified::PlaceOrder) -> unified::PlaceOrder {
        let side = order.side.clone();
        let order = order.client_oid(self.client_id().parse::<unified::ClientOid>().unwrap());
        let pos = if side == unified::Side::Buy { unified::PosSide::Long } else { unified::PosSide::Short };
        if self.mode == Mode::Hedge { order.pos_side(pos) } else { order }
    }

    fn classic(&self, side: classic::Side, size: &str, execution: classic::Execution) -> classic::PlaceOrder {
        let (line, margin) = (classic::ProductType::UsdtFutures, classic::MarginMode::Crossed);
        let order = classic::PlaceOrder::new("BTCUSDT", line, margin, "USDT", number(size), side, execution)
            .client_oid(self.client_id());
        if self.mode == Mode::Hedge { order.trade_side(classic::TradeSide::Open) } else { order }
    }

    /// Trades at random in both accounts. The outcome of an order is of no interest.
    fn trade(&self, chance: &mut Chance, count: u64) {
        for _ in 0..count {
            let (qty, is_buy) = (format!("0.{:03}", 1 + chance.below(400)), chance.is(60));
            let price = number(&(60_000 + chance.below(8_000)).to_string());
            let is_limit = chance.is(50);
            if chance.is(50) {
                let side = if is_buy { unified::Side::Buy } else { unified::Side::Sell };
                let limit = || unified::Execution::from(unified::Execution::limit(price));
                let order = self.unified(side, &qty, if is_limit { limit() } else { unified::Execution::Market });
                let _ = drive(&self.exchange, self.client.unified().place_order(&order));
            } else {
                let side = if is_buy { classic::Side::Buy } else { classic::Side::Sell };
                let limit = || classic::Execution::from(classic::Execution::limit(price, classic::Force::Gtc));
                let order = self.classic(side, &qty, if is_limit { limit() } else { classic::Execution::Market });
                let _ = drive(&self.exchange, self.client.classic().place_order(&order));
            }
            self.exchange.time().advance(Duration::from_millis(chance.below(500)));
        }
    }

    fn unified_account(&self) -> AccountView {
        self.exchange.account(&self.keys, Family::Unified)
    }

    /// Places an order of the unified account, which is filled.
    fn fill(&self, order: unified::PlaceOrder) {
        drive(&self.exchange, self.client.unified().place_order(&self.placed_by_desk(order))).unwrap();
    }

    /// Returns a client of the account that reaches nothing of the exchange.
    fn cut_off(&self) -> Client {
        let client = Client::builder("http://127.0.0.1").credentials(self.keys.credentials());
        client.environment(self.exchange.time().clone()).transport(nowhere()).build().unwrap()
    }

    fn flatten(&self) -> Result<Flattened, NotFlat> {
        self.flatten_by(&self.client)
    }

    /// Cancels and closes everything, by orders none of which can open a position.
    fn flatten_by(&self, client: &Client) -> Result<Flattened, NotFlat> {
        let flattened = drive(&self.exchange, client.flatten(&ConfirmPolicy::new()));
        assert_eq!(self.opening(), [], "{:?}", self.mode);
        flattened
    }

    /// Returns the orders that `flatten` placed and that can open a position.
    fn opening(&self) -> Vec<OrderView> {
        let placed = self.placed.borrow();
        let ids = [Family::Unified, Family::Classic].map(|family| self.exchange.order_ids(&self.keys, family));
        let orders = ids.iter().flatten().flatten().filter_map(|id| self.exchange.order(*id));
        orders.filter(|order| !order.closes && order.client_id.as_ref().is_none_or(|id| !placed.contains(id))).collect()
    }

    /// Returns what the books have.
    fn left(&self) -> Vec<String> {
        let mut left = Vec::new();
        for family in [Family::Unified, Family::Classic] {
            let account = self.exchange.account(&self.keys, family);
            left.extend(account.open_orders.iter().map(|order| format!("{family:?} order {order:?}")));
            left.extend(account.positions.iter().map(|position| format!("{family:?} position {position:?}")));
        }
        left
    }
}

/// Hostile runs: lost answers, requests that arrive late, lagging nodes, and orders that were on their way. Some two of a
/// hundred end without a proof; which ones depends on the ids that clients make.
#[test]
fn nothing_is_left_once_the_client_says_so() {
    const RUNS: u64 = 300;
    let mut flat = 0;
    for seed in 0..RUNS {
        let mode = if seed % 2 == 0 { Mode::OneWay } else { Mode::Hedge };
        let (desk, mut chance) = (Desk::new(seed, mode), Chance(seed));
        desk.trade(&mut chance, 12);
        desk.hostile(seed);
        desk.trade(&mut chance, 6);
        // One more is given up on its way.
        let order = desk.unified(unified::Side::Buy, "0.05", unified::Execution::Market);
        let unified = desk.client.unified();
        let _ = pin!(unified.place_order(&order)).poll(&mut Context::from_waker(Waker::noop()));
        match desk.flatten() {
            Ok(_) => {
                flat += 1;
                desk.exchange.time().advance(Duration::from_secs(300));
                assert_eq!(desk.left(), Vec::<String>::new(), "seed {seed}, {mode:?}");
                assert_eq!(desk.opening(), [], "seed {seed}, {mode:?}");
            }
            Err(not_flat) => eprintln!("seed {seed}, {mode:?}: {not_flat}"),
        }
    }
    assert!(flat * 100 >= RUNS * 95, "{flat} of {RUNS}");
}

/// Closing at market finds too few orders to trade with, so it takes several rounds.
#[test]
fn positions_are_closed_until_none_is_left() {
    for mode in MODES {
        let (desk, mut chance) = (Desk::new(7, mode), Chance(7));
        desk.trade(&mut chance, 30);
        assert!(!desk.left().is_empty());
        // Half of a day passes, and orders that are not filled disappear from the history.
        desk.exchange.time().advance(DAY / 2);
        desk.flatten().unwrap();
        assert_eq!(desk.left(), Vec::<String>::new(), "{mode:?}");
        // Again, when nothing is left.
        assert_eq!(desk.flatten().unwrap().rounds, 2);
    }
}

/// Positions are closed whether or not the client was told the position mode, even if it was told the wrong one.
#[test]
fn the_position_mode_need_not_be_stated() {
    for mode in MODES {
        for stated in [None, Some(PositionMode::OneWayMode), Some(PositionMode::HedgeMode)] {
            let (desk, mut chance) = (Desk::new(7, mode), Chance(7));
            desk.trade(&mut chance, 20);
            assert!(!desk.unified_account().positions.is_empty());
            let account = stated.map_or_else(Account::new, |mode| Account::new().position_mode(mode));
            let flat = desk.flatten_by(&desk.client.with_account(account));
            assert!(flat.is_ok(), "{mode:?}, {stated:?}: {flat:?}");
            assert_eq!(desk.left(), Vec::<String>::new(), "{mode:?}, {stated:?}");
        }
    }
}

/// An account in one-way mode may refuse the side of a position, by a code that one source alone has observed.
#[test]
fn a_position_is_closed_where_its_side_is_refused() {
    let desk = Desk::new(7, Mode::OneWay);
    let order = desk.unified(unified::Side::Buy, "0.119", unified::Execution::Market);
    drive(&desk.exchange, desk.client.unified().place_order(&order)).unwrap();
    let exchange = desk.exchange.clone();
    let strict = transport::from_fn(move |request: http::Request<Bytes>| {
        let names_side = String::from_utf8_lossy(request.body()).contains("posSide");
        let exchange = exchange.clone();
        async move {
            if !names_side {
                return exchange.send(request).await;
            }
            let refusal = r#"{"code": "25236", "msg": "Position type does not fit", "data": null}"#;
            Ok(http::Response::builder().status(400).body(Bytes::from(refusal)).unwrap())
        }
    });
    let client = desk.exchange.client_of(&desk.keys).transport(strict).build().unwrap();
    desk.flatten_by(&client).unwrap();
    assert_eq!(desk.left(), Vec::<String>::new());
}

/// An order that closes a position is answered by a code that leaves open whether it was placed.
#[test]
fn no_position_is_opened_after_an_unknown_outcome() {
    for mode in MODES {
        for code in ["40010", "40725", "45001"] {
            for kind in [FaultKind::Hide(code.into()), FaultKind::Refuse(code.into())] {
                let desk = Desk::new(7, mode);
                let order = desk.unified(unified::Side::Buy, "0.119", unified::Execution::Market);
                drive(&desk.exchange, desk.client.unified().place_order(&order)).unwrap();
                let placements = FaultTarget::Operation("unified.place-order".into());
                desk.exchange.add_fault(Fault::new(kind.clone()).target(placements).times(1));
                let flat = desk.flatten();
                assert!(flat.is_ok(), "{mode:?}, {kind:?}: {flat:?}");
                assert_eq!(desk.left(), Vec::<String>::new(), "{mode:?}, {kind:?}");
            }
        }
    }
}

/// Fills lag, so that a position is still shown after it was closed.
#[test]
fn no_position_is_opened_while_fills_lag() {
    for mode in MODES {
        let desk = Desk::new(7, mode);
        let order = desk.unified(unified::Side::Buy, "0.119", unified::Execution::Market);
        drive(&desk.exchange, desk.client.unified().place_order(&order)).unwrap();
        desk.exchange.time().advance(Duration::from_secs(10));
        let mut conditions = Conditions::default();
        conditions.lag = 5_000;
        desk.exchange.set_conditions(conditions);
        // Another position keeps the value from being zero: it lags less than the fills.
        let other = unified::PlaceOrder::new(
            Category::UsdtFutures,
            "ETHUSDT",
            number("40"),
            unified::Side::Buy,
            unified::Execution::Market,
        );
        desk.fill(other);
        desk.flatten().unwrap();
        assert_eq!(desk.left(), Vec::<String>::new(), "{mode:?}");
    }
}

/// A position that was opened too long ago to be seen was closed since: its fills look like a position of the other
/// side.
#[test]
fn no_position_is_opened_from_a_part_of_the_fills() {
    for mode in MODES {
        let desk = Desk::new(7, mode);
        let buy = |symbol: &str, qty: &str, side| {
            let execution = unified::Execution::Market;
            unified::PlaceOrder::new(Category::UsdtFutures, symbol, number(qty), side, execution)
        };
        desk.fill(buy("BTCUSDT", "0.1", unified::Side::Buy));
        desk.fill(buy("ETHUSDT", "0.1", unified::Side::Buy));
        desk.exchange.time().advance(60 * DAY);
        let close = buy("BTCUSDT", "0.1", unified::Side::Sell);
        let close = if mode == Mode::Hedge { close.pos_side(unified::PosSide::Long) } else { close };
        let close = close.client_oid(desk.client_id().parse::<unified::ClientOid>().unwrap());
        drive(&desk.exchange, desk.client.unified().place_order(&close)).unwrap();
        desk.exchange.time().advance(40 * DAY);
        let not_flat = desk.flatten().unwrap_err();
        assert!(not_flat.left.iter().any(|left| matches!(left.what, LeftOver::Value(_))), "{not_flat}");
        assert!(not_flat.to_string().ends_with("; flatten it again, or see to what is left by hand"), "{not_flat}");
        let open: Vec<_> = desk.unified_account().positions.into_iter().map(|position| position.symbol).collect();
        assert_eq!(open, ["ETHUSDT"], "{mode:?}");
    }
}

/// The fills of Coin-M positions do not show the unit of the orders that would close them.
#[test]
fn a_position_of_unknown_size_is_named_and_left_alone() {
    for mode in MODES {
        let desk = Desk::new(7, mode);
        let of = |category: Category, symbol: &str, qty: &str, side| {
            unified::PlaceOrder::new(category, symbol, number(qty), side, unified::Execution::Market)
        };
        desk.fill(of(Category::CoinFutures, "ETHUSD_CM", "9450", unified::Side::Buy));
        desk.fill(of(Category::CoinFutures, "BTCUSD_CM", "3200", unified::Side::Sell));
        desk.fill(of(Category::UsdtFutures, "BTCUSDT", "0.119", unified::Side::Buy));
        let not_flat = desk.flatten().unwrap_err();
        let account = desk.unified_account();
        let open: Vec<_> =
            account.positions.iter().map(|position| (position.symbol.as_str(), position.qty.to_string())).collect();
        assert_eq!(open, [("BTCUSD_CM", "3200".to_owned()), ("ETHUSD_CM", "9450".to_owned())], "{mode:?}");
        let named = not_flat.left.iter().find(|left| left.line == Some("COIN-FUTURES")).unwrap();
        assert_eq!(named.what, LeftOver::NotClosed(vec!["BTCUSD_CM".to_owned(), "ETHUSD_CM".to_owned()]));
        assert!(named.to_string().contains("close them by hand"), "{named}");
    }
}

/// Returns the reason why a part is unknown, if it is.
fn why_unknown(what: &LeftOver) -> Option<&str> {
    match what {
        LeftOver::UnknownOrders(why) | LeftOver::UnknownPositions(why) | LeftOver::Unknown(why) => Some(why),
        _ => None,
    }
}

/// The client reports what cannot be closed, and does not say that all is well.
#[test]
fn what_is_left_is_reported() {
    let desk = Desk::new(7, Mode::OneWay);
    let order = desk.unified(unified::Side::Buy, "0.119", unified::Execution::Market);
    drive(&desk.exchange, desk.client.unified().place_order(&order)).unwrap();
    let not_flat = drive(&desk.exchange, desk.cut_off().flatten(&ConfirmPolicy::new())).unwrap_err();
    assert!(not_flat.left.iter().all(|left| why_unknown(&left.what).is_some()), "{not_flat}");
    let shown: BTreeSet<String> = not_flat.left.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), not_flat.left.len(), "each line says which part is unknown: {not_flat}");
    for family in ["unified", "classic"] {
        assert!(not_flat.left.iter().any(|left| left.family == family), "{not_flat}");
    }
    assert!(!desk.left().is_empty());
}

/// Who has little time gets the answer within it, with what is known.
#[test]
fn nothing_is_sent_after_the_deadline() {
    let desk = Desk::new(8, Mode::Hedge);
    let begun = desk.exchange.time().now();
    let policy = ConfirmPolicy::new().deadline(Duration::from_secs(10));
    let not_flat = drive(&desk.exchange, desk.cut_off().flatten(&policy)).unwrap_err();
    let took = desk.exchange.time().now() - begun;
    // The last call may have waited for its rate limit, in which those without an answer keep their places for a while.
    assert!(took <= Duration::from_secs(10 + 16), "{took:?}: {not_flat}");
    assert!(not_flat.to_string().contains("no connection"), "{not_flat}");
    for family in ["unified", "classic"] {
        let is_late = |left: &Left| why_unknown(&left.what).is_some_and(|why| why.contains("deadline"));
        assert!(not_flat.left.iter().any(|left| left.family == family && is_late(left)), "{not_flat}");
    }
}

/// Waits two seconds for an answer.
struct Impatient(Exchange);

impl Transport for Impatient {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        Box::pin(async move {
            let (mut answer, time) = (self.0.send(request), self.0.time());
            let mut patience = pin!(pause(time, Duration::from_secs(2)));
            poll_fn(|context| match answer.as_mut().poll(context) {
                Poll::Ready(answer) => Poll::Ready(answer),
                Poll::Pending => patience
                    .as_mut()
                    .poll(context)
                    .map(|()| Err(TransportError::new(TransportErrorKind::Timeout, Delivery::MaybeSent))),
            })
            .await
        })
    }
}

/// Returns a transport that sends nothing.
fn nowhere() -> impl Transport {
    transport::from_fn(|_| async { Err(TransportError::new(TransportErrorKind::Connect, Delivery::NotSent)) })
}
