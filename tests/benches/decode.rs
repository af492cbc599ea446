//! Reading of a page of 100 orders, from the bytes of the body to the type.
//!
//! The emitted type is compared with `serde_json` into structs that borrow their texts, and with a scanner that ignores
//! what it finds.
//!
//! `cargo bench -p tradeapi-tests --bench decode`

use std::error::Error;
use std::fmt::Write;
use std::sync::LazyLock;

use bytes::Bytes;
use measure::Race;
use serde::Deserialize;
use tradeapi::classic::{GetHistoryOrder, GetHistoryOrderPage};
use tradeapi::runtime::Reply;
use tradeapi::runtime::drift::Drift;
use tradeapi::runtime::wire::read_response;

mod measure;

const ORDERS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let page = Bytes::from(page(false));
    let reply = emitted(&page)?;
    let orders = &reply.data.entrusted_list;
    if orders.len() != ORDERS || !orders.is_complete() || borrowed(&page)?.data.entrusted_list.len() != ORDERS {
        return Err("the page was not read".into());
    }
    Race::new(format!("decode: a page of {ORDERS} classic history orders, {} bytes", page.len()))
        .way("the emitted type", || emitted(&page))
        .way("the emitted type, and a look for drift", || looked_at(&page))
        .way("serde_json into structs of &str", || borrowed(&page))
        .way("a scanner that makes nothing of it", || scan(&page))
        .run();

    let shuffled = Bytes::from(self::page(true));
    Race::new("decode: the same, its members not in the order of the document")
        .way("the emitted type", || emitted(&shuffled))
        .way("serde_json into structs of &str", || borrowed(&shuffled))
        .way("a scanner that makes nothing of it", || scan(&shuffled))
        .run();
    Ok(())
}

fn emitted(body: &Bytes) -> Result<Reply<GetHistoryOrderPage>, tradeapi::Error> {
    read_response::<GetHistoryOrder>(&tradeapi::API, http::Response::new(body.clone()))
}

fn looked_at(body: &Bytes) -> Result<Reply<GetHistoryOrderPage>, tradeapi::Error> {
    static DRIFT: LazyLock<Drift> = LazyLock::new(Drift::new);
    let answer = emitted(body);
    DRIFT.record::<GetHistoryOrder>(&tradeapi::API, &answer);
    answer
}

fn borrowed(body: &[u8]) -> serde_json::Result<Envelope<'_>> {
    serde_json::from_slice(body)
}

/// The fastest structs for `serde_json`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "read, never looked at")]
struct Envelope<'a> {
    code: &'a str,
    msg: &'a str,
    request_time: u64,
    #[serde(borrow)]
    data: Page<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "read, never looked at")]
struct Page<'a> {
    #[serde(borrow)]
    entrusted_list: Vec<Order<'a>>,
    end_id: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "read, never looked at")]
struct Order<'a> {
    symbol: &'a str,
    size: &'a str,
    order_id: &'a str,
    client_oid: &'a str,
    base_volume: &'a str,
    fee: &'a str,
    price: &'a str,
    price_avg: &'a str,
    status: &'a str,
    side: &'a str,
    force: &'a str,
    total_profits: &'a str,
    pos_side: &'a str,
    margin_coin: &'a str,
    quote_volume: &'a str,
    leverage: &'a str,
    margin_mode: &'a str,
    enter_point_source: &'a str,
    trade_side: &'a str,
    pos_mode: &'a str,
    order_type: &'a str,
    order_source: &'a str,
    c_time: &'a str,
    u_time: &'a str,
    preset_stop_surplus_price: &'a str,
    preset_stop_loss_price: &'a str,
    reduce_only: &'a str,
    pos_avg: &'a str,
    liq_price: &'a str,
}

/// Scans the bytes for strings. Returns their number and total length.
fn scan(body: &[u8]) -> (usize, usize) {
    let (mut count, mut length, mut at) = (0, 0, 0);
    while at < body.len() {
        if body[at] != b'"' {
            at += 1;
            continue;
        }
        let text = &body[at + 1..quote(body, at + 1)];
        count += 1;
        length += std::hint::black_box(text).len();
        at += text.len() + 2;
    }
    (count, length)
}

