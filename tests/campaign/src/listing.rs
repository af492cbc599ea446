//! A check of listings, whose pages repeat items, have repeated cursors, and fail like any other call.

use std::collections::BTreeMap;

use tradeapi::runtime::ClientCore;
use tradeapi::runtime::pages::{PageError, Paged, Pages, Position};
use tradeapi::{classic, unified};

use crate::exchange::Exchange;
use crate::operation::{Family, Listed};
use crate::violation::Violation;

/// The number of orders on a page, which is low so that there are many pages.
const PAGE: u64 = 40;

/// The number of pages after which a listing is resumed from its saved position.
const STRETCH: usize = 3;

/// Lists all orders of an account by every listing, and compares them with those of the exchange, which does not change
/// meanwhile.
pub(crate) async fn compare(client: &ClientCore, exchange: &Exchange) -> Vec<Violation> {
    let pending = classic::GetPendingOrders::new(classic::ProductType::UsdtFutures).limit(PAGE);
    let history = classic::GetHistoryOrder::new(classic::ProductType::UsdtFutures).limit(PAGE);
    let open = unified::GetOpenOrders::new().limit(PAGE);
    let all = unified::GetOrderHistory::new(unified::Category::UsdtFutures).limit(PAGE);
    let of = |family, listed| exchange.listed(family, listed);
    let mut violations = Vec::new();
    violations.extend(differences(
        list(client, pending, false).await,
        of(Family::Classic, Listed::Open),
        "classic open",
    ));
    violations.extend(differences(list(client, history, false).await, of(Family::Classic, Listed::Closed), "classic"));
    violations.extend(differences(list(client, open, false).await, of(Family::Unified, Listed::Open), "unified open"));
    violations.extend(differences(
        list(client, all.clone(), false).await,
        of(Family::Unified, Listed::Closed),
        "unified",
    ));
    // A position names no item, so items that the next page repeats cannot be recognized. None may be missing.
    let mut resumed = list(client, all, true).await;
    resumed.sort_unstable();
    resumed.dedup();
    violations.extend(differences(resumed, of(Family::Unified, Listed::Closed), "unified, resumed"));
    violations
}

/// Returns the ids on all pages. A page that fails is requested again, and a listing with a repeated cursor starts
/// over.
async fn list<O: Paged>(client: &ClientCore, request: O, resumes: bool) -> Vec<String> {
    loop {
        let mut pages = Pages::new(client.clone(), request.clone());
        let (mut ids, mut count) = (Vec::new(), 0);
        loop {
            match pages.next_page().await {
                None => return ids,
                Some(Ok(page)) => {
                    ids.extend(page.list.iter().filter_map(|item| O::item_id(item).map(str::to_owned)));
                    count += 1;
                }
                Some(Err(PageError::Call(_))) => {}
                Some(Err(_)) => break,
            }
            if resumes && count == STRETCH {
                count = 0;
                let saved = pages.position().to_string();
                let position = saved.parse::<Position>().expect("a position is read as it was written");
                pages = Pages::new(client.clone(), request.clone()).resume(&position).expect("it is the same listing");
            }
        }
    }
}

fn differences(listed: Vec<String>, there: Vec<String>, what: &str) -> Vec<Violation> {
    let mut times: BTreeMap<_, usize> = there.into_iter().map(|id| (id, 0)).collect();
    let mut unknown = Vec::new();
    for id in listed {
        match times.get_mut(&id) {
            Some(times) => *times += 1,
            None => unknown.push(Violation::WrongListing(format!(
                "{id} is listed among {what} orders, but does not belong there"
            ))),
        }
    }
    let wrong = times.into_iter().filter(|(_, times)| *times != 1);
    unknown.extend(
        wrong.map(|(id, times)| Violation::WrongListing(format!("{id} is listed {times} times among {what} orders"))),
    );
    unknown
}
