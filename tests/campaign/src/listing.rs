//! Listings of an exchange whose pages repeat items, lead in circles, and fail like any other call.

use std::collections::BTreeMap;

use crate::exchange::Exchange;
use crate::operation::{Family, Listed};
use tradeapi::runtime::ClientCore;
use tradeapi::runtime::pages::{PageError, Paged, Position};
use tradeapi::{classic, unified};

use crate::judge::Violation;

/// How many orders are on a page: few, so that there are many pages.
const PAGE: u64 = 40;

/// After how many pages a listing that is resumed is left, and continued from its position.
const STRETCH: usize = 3;

/// Lists all orders of an account in every way, and compares them with the book, in which nothing changes meanwhile.
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
    // A position names no item, so what a page repeats right behind it cannot be recognized; but nothing may be
    // missing.
    let mut resumed = list(client, all, true).await;
    resumed.sort_unstable();
    resumed.dedup();
    violations.extend(differences(resumed, of(Family::Unified, Listed::Closed), "unified, resumed"));
    violations
}

/// The ids on all pages. A page that fails is requested again, and a listing that leads in circles starts anew.
async fn list<O: Paged>(client: &ClientCore, request: O, resumes: bool) -> Vec<String> {
    loop {
        let mut pages = request.clone().stream(client);
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
                pages = request.clone().stream(client).resume(&position).expect("it is the same listing");
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
