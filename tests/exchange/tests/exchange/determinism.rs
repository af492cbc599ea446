//! The same requests at the same times have the same answers.

use std::time::Duration;

use tradeapi::unified::{GetFillHistory, GetOpenOrders, Side};
use tradeapi_exchange::{Event, Profile, Seed};

use crate::fixture::{Fixture, limit, market};

/// Runs the same orders in a lively market. Returns the events and the last answers.
async fn run(seed: u64) -> (Vec<Event>, String) {
    let fixture =
        Fixture::with(|settings| (settings.seed, settings.lively) = (Seed(seed), true), Profile::new().both());
    for index in 0..40 {
        let price = (63_960 + index * 2).to_string();
        let client = format!("o{index}");
        let _ = fixture.client.unified().place_order(&limit(&client, Side::Buy, "0.020", &price)).await;
        if index % 5 == 0 {
            fixture.client.unified().place_order(&market(&format!("m{index}"), Side::Sell, "0.010")).await.unwrap();
        }
        fixture.exchange.time().advance(Duration::from_millis(700));
    }
    let open = fixture.client.unified().get_open_orders(&GetOpenOrders::new()).await.unwrap().data;
    let fills = fixture.client.unified().get_fill_history(&GetFillHistory::new()).await.unwrap().data;
    (fixture.exchange.take_events(), format!("{open:?} {fills:?} {:?}", fixture.unified()))
}

#[tokio::test]
async fn the_same_seed_has_the_same_history() {
    let (first, second, other) = (run(1).await, run(1).await, run(2).await);
    assert!(first == second, "the same seed gave two histories");
    assert!(first != other, "another seed gave the same history");
    assert!(first.0.iter().any(|event| matches!(event, Event::Filled { .. })));
}

#[tokio::test]
async fn a_day_passes_in_a_moment() {
    let fixture = Fixture::with(|settings| settings.lively = true, Profile::new().both());
    fixture.client.unified().place_order(&limit("a", Side::Buy, "0.020", "64000")).await.unwrap();
    fixture.exchange.time().advance(Duration::from_secs(24 * 60 * 60));
    assert!(fixture.unified().open_orders.is_empty(), "filled in the course of the day");
}
