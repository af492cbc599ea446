//! The outcome of an order whose request or answer is lost, for each exchange that can be queried by the caller's id.
//!
//! A small simulated exchange, whose protocol an adapter defines, has one fault. Outcomes that need no waiting are
//! found over loopback; the others in virtual time, with a policy that waits long enough.

mod adapters;
mod exchange;
mod two_places;
mod virtual_time;

use std::sync::Arc;
use std::time::Duration;

use apis::assorted;
use apis::assorted::desk::SettleAccount;
use apis::binance::spot::NewOrder;
use tradeapi_runtime::confirm::{BatchConfirmation, Confirmation};
use tradeapi_runtime::dec;
use tradeapi_runtime::tables::Outcome;
use tradeapi_tests::loopback::{Answer, ScriptedServer};

use crate::{hex, hmac_sha256};

use adapters::{
    BINANCE, BINANCE_FOR_A_MINUTE, BITMEX, COINBASE, CRYPTOCOM, GATEIO, GEMINI, HTX, OKX, OKX_BATCH, binance,
    binance_order, coinbase, coinbase_order, patient,
};
use exchange::{Adapter, Exchange, Fault, Place};
use two_places::{BITFINEX, BYBIT, DERIBIT, KRAKEN, KUCOIN, PHEMEX};
use virtual_time::VirtualTime;

const EXCHANGES: [&Adapter; 15] = [
    &BINANCE, &BITFINEX, &BITMEX, &BYBIT, &COINBASE, &CRYPTOCOM, &DERIBIT, &GATEIO, &GEMINI, &HTX, &KRAKEN, &KUCOIN,
    &OKX, &OKX_BATCH, &PHEMEX,
];

/// Longer than any placement over loopback takes. Its client does not wait.
const STUCK: Duration = Duration::from_secs(60);

/// The faults after which the order is accepted, but the client does not learn of it.
const ANSWERS_LOST: [Fault; 3] = [Fault::AnswerLost, Fault::AnswerTorn, Fault::GatewayFails];

/// The result of a placement.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Settled {
    outcome: Outcome,
    by_absence: bool,
}

impl Settled {
    const DONE: Self = Self { outcome: Outcome::Done, by_absence: false };
    const ABSENT: Self = Self { outcome: Outcome::NotDone, by_absence: true };
    const UNKNOWN: Self = Self { outcome: Outcome::Unknown, by_absence: false };

    fn of<A, R>(confirmation: &Confirmation<A, R>) -> Self {
        let by_absence = matches!(confirmation, Confirmation::NotDone(not_done) if not_done.by_absence);
        Self { outcome: confirmation.outcome(), by_absence }
    }

    /// Returns the common result of all items of a batch.
    fn of_items<I, T, R>(batch: &BatchConfirmation<I, T, R>) -> Self {
        let mut all = batch.items.iter().map(|item| Self::of(&item.confirmation));
        let first = all.next().unwrap();
        assert!(all.all(|other| other == first), "the items ended differently");
        first
    }
}

/// Places an order on each exchange in virtual time, and compares the results.
async fn in_virtual_time(fault: Fault, place: Place, expected: impl Fn(&Adapter) -> Settled) {
    for adapter in EXCHANGES {
        let settled = among_others(adapter, fault, place, 0).await;
        assert_eq!(settled, expected(adapter), "{}: {fault:?}, {place:?}", adapter.create);
    }
}

/// Places an order that is listed after others.
async fn among_others(adapter: &'static Adapter, fault: Fault, place: Place, others: usize) -> Settled {
    let virtual_time = VirtualTime::leaping();
    let exchange = Arc::new(Exchange::new(adapter, fault, place, virtual_time.clone()).among(others));
    let settled =
        (adapter.place)("https://exchange.example".to_owned(), virtual_time.with(Arc::clone(&exchange))).await;
    assert_eq!(exchange.creates(), 1, "{}: a placement is never sent again", adapter.create);
    settled
}

