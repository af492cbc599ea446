//! A panic button: cancels every order and closes every position of both families, again and again, until reading shows
//! that nothing is left. Otherwise it prints what is left, and fails.

use std::process::ExitCode;

use tradeapi::Client;
use tradeapi::runtime::error::BuildError;

#[tokio::main]
async fn main() -> Result<ExitCode, BuildError> {
    let client = Client::from_env("TRADEAPI")?;
    Ok(match client.flatten().await {
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
