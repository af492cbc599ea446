use std::io;
use std::sync::Arc;
use std::time::Instant;

use crate::account;
use crate::figures::Figures;
use crate::settings::Settings;
use tokio::task::JoinSet;

/// Runs a campaign to its end.
///
/// # Errors
///
/// When this machine has no port, thread or connection to give.
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
