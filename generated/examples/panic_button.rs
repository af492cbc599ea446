//! A panic button: cancels every order and closes every position of both families, again and again, until reading shows
//! that nothing is left. Otherwise it prints what is left, such as Coin-M positions of the unified account, and fails.
//! The proof takes 70 seconds after the last order, or 160 if the outcome of one is unknown. An argument states for how
//! many seconds a node may lag; by default 60.

use std::process::ExitCode;
use std::time::Duration;

use tradeapi::{Client, ConfirmPolicy};

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let client = Client::from_env("TRADEAPI")?;
    let mut policy = ConfirmPolicy::new();
    if let Some(seconds) = std::env::args().nth(1) {
        policy = policy.lag(Duration::from_secs(seconds.parse()?));
    }
    Ok(match client.flatten(&policy).await {
        Ok(flat) => {
            println!("{flat}");
            ExitCode::SUCCESS
        }
        Err(not_flat) => {
            println!("NOT FLAT after {} rounds", not_flat.rounds);
            for left in &not_flat.left {
                println!("- {left}");
            }
            ExitCode::FAILURE
        }
    })
}
