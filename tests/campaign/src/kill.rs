//! A campaign that kills its client's process repeatedly. The last process finishes what the others left.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tradeapi_exchange::Keys;
use tradeapi_tests::dice::Dice;

use crate::account;
use crate::child;
use crate::claim::{Known, Naming};
use crate::clock::FastClock;
use crate::deployment::Deployment;
use crate::exchange::Exchange;
use crate::figures::Figures;
use crate::journal::Journal;
use crate::ledger::Ledger;
use crate::settings::Settings;
use crate::violation::find_violations;

/// The argument that starts the program as a [`Child`](crate::Child).
const CHILD: &str = "child";

/// The window of all limits. A new process does not know the calls of the one before it.
const WINDOW: Duration = Duration::from_millis(1_100);

/// Starts `program` as a [`Child`](crate::Child) and kills it, `kills` times, then lets a last process finish. Together they send
/// `settings.placements` orders. The journal is in `folder`.
///
/// # Errors
///
/// A process cannot be started, or the journal cannot be read.
pub fn kill(program: &Path, settings: &Settings, kills: u64, folder: &Path) -> io::Result<Figures> {
    let begun = Instant::now();
    let clock = FastClock::new(settings.speed);
    let exchange = Exchange::start(account::exchange(settings, 0, &Deployment::plain(), &clock))?;
    let journal = folder.join("journal");
    let start = || {
        let mut command = Command::new(program);
        let Keys { key, secret, passphrase } = exchange.keys();
        command.arg(CHILD).arg(exchange.url()).args([key, secret, passphrase]).arg(&journal);
        command
            .args([clock.right_at(), u64::from(clock.speed()), settings.placements].map(|number| number.to_string()));
        command.stdin(Stdio::null()).spawn()
    };
    let mut dice = Dice::new(settings.seed, "kill");
    for _ in 0..kills {
        let mut child = start()?;
        std::thread::sleep(Duration::from_millis(200 + dice.below(600)));
        child.kill()?;
        child.wait()?;
        std::thread::sleep(WINDOW);
    }
    let last = start()?.wait()?;
    if !last.success() {
        return Err(io::Error::other(format!("the last process ended with {last}")));
    }
    let ledger = Ledger::default();
    for (id, entry) in Journal::read(&journal)? {
        let operation = match entry.kind.as_str() {
            "classic" => "classic.place-order",
            "reversal" => "classic.click-backhand",
            _ => "unified.place-order",
        };
        let handle = ledger.open(child::order(&entry.kind, &id).placed(), operation, Naming::UniqueId);
        ledger.record(&handle, entry.outcome, Known::ByQuery, "by another process");
    }
    let (truth, counts) = exchange.close();
    let violations = ledger.with_claims(|claims| find_violations(claims, truth.effects()));
    Ok(Figures { lasted: begun.elapsed(), ..Figures::of(&ledger, &truth, &counts, violations) })
}