/// Returns the position of the first quote from `start` on, eight bytes at a time.
fn quote(body: &[u8], start: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let mut at = start;
    while let Some(&word) = body.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let zero_where_quote = u64::from_le_bytes(word) ^ (ONES * u64::from(b'"'));
        let found = zero_where_quote.wrapping_sub(ONES) & !zero_where_quote & (ONES << 7);
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    body[at..].iter().position(|byte| *byte == b'"').map_or(body.len(), |found| at + found)
}

/// Returns a page with four undocumented members in each order.
fn page(shuffled: bool) -> String {
    let orders: Vec<_> = (0..ORDERS).map(|index| order(index, shuffled)).collect();
    let mut page =
        String::from(r#"{"code":"00000","msg":"success","requestTime":1790001100590,"data":{"entrustedList":["#);
    page.push_str(&orders.join(","));
    page.push_str(r#"],"endId":"1397710555201609729"}}"#);
    page
}

fn order(index: usize, shuffled: bool) -> String {
    let pick = |values: &[&'static str]| values[index % values.len()].to_owned();
    let id = |offset: usize| (1_397_710_555_201_609_729 + index * 7919 + offset).to_string();
    let decimal = |whole: usize, places: usize| {
        format!("{}.{:0places$}", whole + index, index * 37 % 10_usize.pow(places as u32))
    };
    let time = |offset: usize| (1_789_882_190_331 + index * 60_007 + offset).to_string();
    let client_oid = match index % 4 {
        0 => format!("3f0b7a52-9c1d-4e8f-a6b0-{:012x}", 0x5d2c_9e41_u64 + index as u64),
        1 => format!("desk-7:eth/open.{index:03}"),
        _ => id(1),
    };
    let mut members = vec![
        ("symbol", pick(&["BTCUSDT", "ETHUSDT", "SOLUSDT"])),
        ("size", decimal(1, 2)),
        ("orderId", id(0)),
        ("clientOid", client_oid),
        ("baseVolume", decimal(1, 2)),
        ("fee", format!("-{}", decimal(0, 6))),
        ("price", if index.is_multiple_of(2) { String::new() } else { decimal(64_000, 1) }),
        ("priceAvg", decimal(63_990, 2)),
        ("status", pick(&["filled", "filled", "filled", "canceled"])),
        ("side", pick(&["buy", "sell"])),
        ("force", pick(&["gtc", "ioc", "post_only"])),
        ("totalProfits", decimal(0, 5)),
        ("posSide", pick(&["long", "short"])),
        ("marginCoin", pick(&["USDT"])),
        ("quoteVolume", decimal(127_980, 4)),
        ("leverage", pick(&["20", "10", "5"])),
        ("marginMode", pick(&["crossed", "isolated"])),
        ("enterPointSource", pick(&["API", "WEB", "SYS"])),
        ("tradeSide", pick(&["open", "close"])),
        ("posMode", pick(&["hedge_mode"])),
        ("orderType", pick(&["market", "limit"])),
        ("orderSource", pick(&["market", "normal", "pos_profit_market", "pos_loss_market"])),
        ("cTime", time(0)),
        ("uTime", time(113)),
        ("presetStopSurplusPrice", if index.is_multiple_of(3) { decimal(65_000, 1) } else { String::new() }),
        ("presetStopSurplusType", pick(&["fill_price", "", ""])),
        ("presetStopSurplusExecutePrice", String::new()),
        ("presetStopLossPrice", if index.is_multiple_of(3) { decimal(60_000, 1) } else { String::new() }),
        ("presetStopLossType", pick(&["mark_price", "", ""])),
        ("presetStopLossExecutePrice", String::new()),
        ("reduceOnly", pick(&["NO", "YES"])),
        ("posAvg", decimal(63_800, 3)),
        ("liqPrice", decimal(31_000, 8)),
    ];
    if shuffled {
        let count = members.len();
        members = (0..count).map(|place| members[place * 10 % count].clone()).collect();
    }
    let mut json = String::from("{");
    for (name, value) in members {
        let comma = if json.len() > 1 { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(json, "{comma}\"{name}\":\"{value}\"");
    }
    json + "}"
}
