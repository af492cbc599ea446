//! A process is killed in the middle, again and again, and the last one finishes what the others left.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::exchange::Exchange;
use crate::fast::FastClock;
use tradeapi_exchange::Keys;
use tradeapi_tests::dice::Dice;

use crate::account;
use crate::child;
use crate::figures::Figures;
use crate::journal::Journal;
use crate::judge::judge;
use crate::ledger::{Known, Ledger, Naming};
use crate::settings::Settings;
use crate::world::World;

/// The argument by which the program knows that it is the one to be killed.
pub const CHILD: &str = "--child";

/// The window of all limits. A new process knows nothing of the calls of the one before it.
const WINDOW: Duration = Duration::from_millis(1_100);

/// Starts `program` with [`CHILD`] again and again, kills it `kills` times, and lets the last one end. It sends
/// `settings.placements` orders in all, and writes into `folder`.
///
/// # Errors
///
/// When processes cannot be started or the journal cannot be read.
pub fn kill(program: &Path, settings: &Settings, kills: u64, folder: &Path) -> io::Result<Figures> {
    let begun = Instant::now();
    let clock = FastClock::new(settings.speed);
    let exchange = Exchange::start(account::exchange(settings, 0, &World::plain(), &clock))?;
    let journal = folder.join("journal");
    let start = || {
        let mut command = Command::new(program);
        let Keys { key, secret, passphrase } = exchange.keys();
        command.arg(CHILD).arg(exchange.url()).args([key, secret, passphrase]).arg(&journal);
        command.args(
            [clock.was_right_at(), u64::from(clock.speed()), settings.placements].map(|number| number.to_string()),
        );
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
        let deed = match entry.kind.as_str() {
            "classic" => "classic.place-order",
            "reversal" => "classic.click-backhand",
            _ => "unified.place-order",
        };
        let ticket = ledger.open(child::order(&entry.kind, &id).placed(), deed, Naming::Own);
        ledger.note(&ticket, entry.outcome, Known::ByQuery, "by another process");
    }
    let (book, counts) = exchange.close();
    let violations = ledger.look(|claims| judge(claims, book.effects()));
    Ok(Figures { lasted: begun.elapsed(), ..Figures::of(&ledger, &book, &counts, violations) })
}
