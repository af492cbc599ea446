//! Rate limits, and the requests that share one.

use std::net::IpAddr;
use std::time::Duration;

use serde_json::{Value, json};
use tradeapi::VipLevel;
use tradeapi::runtime::Timestamp;
use tradeapi_exchange::{Exchange, Profile, Settings, Time};

use super::{CLASSIC, UNIFIED, classic, classic_market, done, info, refused, unified, with};
use crate::raw::{get, post};

fn exchange(profile: Profile) -> Exchange {
    Exchange::with(Settings::default(), Time::by_hand(), profile)
}

fn place(exchange: &Exchange, more: Value) -> Value {
    done(exchange, &format!("{UNIFIED}/place-order"), with(&unified(), more))
}

/// Returns the number of these requests that are accepted in a row.
fn served(exchange: &Exchange, path: &str, body: &Value) -> usize {
    let is_served = |_: &usize| post(path, body).send(exchange)["code"] != "429";
    (0..1_000).take_while(is_served).count()
}

#[test]
fn calls_beyond_a_rate_are_refused_and_do_nothing() {
    let exchange = exchange(Profile::new().both());
    let path = format!("{UNIFIED}/place-order");
    for index in 0..10 {
        place(&exchange, json!({"clientOid": format!("o{index}")}));
    }
    refused(&exchange, &path, with(&unified(), json!({"clientOid": "late"})));
    // Another operation has a limit of its own, and so has the other family.
    for index in 0..5 {
        let item = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "clientOid": format!("o{index}")});
        done(&exchange, &format!("{UNIFIED}/cancel-batch"), json!([item]));
    }
    let item = json!([{"category": "USDT-FUTURES", "symbol": "BTCUSDT", "clientOid": "o5"}]);
    refused(&exchange, &format!("{UNIFIED}/cancel-batch"), item);
    done(&exchange, &format!("{CLASSIC}/place-order"), classic());
    exchange.time().advance(Duration::from_millis(1_001));
    let gone = get(&format!("{UNIFIED}/order-info?clientOid=late")).send(&exchange);
    assert_ne!(gone["code"], "00000", "a refused order was not placed");
    assert_eq!(info(&exchange, "o5")["orderStatus"], "live");
    place(&exchange, json!({"clientOid": "late"}));
}

#[test]
fn stock_tokens_have_rates_of_their_own() {
    let path = format!("{UNIFIED}/place-order");
    let stock = json!({"category": "SPOT", "symbol": "rAAPLUSDT", "side": "buy", "orderType": "limit", "qty": "1",
                       "price": "225"});
    for (profile, most) in [(Profile::new().both(), 5), (Profile::new().both().whitelisted(), 30)] {
        let exchange = exchange(profile);
        assert_eq!(served(&exchange, &path, &stock), most);
        // Other pairs are not affected.
        assert_eq!(served(&exchange, &path, &unified()), 10);
        exchange.time().advance(Duration::from_millis(1_001));
        assert_eq!(served(&exchange, &path, &stock), most);
    }
}

#[test]
fn classic_orders_of_vip_users_have_higher_rates() {
    let path = format!("{CLASSIC}/place-order");
    let levels = [(VipLevel::Vip1, 60), (VipLevel::Vip2, 80), (VipLevel::Vip3, 100), (VipLevel::Vip7, 100)];
    for (level, most) in levels {
        let time = Time::by_hand_from(Timestamp::from_millis(1_790_000_000_000));
        let exchange = Exchange::with(Settings::default(), time, Profile::new().both().vip_level(level));
        assert_eq!(served(&exchange, &path, &classic()), most, "{level:?}");
        assert_eq!(
            served(&exchange, &format!("{UNIFIED}/place-order"), &unified()),
            10,
            "unified orders are as before"
        );
    }
}

#[test]
fn rates_with_dates_begin_by_the_clock_of_the_exchange() {
    let path = format!("{CLASSIC}/place-order");
    for (begun, most) in [(1_786_000_000_000, 10), (1_787_400_000_000, 60)] {
        let time = Time::by_hand_from(Timestamp::from_millis(begun));
        let exchange = Exchange::with(Settings::default(), time, Profile::new().both().vip_level(VipLevel::Vip1));
        assert_eq!(served(&exchange, &path, &classic()), most, "{begun}");
    }
}

#[test]
fn public_requests_are_counted_by_address() {
    let exchange = exchange(Profile::new().both());
    let target = "/api/v3/reality/market/inner-trades?code=AAPL";
    let ask = |address: [u8; 4]| {
        let request = http::Request::get(target).body(bytes::Bytes::new()).unwrap();
        exchange.answer(&request, IpAddr::from(address)).status().as_u16()
    };
    assert_eq!([ask([127, 0, 0, 1]), ask([127, 0, 0, 1]), ask([10, 0, 0, 1])], [200, 429, 200]);
    exchange.time().advance(Duration::from_millis(1_001));
    assert_eq!(ask([127, 0, 0, 1]), 200);
}

#[test]
fn positions_are_flash_closed_once_a_second() {
    let exchange = exchange(Profile::new().both());
    let close = json!({"productType": "USDT-FUTURES", "symbol": "BTCUSDT"});
    done(&exchange, &format!("{CLASSIC}/place-order"), classic_market());
    done(&exchange, &format!("{CLASSIC}/close-positions"), close.clone());
    done(&exchange, &format!("{CLASSIC}/place-order"), classic_market());
    refused(&exchange, &format!("{CLASSIC}/close-positions"), close.clone());
    exchange.time().advance(Duration::from_millis(1_001));
    done(&exchange, &format!("{CLASSIC}/close-positions"), close);
    // A key for copy trading reverses once a second, another one ten times.
    let reversal = json!({"symbol": "BTCUSDT", "marginCoin": "USDT", "productType": "USDT-FUTURES", "side": "buy"});
    for (profile, most) in [(Profile::new().both(), 10), (Profile::new().both().copy_trading(["BTCUSDT"]), 1)] {
        assert_eq!(served(&self::exchange(profile), &format!("{CLASSIC}/click-backhand"), &reversal), most);
    }
}

#[test]
fn the_queries_of_an_order_have_their_rate() {
    let exchange = exchange(Profile::new().both());
    place(&exchange, json!({"clientOid": "a"}));
    let ask = |path: &str| get(path).send(&exchange)["code"] != "429";
    let most = |path: &str| (0..100).take_while(|_| ask(path)).count();
    assert_eq!(most(&format!("{UNIFIED}/order-info?clientOid=a")), 20);
    assert_eq!(most(&format!("{UNIFIED}/unfilled-orders")), 20);
    let detail = format!("{CLASSIC}/detail?symbol=BTCUSDT&productType=USDT-FUTURES&clientOid=a");
    assert_eq!(most(&detail), 10, "also for a missing order");
    assert_eq!(most("/api/v3/account/assets"), 20);
}