#[tokio::test]
async fn an_order_whose_answer_is_lost_is_found_over_loopback() {
    for adapter in EXCHANGES {
        for fault in ANSWERS_LOST {
            let (server, virtual_time) = (ScriptedServer::start().unwrap(), VirtualTime::resting());
            let exchange = Arc::new(Exchange::new(adapter, fault, Place::Open, virtual_time.clone()));
            let there = Arc::clone(&exchange);
            server.answer_otherwise(move |request| there.answer(request));
            let placement = (adapter.place)(server.url(), virtual_time);
            let settled = tokio::time::timeout(STUCK, placement).await;
            let settled = settled.unwrap_or_else(|_| panic!("{}: {fault:?} does not end", adapter.create));
            assert_eq!(settled, Settled::DONE, "{}: {fault:?}", adapter.create);
            // A query for each order was enough.
            let requests = 1 + exchange.accepted();
            assert_eq!((exchange.creates(), server.requests().len()), (1, requests), "{}", adapter.create);
        }
    }
}

#[tokio::test]
async fn an_order_whose_answer_is_lost_is_found_wherever_it_is_listed() {
    for place in [Place::Open, Place::History] {
        for fault in ANSWERS_LOST {
            in_virtual_time(fault, place, |_| Settled::DONE).await;
        }
    }
}

#[tokio::test]
async fn an_order_whose_request_arrives_late_is_found() {
    for place in [Place::Open, Place::History] {
        in_virtual_time(Fault::RequestLate, place, |_| Settled::DONE).await;
    }
}

/// An absence proves nothing as long as the request can arrive by the window that it sets itself.
#[tokio::test]
async fn an_order_with_a_longer_window_is_awaited_for_longer() {
    for (fault, expected) in [(Fault::RequestVeryLate, Settled::DONE), (Fault::RequestLost, Settled::ABSENT)] {
        assert_eq!(among_others(&BINANCE_FOR_A_MINUTE, fault, Place::Open, 0).await, expected, "{fault:?}");
    }
}

#[tokio::test]
async fn a_prepared_order_expires_by_the_window_that_it_sets() {
    for (window, last) in [(None, 5_000), (Some(1_000), 1_000), (Some(60_000), 60_000)] {
        for (passed, sent) in [(last - 1, 1), (last, 0)] {
            let virtual_time = VirtualTime::leaping();
            let exchange = Arc::new(Exchange::new(&BINANCE, Fault::GatewayFails, Place::Open, virtual_time.clone()));
            let client =
                binance("https://exchange.example".to_owned(), virtual_time.clone().with(Arc::clone(&exchange)));
            let order = window.into_iter().fold(binance_order(), NewOrder::recv_window);
            let prepared = client.core().prepare(&order).unwrap();
            virtual_time.pass(Duration::from_millis(passed));
            let _ = client.core().send(prepared).await.unwrap_err();
            assert_eq!(exchange.creates(), sent, "{window:?} after {passed} ms");
        }
    }
}

#[test]
fn a_window_longer_than_the_longest_is_refused() {
    let client = binance("https://exchange.example".to_owned(), VirtualTime::resting());
    let refused = client.core().prepare(&binance_order().recv_window(60_001)).unwrap_err();
    assert!(refused.to_string().contains("recvWindow"), "{refused}");
}

/// An order that is not found for long enough, in every listing and on every page, was not placed.
#[tokio::test]
async fn an_order_whose_request_is_lost_is_not_placed() {
    in_virtual_time(Fault::RequestLost, Place::Open, |_| Settled::ABSENT).await;
}

/// A query for orders since the request does not even list it.
#[tokio::test]
async fn an_older_order_with_the_same_id_proves_nothing() {
    for place in [Place::Open, Place::History] {
        let is_hidden = |adapter: &Adapter| adapter.hides_older.contains(&place);
        let expected = |adapter: &Adapter| if is_hidden(adapter) { Settled::ABSENT } else { Settled::UNKNOWN };
        in_virtual_time(Fault::IdTaken, place, expected).await;
    }
}

#[tokio::test]
async fn an_order_is_found_on_whichever_page_it_is() {
    for others in [1, 2, 5] {
        assert_eq!(among_others(&COINBASE, Fault::AnswerLost, Place::Open, others).await, Settled::DONE, "{others}");
    }
    for others in [999, 1000] {
        assert_eq!(among_others(&DERIBIT, Fault::AnswerLost, Place::History, others).await, Settled::DONE, "{others}");
    }
}

