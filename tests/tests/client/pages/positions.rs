//! Positions: their text form, and the listing that they belong to.

use tradeapi::runtime::pages::{Position, PositionError, RangeOrder};
use tradeapi::{Timestamp, classic, unified};

use super::exchange::{DAY, Exchange, Item, ListingBehavior, NOW, UNIFIED_FILLS, run};

fn exchange() -> Exchange {
    let thing = |n: u64| Item::new(format!("f{n}"), NOW - n * DAY - 1);
    Exchange::new(ListingBehavior { page: 2, ..ListingBehavior::of(UNIFIED_FILLS) }, (0..50).map(thing).collect())
}

fn request() -> unified::GetFillHistory {
    let at = Timestamp::from_millis;
    unified::GetFillHistory::new().category(unified::Category::Spot).between(at(NOW - 50 * DAY), at(NOW))
}

#[test]
fn a_position_has_a_text_form() {
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
fn the_end_is_a_position() {
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
fn a_position_belongs_to_one_listing() {
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

/// In the other order, the listed part of a border is on the other side.
#[test]
fn the_order_of_a_position_stays() {
    let thing = |n: u64| Item::new(format!("f{n}"), NOW - 30 * DAY + n - 5);
    let ways = ListingBehavior { page: 100, span: Some(30 * DAY), ..ListingBehavior::of(UNIFIED_FILLS) };
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
