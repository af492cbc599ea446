//! Listings of an exchange whose pages repeat items, lead in circles, and fail like all else.

use std::collections::BTreeMap;

use tradeapi::runtime::{ClientCore, PageError, Paged};
use tradeapi::{classic, unified};
use tradeapi_exchange::{Exchange, Family, Listed};

use crate::judge::Violation;

/// How many orders are on a page: few, so that there are many pages.
const PAGE: u64 = 40;

/// Lists all orders of an account in every way there is, and compares that with the book, in which nothing changes
/// meanwhile.
pub(crate) async fn compare(client: &ClientCore, exchange: &Exchange) -> Vec<Violation> {
    let pending = classic::GetPendingOrders::new(classic::ProductType::UsdtFutures).limit(PAGE);
    let history = classic::GetHistoryOrder::new(classic::ProductType::UsdtFutures).limit(PAGE);
    let open = unified::GetOpenOrders::new().limit(PAGE);
    let all = unified::GetOrderHistory::new(unified::Category::UsdtFutures).limit(PAGE);
    let of = |family, listed| exchange.listed(family, listed);
    let mut violations = Vec::new();
    violations.extend(differences(list(client, pending).await, of(Family::Classic, Listed::Open), "classic open"));
    violations.extend(differences(list(client, history).await, of(Family::Classic, Listed::All), "classic"));
    violations.extend(differences(list(client, open).await, of(Family::Unified, Listed::Open), "unified open"));
    violations.extend(differences(list(client, all).await, of(Family::Unified, Listed::All), "unified"));
    violations
}

/// The ids on all pages. What fails is asked for again, and what leads in circles is begun anew.
async fn list<O: Paged>(client: &ClientCore, request: O) -> Vec<String> {
    loop {
        let mut pages = request.clone().stream(client);
        let mut ids = Vec::new();
        loop {
            match pages.next_page().await {
                None => return ids,
                Some(Ok(page)) => ids.extend(page.list.iter().filter_map(|item| O::item_id(item).map(str::to_owned))),
                Some(Err(PageError::Call(_))) => {}
                Some(Err(_)) => break,
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
            None => unknown.push(Violation::Listed(format!("{id} among {what} orders, where it is not"))),
        }
    }
    let wrong = times.into_iter().filter(|(_, times)| *times != 1);
    unknown.extend(wrong.map(|(id, times)| Violation::Listed(format!("{id} {times} times among {what} orders"))));
    unknown
}