#[tokio::test]
async fn an_order_that_is_on_no_page_is_not_placed() {
    for others in [1, 2, 5] {
        assert_eq!(among_others(&COINBASE, Fault::RequestLost, Place::Open, others).await, Settled::ABSENT, "{others}");
    }
}

/// Orders can move between numbered pages and be missed, so only a single page proves an absence.
#[tokio::test]
async fn numbered_pages_prove_no_absence() {
    for (others, expected) in [(999, Settled::ABSENT), (1000, Settled::UNKNOWN)] {
        let settled = among_others(&DERIBIT, Fault::RequestLost, Place::History, others).await;
        assert_eq!(settled, expected, "{others}");
    }
}

/// The answers to two attempts with the same id are lost, and the exchange recognizes the second one. Both attempts
/// have the same order.
#[tokio::test]
async fn attempts_with_one_key_are_one_order() {
    for (apart, size, expected) in
        [(0, dec!(0.001), Settled::DONE), (600, dec!(0.001), Settled::DONE), (0, dec!(0.002), Settled::UNKNOWN)]
    {
        let virtual_time = VirtualTime::leaping();
        let exchange = Arc::new(Exchange::new(&COINBASE, Fault::AnswerLost, Place::Open, virtual_time.clone()));
        let client = coinbase("https://exchange.example".to_owned(), virtual_time.clone().with(Arc::clone(&exchange)));
        let error = client.call(&coinbase_order(dec!(0.001))).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown);
        virtual_time.pass(Duration::from_secs(apart));
        let settled = Settled::of(&client.place_and_confirm(&coinbase_order(size.clone()), &patient()).await);
        assert_eq!((settled, exchange.creates(), exchange.accepted()), (expected, 2, 1), "{apart} s, {size}");
    }
}

/// Another program's order with the same id, which differs in an inner parameter.
#[tokio::test]
async fn an_order_with_a_different_inner_parameter_is_another() {
    for (size, expected) in [(dec!(0.001), Settled::DONE), (dec!(0.002), Settled::UNKNOWN)] {
        let virtual_time = VirtualTime::leaping();
        let exchange = Arc::new(Exchange::new(&COINBASE, Fault::AnswerLost, Place::Open, virtual_time.clone()));
        let client =
            || coinbase("https://exchange.example".to_owned(), virtual_time.clone().with(Arc::clone(&exchange)));
        let _ = client().call(&coinbase_order(size)).await.unwrap_err();
        let settled = Settled::of(&client().place_and_confirm(&coinbase_order(dec!(0.001)), &patient()).await);
        assert_eq!((settled, exchange.accepted()), (expected, 1));
    }
}

/// A signed header states how long a request is valid.
#[tokio::test]
async fn a_header_of_a_request_sets_its_window() {
    /// MD5 of the body, by OpenSSL.
    const DIGEST: &str = "7acb040fffa5a752828a2996c7bb1c24";
    for (window, last) in [(None, 5_000), (Some(1_000), 1_000), (Some(60_000), 60_000)] {
        for (passed, sent) in [(last - 1, 1), (last, 0)] {
            let (server, virtual_time) = (ScriptedServer::start().unwrap(), VirtualTime::resting());
            server.answer_otherwise(|_| Answer::json("{}"));
            let client = virtual_time.clone().client(assorted::Client::builder(server.url()), "secret");
            let settle = window.into_iter().fold(SettleAccount::new("a"), SettleAccount::window);
            let prepared = client.core().prepare(&settle).unwrap();
            virtual_time.pass(Duration::from_millis(passed));
            let _ = client.core().send(prepared).await;
            let requests = server.requests();
            assert_eq!(requests.len(), sent, "{window:?} after {passed} ms");
            for request in requests {
                let given = window.map(|window| window.to_string());
                assert_eq!(request.header("X-Window"), given.as_deref());
                let (at, given) = (request.header("X-Time").unwrap(), given.unwrap_or_default());
                let form = request.header("Content-Type").unwrap();
                assert_eq!(request.text(), "account=a");
                let text = format!("{at}{given}{form}{}{DIGEST}", request.path);
                assert_eq!(request.header("X-Sign"), Some(&*hex(&hmac_sha256(b"secret", &text))));
            }
        }
    }
}
