//! A panic button: cancels every open order of both families and closes the classic positions, and tells what it does
//! not know.
//!
//! `cargo run -p tradeapi --example panic_button` ends with status 0 only if it knows that nothing is left.

use std::error::Error;
use std::process::ExitCode;

use tradeapi::classic::{self, ProductType};
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::{self, Category};
use tradeapi::{Client, Credentials};

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let client = client_from_environment()?;
    let mut doubts = Vec::new();
    for category in Category::ALL {
        let cancel = unified::CancelAllOrders::new(category.clone());
        match client.unified().cancel_all_orders(&cancel).await {
            Ok(results) => {
                let failed = results.iter().filter(|result| result.code.as_deref().is_some_and(|code| code != "00000"));
                report(&format!("unified {category}: {} orders", results.len()), failed.count(), &mut doubts);
            }
            Err(error) => not_done(&format!("unified {category}: orders"), &error, &mut doubts),
        }
    }
    for product in ProductType::ALL {
        let cancel = classic::CancelAllOrders::new(product.clone());
        match client.classic().cancel_all_orders(&cancel).await {
            Ok(outcome) => {
                let (done, failed) = (outcome.success_list.len(), outcome.failure_list.len());
                report(&format!("classic {product}: {done} orders"), failed, &mut doubts);
            }
            Err(error) => not_done(&format!("classic {product}: orders"), &error, &mut doubts),
        }
        match client.classic().flash_close_position(&classic::FlashClosePosition::new(product.clone())).await {
            Ok(outcome) => {
                let (done, failed) = (outcome.success_list.len(), outcome.failure_list.len());
                report(&format!("classic {product}: {done} positions"), failed, &mut doubts);
            }
            // Observed, in no document: 22002 says that there is no position.
            Err(error) if error.code() == Some("22002") => println!("classic {product}: 0 positions"),
            Err(error) => not_done(&format!("classic {product}: positions"), &error, &mut doubts),
        }
    }
    let open = client.unified().get_open_orders(&unified::GetOpenOrders::new()).await?;
    if !open.list.is_empty() {
        doubts.push(format!("unified: {} orders are still open", open.list.len()));
    }
    println!("Positions of the unified account stay: the documents only name the operation that closes them.");
    for doubt in &doubts {
        eprintln!("NOT CERTAIN: {doubt}");
    }
    Ok(if doubts.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The address and the keys, from the variables that the exchange prints.
fn client_from_environment() -> Result<Client, Box<dyn Error>> {
    let of = |name: &str| std::env::var(name).map_err(|_| format!("set {name}, as tradeapi-exchange prints it"));
    let keys = Credentials::new(of("TRADEAPI_KEY")?, of("TRADEAPI_SECRET")?, of("TRADEAPI_PASSPHRASE")?);
    Ok(Client::builder(of("TRADEAPI_URL")?).credentials(keys).build()?)
}

fn report(what: &str, failed: usize, doubts: &mut Vec<String>) {
    println!("{what}");
    if failed > 0 {
        doubts.push(format!("{what}, of which {failed} failed"));
    }
}

/// A refused request had no effect, so its target still exists; after any other error the outcome is unknown.
fn not_done(what: &str, error: &tradeapi::Error, doubts: &mut Vec<String>) {
    let state = if error.outcome() == Outcome::NotDone { "are still there" } else { "may still be there" };
    doubts.push(format!("{what} {state}: {error}"));
}
