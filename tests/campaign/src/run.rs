//! A campaign over sockets.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use tokio::task::JoinSet;

use crate::account;
use crate::figures::Figures;
use crate::settings::Settings;

/// Runs a campaign over sockets.
///
/// # Errors
///
/// The system has no free port, thread or connection.
pub fn run(settings: Settings) -> io::Result<Figures> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let begun = Instant::now();
    let mut all = runtime.block_on(run_all(Arc::new(settings)))?;
    all.lasted = begun.elapsed();
    Ok(all)
}

async fn run_all(settings: Arc<Settings>) -> io::Result<Figures> {
    let mut accounts = JoinSet::new();
    for account in 0..settings.accounts {
        accounts.spawn(account::run(Arc::clone(&settings), account));
    }
    let mut all = Figures::default();
    for figures in accounts.join_all().await {
        all.add(figures?);
    }
    Ok(all)
}
