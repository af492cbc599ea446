//! Every item is listed once, for any data, page length, border, end of a listing, order and interruption.

use proptest::prelude::*;
use tradeapi::runtime::pages::{PageError, Paged, Pages, Position, PositionError, RangeOrder};
use tradeapi::{Timestamp, broker, classic, unified};

use super::exchange::{
    CLASSIC_FILLS, CLASSIC_ORDERS, COMMISSIONS, DAY, End, Exchange, Item, ListingBehavior, NOW, Names, UNIFIED_FILLS,
    UNIFIED_ORDERS, run,
};

/// A listing that begins `DEPTH` before now.
const DEPTH: u64 = 80 * DAY;

/// Returns times in the range, many of them near the borders of parts.
fn times(span: u64) -> impl Strategy<Value = Vec<u64>> {
    let (from, to) = (NOW - DEPTH + 1, NOW - 1);
    let parts = DEPTH / span + 1;
    let near = move |(k, off, from_end): (u64, u64, bool)| {
        let time = if from_end { to.saturating_sub(k * span) + off } else { from + k * span + off };
        time.saturating_sub(14).clamp(from, to)
    };
    let one = prop_oneof![from..=to, (0..=parts, 0..28_u64, any::<bool>()).prop_map(near)];
    prop::collection::vec(one, 0..60)
}

fn ways(names: Names, span: u64) -> impl Strategy<Value = ListingBehavior> {
    let end = prop::sample::select(vec![End::Null, End::EmptyText, End::LeftOut, End::ToNothing, End::ToItself]);
    (1..9_usize, any::<bool>(), any::<bool>(), end, 0..3_u8).prop_map(
        move |(page, start_belongs, end_belongs, end, order)| ListingBehavior {
            page,
            start_belongs,
            end_belongs,
            end,
            order,
            span: Some(span),
            ..ListingBehavior::of(names)
        },
    )
}

fn things(times: &[u64], statuses: &[&'static str]) -> Vec<Item> {
    let thing = |(index, at): (usize, &u64)| Item {
        status: statuses[index % statuses.len()],
        ..Item::new(format!("i{index}"), *at)
    };
    times.iter().enumerate().map(thing).collect()
}

/// Lists everything, resuming from a saved position before each page that `stops` selects.
async fn list<O: Paged>(
    pages: impl Fn() -> Pages<O>,
    stops: &[bool],
    id: fn(&O::Item) -> String,
) -> Result<Vec<String>, PageError> {
    let mut listing = pages();
    let mut found = Vec::new();
    for page in 0.. {
        if stops.get(page).copied().unwrap_or(false) {
            let saved: Position = listing.position().to_string().parse().unwrap();
            listing = match pages().resume(&saved) {
                Ok(resumed) => resumed,
                Err(error) => {
                    assert!(saved.is_at_end() && matches!(error, PositionError::Ended { .. }), "{error}");
                    break;
                }
            };
        }
        let Some(page) = listing.next_page().await else { break };
        let page = page?;
        assert!(page.list.is_complete() && page.clipped.is_none());
        found.extend(page.list.iter().map(id));
    }
    Ok(found)
}

fn is_everything(mut found: Vec<String>, things: &[Item]) {
    let mut all: Vec<String> = things.iter().map(|thing| thing.id.clone()).collect();
    found.sort();
    all.sort();
    assert_eq!(found, all);
}

fn at(time: u64) -> Timestamp {
    Timestamp::from_millis(time)
}

fn order(oldest_first: bool) -> RangeOrder {
    if oldest_first { RangeOrder::OldestFirst } else { RangeOrder::NewestFirst }
}

fn stops() -> impl Strategy<Value = Vec<bool>> {
    prop::collection::vec(prop::bool::weighted(0.3), 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn unified_fills(times in times(30 * DAY), ways in ways(UNIFIED_FILLS, 30 * DAY), oldest in any::<bool>(), stops in stops()) {
        let things = things(&times, &["live"]);
        let client = Exchange::new(ways, things.clone()).client();
        let request = unified::GetFillHistory::new().between(at(NOW - DEPTH), at(NOW));
        let id = |fill: &unified::Fill| fill.exec_id.as_ref().unwrap().to_string();
        let found = run(list(|| client.pages(request.clone()).ranges(order(oldest)), &stops, id)).unwrap();
        is_everything(found, &things);
    }

    #[test]
    fn unified_orders(times in times(30 * DAY), ways in ways(UNIFIED_ORDERS, 30 * DAY), oldest in any::<bool>(), stops in stops()) {
        let things = things(&times, &["live"]);
        let client = Exchange::new(ways, things.clone()).client();
        let request = unified::GetOrderHistory::new(unified::Category::Spot).between(at(NOW - DEPTH), at(NOW));
        let id = |order: &unified::Order| order.order_id.as_ref().unwrap().to_string();
        let found = run(list(|| client.pages(request.clone()).ranges(order(oldest)), &stops, id)).unwrap();
        is_everything(found, &things);
    }

    #[test]
    fn classic_fills_by_the_week(times in times(7 * DAY), ways in ways(CLASSIC_FILLS, 7 * DAY), oldest in any::<bool>(), stops in stops()) {
        let things = things(&times, &["live"]);
        let client = Exchange::new(ways, things.clone()).client();
        let request = classic::GetHistoricalTransactionDetails::new(classic::ProductType::UsdtFutures)
            .between(at(NOW - DEPTH), at(NOW));
        let id = |fill: &classic::Fill| fill.trade_id.as_ref().unwrap().to_string();
        let found = run(list(|| client.pages(request.clone()).ranges(order(oldest)), &stops, id)).unwrap();
        is_everything(found, &things);
    }

    #[test]
    fn pending_orders_of_both_states(times in times(92 * DAY), ways in ways(CLASSIC_ORDERS, 92 * DAY), stops in stops()) {
        let things = things(&times, &["live", "partially_filled"]);
        let client = Exchange::new(ListingBehavior { by_status: true, ..ways }, things.clone()).client();
        let request = classic::GetPendingOrders::new(classic::ProductType::UsdtFutures);
        let id = |order: &classic::PendingOrder| order.order_id.as_ref().unwrap().to_string();
        let found = run(list(|| client.pages(request.clone()), &stops, id)).unwrap();
        is_everything(found, &things);
        let request = request.between(at(NOW - 400 * DAY), at(NOW));
        let found = run(list(|| client.pages(request.clone()), &stops, id)).unwrap();
        is_everything(found, &things);
    }

    /// Without ids nothing shows a doubled item, so that borders have to belong to their range.
    #[test]
    fn commissions_where_borders_belong_to_a_range(times in times(30 * DAY), ways in ways(COMMISSIONS, 30 * DAY), stops in stops()) {
        let things = things(&times, &["live"]);
        let client = Exchange::new(ListingBehavior { start_belongs: true, end_belongs: true, ..ways }, things.clone()).client();
        let request = broker::GetAgentDirectCommissions::new().between(at(NOW - DEPTH), at(NOW));
        let id = |commission: &broker::Commission| commission.uid.as_ref().unwrap().to_string();
        let found = run(list(|| client.pages(request.clone()), &stops, id)).unwrap();
        is_everything(found, &things);
    }
}
