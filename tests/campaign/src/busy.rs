//! A thread for a client that is blocked now and then.

use std::future::Future;
use std::io;
use std::time::Duration;

use tradeapi_tests::dice::Dice;

use crate::counts::Situation;
use crate::ledger::Ledger;

/// Runs `work` on a thread that it shares only with tasks that block it.
pub(crate) async fn on_one_thread<T, F>(work: impl FnOnce() -> F + Send + 'static) -> io::Result<T>
where
    T: Send + 'static,
    F: Future<Output = io::Result<T>>,
{
    let (sender, receiver) = tokio::sync::oneshot::channel();
    std::thread::Builder::new().name("busy".to_owned()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let result = runtime.and_then(|runtime| runtime.block_on(work()));
        // The receiver may have been dropped.
        let _ = sender.send(result);
    })?;
    receiver.await.map_err(io::Error::other)?
}

/// Blocks the thread now and then, as code does that computes or waits without yielding.
pub(crate) async fn block_thread(ledger: Ledger, mut dice: Dice) {
    loop {
        tokio::time::sleep(Duration::from_millis(5 + dice.below(120))).await;
        std::thread::sleep(Duration::from_millis(1 + dice.below(60)));
        ledger.cover(Situation::Blocked);
    }
}
