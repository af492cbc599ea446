//! The journal of an exchange: writing it, and exchanges that begin where one ends.

use std::io::{self, Write};
use std::time::Duration;

use tradeapi::Timestamp;

use crate::access::exchange::Exchange;
use crate::access::gate;
use crate::access::time::Time;
use crate::state::journal::{Journal, ParsedJournal, ReplayError};

impl Exchange {
    /// Replays a [journal](Self::journal): repeats all requests and actions at the same times, and compares the
    /// answers. Afterwards the time is that of the last line and moved by hand; [`continue_at`](Self::continue_at) sets
    /// another clock.
    ///
    /// # Errors
    ///
    /// The journal cannot be read, or an answer differs from the recorded one.
    pub fn replay(journal: &str) -> Result<Self, ReplayError> {
        Self::replayed(ParsedJournal::read(journal)?)
    }

    /// Continues from the end of a [journal](Self::journal) with the clock that it had: one that stood still stands still
    /// at its time, and one that ran runs on at its speed, from the system's time or from its own if that is later. A
    /// [reset](Self::reset) returns to the clock of the start. `speed` replaces both speeds; zero makes it stand still.
    ///
    /// # Errors
    ///
    /// As [`replay`](Self::replay).
    pub fn load(journal: &str, speed: Option<u32>) -> Result<Self, ReplayError> {
        let parsed = ParsedJournal::read(journal)?;
        let (start, last) = (parsed.speed, parsed.last_speed());
        let exchange = Self::replayed(parsed)?;
        let time = Time::continued(exchange.time().now(), speed.unwrap_or(start), speed.unwrap_or(last));
        let exchange = exchange.continue_at(time);
        if speed.is_some() {
            exchange.set_clock(speed, Duration::ZERO);
        }
        Ok(exchange)
    }

    fn replayed(parsed: ParsedJournal) -> Result<Self, ReplayError> {
        let time = Time::by_hand_from(Timestamp::from_millis(parsed.begun));
        let exchange = Self::begun_at_speed(parsed.setup, time, parsed.speed);
        let mut last = parsed.begun;
        for (number, line) in parsed.lines {
            let mut core = exchange.core();
            last = line.at;
            match (line.request(), line.answer, line.action) {
                (Some((request, address)), Some(recorded), None) => {
                    let delivery = gate::answer(&mut core, Timestamp::from_millis(line.at), &request, address);
                    let replayed = delivery.answered.unwrap_or_else(|| recorded.clone());
                    recorded.expect(number, &replayed)?;
                }
                (None, None, Some(action)) => {
                    core.act(line.at, action).map_err(|why| ReplayError::Unreadable { line: number, why })?
                }
                _ => {
                    let why = "expected a request with its answer, or an action".to_owned();
                    return Err(ReplayError::Unreadable { line: number, why });
                }
            }
        }
        Ok(exchange.continue_at(Time::by_hand_from(Timestamp::from_millis(last))))
    }

    /// Returns the journal as JSON lines: the setup, and every request and action since, with the answers. `None`
    /// unless [`Settings::journal`](crate::Settings::journal) is set. A journal is also a saved state, which
    /// [`replay`](Self::replay) restores. Of the lines that [`write_journal`](Self::write_journal) has written, only the
    /// last ten thousand are kept.
    pub fn journal(&self) -> Option<String> {
        self.journal_from(0)
    }

    /// Writes the lines of the [journal](Self::journal) that have not been written yet.
    ///
    /// # Errors
    ///
    /// Writing to `to` fails. The lines are lost then.
    pub fn write_journal(&self, to: &mut impl Write) -> io::Result<()> {
        let lines = self.core().journal.as_mut().map(Journal::take_unwritten);
        to.write_all(lines.unwrap_or_default().as_bytes())
    }

    pub(crate) fn journal_from(&self, from: usize) -> Option<String> {
        self.core().journal.as_ref().map(|journal| journal.lines(from))
    }
}
