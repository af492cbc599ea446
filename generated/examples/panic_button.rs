//! A panic button: cancels every open order of both families and closes the classic positions, and reports what it does
//! not know. It succeeds only if it knows that nothing is left.
//!
//! Positions of the unified account stay: the documents only name the operation that closes them.

use tradeapi::classic::{self, FlashClosePosition, ProductType};
use tradeapi::unified::{self, Category, GetOpenOrders};
use tradeapi::{Client, Error};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env("TRADEAPI")?;
    let (unified, classic) = (client.unified(), client.classic());
    let mut doubts = 0;
    let mut note = |what: String, result: Result<(usize, usize), Error>| match result {
        Ok((done, 0)) => println!("{done} {what}"),
        // Observed, in no document: 22002 says that there is no position.
        Err(error) if error.code() == Some("22002") => println!("0 {what}"),
        other => {
            doubts += 1;
            println!("NOT CERTAIN: {what}: {other:?}");
        }
    };
    for category in Category::ALL {
        let done = unified.cancel_all_orders(&unified::CancelAllOrders::new(category.clone())).await;
        note(format!("orders of unified {category}"), done.map(|all| (all.len(), all.failures().len())));
    }
    for product in ProductType::ALL {
        let done = classic.cancel_all_orders(&classic::CancelAllOrders::new(product.clone())).await;
        note(format!("orders of classic {product}"), done.map(|all| (all.success_list.len(), all.failure_list.len())));
        let done = classic.flash_close_position(&FlashClosePosition::new(product.clone())).await;
        note(format!("positions of {product}"), done.map(|all| (all.success_list.len(), all.failure_list.len())));
    }
    let open = unified.get_open_orders(&GetOpenOrders::new()).await?.list.len();
    if doubts + open > 0 { Err(format!("{doubts} doubts, and {open} orders are open").into()) } else { Ok(()) }
}
