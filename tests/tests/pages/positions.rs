//! Positions: what they are as text, and to which listing they belong.

use tradeapi::runtime::pages::{Position, PositionError, RangeOrder};
use tradeapi::{Timestamp, classic, unified};

use crate::exchange::{DAY, Exchange, NOW, Thing, UNIFIED_FILLS, Ways, run};

fn exchange() -> Exchange {
    let thing = |n: u64| Thing::new(format!("f{n}"), NOW - n * DAY - 1);
    Exchange::new(Ways { page: 2, ..Ways::of(UNIFIED_FILLS) }, (0..50).map(thing).collect())
}

fn request() -> unified::GetFillHistory {
    let at = Timestamp::from_millis;
    unified::GetFillHistory::new().category(unified::Category::Spot).between(at(NOW - 50 * DAY), at(NOW))
}

#[test]
fn is_text_that_can_be_kept() {
    let client = exchange().client();
    let mut pages = client.pages(request());
    let mut texts = vec![pages.position().to_string()];
    for _ in 0..16 {
        run(pages.next_page()).unwrap().unwrap();
        texts.push(pages.position().to_string());
    }
    insta::assert_snapshot!([&texts[0], &texts[1], &texts[15], &texts[16]].map(String::as_str).join("\n"));
    for text in texts {
        let position: Position = text.parse().unwrap();
        assert_eq!(position.to_string(), text);
        let through_serde: Position = serde_json::from_str(&serde_json::to_string(&position).unwrap()).unwrap();
        assert_eq!(through_serde, position);
    }
}

#[test]
fn the_end_is_a_position_too() {
    let client = exchange().client();
    let mut pages = client.pages(request());
    while let Some(page) = run(pages.next_page()) {
        page.unwrap();
    }
    assert!(pages.position().is_at_end());
    let mut again = client.pages(request()).resume(pages.position()).unwrap();
    assert!(run(again.next_page()).is_none());
}

#[test]
fn belongs_to_one_listing() {
    let client = exchange().client();
    let position = client.pages(request()).position().clone();
    let later = request().end_time(Timestamp::from_millis(NOW - 1)).limit(7);
    assert_eq!(client.pages(later).resume(&position).unwrap_err(), PositionError::OtherRequest);
    let shifted = request().end_time(Timestamp::from_millis(NOW - 1));
    assert!(client.pages(shifted).resume(&position).is_ok(), "times and cursors are what changes on the way");
    let other = classic::GetOrderFillDetails::new(classic::ProductType::UsdtFutures);
    let error = client.pages(other).resume(&position).unwrap_err();
    assert_eq!(error.to_string(), "the position belongs to unified.fills and was given to classic.fills");
    assert!(matches!("here".parse::<Position>(), Err(PositionError::Unreadable(_))));
}

/// What was listed of a border lies on the other side in the other order.
#[test]
fn the_order_of_a_position_stays() {
    let thing = |n: u64| Thing::new(format!("f{n}"), NOW - 30 * DAY + n - 5);
    let ways = Ways { page: 100, span: Some(30 * DAY), ..Ways::of(UNIFIED_FILLS) };
    let exchange = Exchange::new(ways, (0..10).map(thing).collect());
    let client = exchange.client();
    let mut pages = client.pages(request());
    let mut count = run(pages.next_page()).unwrap().unwrap().list.len();
    let mut pages = client.pages(request()).resume(pages.position()).unwrap().ranges(RangeOrder::OldestFirst);
    while let Some(page) = run(pages.next_page()) {
        count += page.unwrap().list.len();
    }
    assert_eq!(count, 10);
}
