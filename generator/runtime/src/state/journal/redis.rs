//! A journal of a fleet of processes, on a Redis server.
//!
//! Keys after the prefix of the journal: `about` has the format and the name of this journal, `next` the last number,
//! `changes` the changes by number, `open` the numbers of those without an end, `endings` the ends of the others, `items`
//! the ends of items, `first` the first number that may not be pruned, `owners` whom the changes of each account belong
//! to, `gap` when the last change before a gap was signed, `closed` the accounts for which it is closed, and `count` how
//! much the others have. Each function is a script, or one for each part of the changes.
//!
//! A server that is started again may have an older state. Then `next` is lower than a number that this process knows,
//! or the change with that number, or one that this process has in flight, is missing or another one.
//!
//! Each script that writes ends with a count of all keys, and each begins by comparing it, so that a key that is lost
//! is noticed by whoever comes next. An older state agrees with its own count; it is recognized by the last change that
//! a process knows. A server that came back without the name of the journal is refused, because it would look empty.

mod scripts;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::{fmt, mem};

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, FromRedisValue, RedisError, Script};
use tokio::sync::Mutex;

use super::entry::{read, read_ending, read_items, written, written_ending, written_items};
use super::owner::OwnProcess;
use super::{
    CHUNK, Change, ChangeNumber, Ending, Gap, GapReason, ItemEnding, Journal, JournalFuture, LostSpan, Selection,
    StoredChange,
};
use crate::data::error::JournalError;
use crate::data::tables::Outcome;
use crate::data::value::Timestamp;

/// The format of the keys. Another one is refused.
const FORMAT: &str = "1";

/// The longest time that a server may take.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(2);

/// The number of changes that one script reads or removes, while the server does nothing else.
const STEP: u64 = 1 << 8;

/// The arguments of a script that takes none.
const NOTHING: &[&str] = &[];

/// The gap of a journal that is new.
const NEW: &str = "new";

/// A journal on a Redis server, which a fleet of processes shares: each recovers what any of them left open.
///
/// A change is sent only after the server has confirmed it, so the journal outlives every process. What the server
/// keeps after a crash depends on its settings: with `appendfsync always`, everything; by default, the last second may
/// be missing. A server that comes back without the journal is noticed, and refused until the journal is opened again.
/// One that comes back with an older state is noticed by the processes that have written since, and one that lost a part
/// of the journal by all: the change that notices it is not sent, and [`gap`](Journal::gap) reports it, to other
/// processes from their next change on. A journal that begins has a gap as well, because a server that lost everything
/// looks like a new one; reconcile the account once, or close the gap of an account that is new itself. The server must
/// not evict keys.
///
/// A process recovers what other processes have in flight, too, so let one recover before the others trade, or give the
/// processes accounts with different names.
///
/// ```
/// use tradeapi_runtime::journal::RedisJournal;
///
/// async fn journal() -> Result<RedisJournal, tradeapi_runtime::error::JournalError> {
///     RedisJournal::open("redis://localhost", "desk-1").await
/// }
/// # let _ = journal;
/// ```
pub struct RedisJournal {
    client: Client,
    connection: Mutex<Option<MultiplexedConnection>>,
    /// The value of `about`.
    about: String,
    keys: [String; scripts::KEYS.len()],
    process: OwnProcess,
    name: String,
    known: std::sync::Mutex<KnownState>,
}

/// The maximum number of changes in flight that are compared with the state of the server.
const MAX_IN_FLIGHT: usize = 1 << 12;

/// The state of the journal as a process knows it.
#[derive(Default)]
struct KnownState {
    /// The highest number, and the mark of its change.
    last: u64,
    mark: String,
    /// When the last change of this process was signed.
    signed_at: Option<Timestamp>,
    /// The changes of this process that have no end yet, by number.
    in_flight: BTreeMap<u64, String>,
    gap: Option<Gap>,
    /// The accounts for which the gap is closed.
    closed: Vec<String>,
}

impl RedisJournal {
    /// Opens the journal `name` on the server at `url`, `redis://user:password@host:port/database`, or begins one. It
    /// is used within a tokio runtime that has time and I/O.
    ///
    /// # Errors
    ///
    /// Fails if the address is invalid, if the server cannot be reached, or if a release with another format wrote the
    /// journal.
    pub async fn open(url: &str, name: &str) -> Result<Self, JournalError> {
        // The error may contain the address, and the address a password.
        let client = Client::open(url).map_err(|error| store(error.category().to_owned().into()))?;
        let keys = scripts::KEYS.map(|key| format!("{name}:journal:{key}"));
        let (connection, process, known) = (Mutex::new(None), OwnProcess::new(), std::sync::Mutex::default());
        let mut journal =
            Self { client, connection, about: String::new(), keys, process, name: name.to_owned(), known };
        let own = format!("{FORMAT} {}", crate::data::value::mint().as_str());
        let about = journal.run(&scripts::open(), &[&own]).await;
        let about: String = about.map_err(|error| journal.explained(error))?;
        match about.split_once(' ') {
            Some((FORMAT, _)) => journal.about = about,
            found => {
                let found = found.map_or(about.as_str(), |(format, _)| format).to_owned();
                return Err(JournalError::Format { place: journal.name.clone(), found });
            }
        }
        journal.learn(&journal.read_by::<Vec<String>>(&scripts::state(), NOTHING).await?)?;
        Ok(journal)
    }

    /// Drops changes that ended and were signed before `time`, and returns their number. Open ones stay. That they were
    /// dropped is stored as a change, so that a comparison calls none of their orders foreign.
    ///
    /// It works in steps of a few hundred changes, between which the server does other work, up to the first step in
    /// which no change is as old.
    ///
    /// # Errors
    ///
    /// Fails if the server does.
    pub async fn prune(&self, time: Timestamp) -> Result<usize, JournalError> {
        let (first, last) = self.bounds().await?;
        let (mut count, mut next) = (0, first);
        // Whether all changes before `next` are pruned or open.
        let mut is_whole = true;
        while next <= last {
            let step = next..=last.min(next + STEP - 1);
            next = step.end() + 1;
            let mut ended = self.numbered(step).await?;
            ended.retain(|stored| stored.ending.is_some());
            let old: Vec<_> = ended.iter().filter(|stored| stored.change.signed_at < time).collect();
            if old.is_empty() && !ended.is_empty() {
                break;
            }
            if count == 0 && !old.is_empty() {
                let number = self.append(LostSpan::after(None).until(time).change(time)).await?;
                self.close(number, Ending::new(Outcome::Done)).await?;
            }
            is_whole &= old.len() == ended.len();
            let mut arguments = vec![if is_whole { next.to_string() } else { String::new() }];
            arguments.extend(old.iter().map(|stored| stored.number.to_string()));
            let _: u64 = self.write_by(&scripts::prune(), &arguments).await?;
            count += old.len();
        }
        Ok(count)
    }

    async fn store(&self, change: Change) -> Result<ChangeNumber, JournalError> {
        let signed_at = change.signed_at;
        let number = self.append(change).await?;
        let mut known = self.known();
        known.signed_at = known.signed_at.max(Some(signed_at));
        Ok(number)
    }

    async fn append(&self, change: Change) -> Result<ChangeNumber, JournalError> {
        let text = written(change);
        let (last, mark) = {
            let known = self.known();
            (known.last.to_string(), known.mark.clone())
        };
        let state: Vec<String> = self.write_by(&scripts::begin(), &[&text, &last, &mark]).await?;
        let number = self.learn(&state)?;
        let mut known = self.known();
        known.in_flight.insert(number, text);
        // Those whose calls were dropped have no end.
        if known.in_flight.len() > MAX_IN_FLIGHT {
            known.in_flight.pop_first();
        }
        Ok(ChangeNumber(number))
    }

    async fn close(&self, ChangeNumber(number): ChangeNumber, ending: Ending) -> Result<(), JournalError> {
        let (text, ending) = (self.in_flight(number), written_ending(&ending));
        let _: u64 = self.write_by(&scripts::end(), &[&number.to_string(), &ending, &text]).await?;
        self.known().in_flight.remove(&number);
        Ok(())
    }

    async fn close_items(
        &self,
        ChangeNumber(number): ChangeNumber,
        items: Vec<ItemEnding>,
    ) -> Result<(), JournalError> {
        let (text, items) = (self.in_flight(number), written_items(&items));
        self.write_by::<u64>(&scripts::end_items(), &[&number.to_string(), &items, &text]).await.map(drop)
    }

    /// Returns the text of a change in flight. One of another process, or of an earlier run, was just read.
    fn in_flight(&self, number: u64) -> String {
        self.known().in_flight.get(&number).cloned().unwrap_or_default()
    }

    /// Takes a state of the server, and returns its last number.
    fn learn(&self, state: &[String]) -> Result<u64, JournalError> {
        let unreadable = || self.damaged("its last number is unreadable".to_owned());
        let [number, mark, gap @ ..] = state else { return Err(unreadable()) };
        let number = number.parse().map_err(|_| unreadable())?;
        let mut known = self.known();
        if number >= known.last {
            (known.last, known.mark) = (number, mark.clone());
        }
        if let Some((after, closed)) = gap.split_first() {
            let reason = if after == NEW { GapReason::New } else { GapReason::Damaged };
            let after = after.parse().ok().map(Timestamp::from_millis);
            (known.gap, known.closed) = (Some(Gap::new(reason, after)), closed.to_vec());
        }
        Ok(number)
    }

    /// Notes that the server has an older state, here and there.
    async fn note_older(&self) -> Result<(), JournalError> {
        self.has_gap(None);
        let signed_at = self.known().signed_at;
        let (mut before, mut kept) = (u64::MAX, None);
        // Those that are later were stored since the server came back, perhaps after others that are missing.
        while kept.is_none() {
            let chunk = self.before(before, CHUNK).await?;
            let earlier = chunk.iter().filter(|stored| Some(stored.change.signed_at) <= signed_at);
            kept = earlier.map(|stored| stored.change.signed().earliest()).max();
            match chunk.first() {
                Some(first) => before = first.number.0,
                None => break,
            }
        }
        self.has_gap(kept);
        self.note_gap(kept).await
    }

    /// Notes a gap on the server.
    async fn note_gap(&self, after: Option<Timestamp>) -> Result<(), JournalError> {
        let after = after.map_or_else(String::new, |after| after.as_millis().to_string());
        let last = self.known().last.to_string();
        let state = self.script::<Vec<String>>(&scripts::note(), &[&last, &after]).await;
        self.learn(&state.map_err(|error| self.explained(error))?).map(drop)
    }

    fn has_gap(&self, after: Option<Timestamp>) {
        let mut known = self.known();
        (known.gap, known.closed) = (Some(Gap::new(GapReason::Damaged, after)), Vec::new());
    }

    fn known(&self) -> MutexGuard<'_, KnownState> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn select(&self, which: Selection) -> Result<Vec<StoredChange>, JournalError> {
        match which {
            Selection::Open => {
                let mut open = self.of_numbers(&self.open_numbers().await?).await?;
                // It may have ended meanwhile.
                open.retain(|stored| stored.ending.is_none());
                Ok(open)
            }
            Selection::After(ChangeNumber(after)) => self.after(after, usize::MAX).await,
        }
    }

    /// Returns the first changes after a number, at most `most`.
    async fn after(&self, after: u64, most: usize) -> Result<Vec<StoredChange>, JournalError> {
        let (first, last) = self.bounds().await?;
        let (mut all, mut next) = (Vec::new(), after.saturating_add(1));
        if next < first {
            let mut open = self.open_numbers().await?;
            open.retain(|number| (next..first).contains(number));
            open.truncate(most);
            all = self.of_numbers(&open).await?;
            next = first;
        }
        while all.len() < most && next <= last {
            let step = next..=last.min(next.saturating_add(STEP - 1));
            next = step.end() + 1;
            all.extend(self.numbered(step).await?);
        }
        all.truncate(most);
        Ok(all)
    }

    /// Returns the last changes before a number, at most `most`.
    async fn before(&self, before: u64, most: usize) -> Result<Vec<StoredChange>, JournalError> {
        let (first, last) = self.bounds().await?;
        let (mut steps, mut count, mut end) = (Vec::new(), 0, before.min(last.saturating_add(1)));
        while count < most && end > first {
            let step = first.max(end.saturating_sub(STEP))..=end - 1;
            end = *step.start();
            let found = self.numbered(step).await?;
            count += found.len();
            steps.push(found);
        }
        if count < most {
            let mut open = self.open_numbers().await?;
            open.retain(|number| *number < end.min(first).min(before));
            steps.push(self.of_numbers(&open.split_off(open.len().saturating_sub(most - count))).await?);
        }
        let mut all: Vec<_> = steps.into_iter().rev().flatten().collect();
        Ok(all.split_off(all.len().saturating_sub(most)))
    }

    /// Returns the first number that may not be pruned, and the last number.
    async fn bounds(&self) -> Result<(u64, u64), JournalError> {
        let bounds: Vec<String> = self.read_by(&scripts::bounds(), NOTHING).await?;
        let bounds: Vec<_> = bounds.iter().map(|number| self.number(number)).collect::<Result<_, _>>()?;
        match bounds[..] {
            [first, last] => Ok((first, last)),
            _ => Err(self.damaged("its numbers are unreadable".to_owned())),
        }
    }

    /// Returns the numbers of the open changes, in their order.
    async fn open_numbers(&self) -> Result<Vec<u64>, JournalError> {
        let numbers: Vec<String> = self.read_by(&scripts::open_numbers(), NOTHING).await?;
        let mut numbers: Vec<_> = numbers.iter().map(|number| self.number(number)).collect::<Result<_, _>>()?;
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Returns the changes with these numbers, which are few.
    async fn numbered(&self, numbers: RangeInclusive<u64>) -> Result<Vec<StoredChange>, JournalError> {
        let numbers: Vec<_> = numbers.map(|number| number.to_string()).collect();
        self.of_texts(&numbers).await
    }

    /// Returns the changes with these numbers.
    async fn of_numbers(&self, numbers: &[u64]) -> Result<Vec<StoredChange>, JournalError> {
        let mut all = Vec::new();
        for step in numbers.chunks(usize::try_from(STEP).unwrap_or(1)) {
            let numbers: Vec<_> = step.iter().map(u64::to_string).collect();
            all.extend(self.of_texts(&numbers).await?);
        }
        Ok(all)
    }

    async fn of_texts(&self, numbers: &[String]) -> Result<Vec<StoredChange>, JournalError> {
        let found: Vec<String> = self.read_by(&scripts::read(), numbers).await?;
        let mut all = Vec::with_capacity(found.len() / 4);
        for parts in found.chunks_exact(4) {
            let [number, change, ending, items] = parts else { continue };
            let number = self.number(number)?;
            let mut stored = read(ChangeNumber(number), change).map_err(|why| self.damaged(why))?;
            let unreadable = || self.damaged(format!("the ending of change {number} is unreadable"));
            stored.items = read_items(items).ok_or_else(unreadable)?;
            if !ending.is_empty() {
                stored.ending = Some(read_ending(ending).ok_or_else(unreadable)?);
            }
            all.push(stored);
        }
        Ok(all)
    }

    fn number(&self, text: &str) -> Result<u64, JournalError> {
        text.parse().map_err(|_| self.damaged("a number is unreadable".to_owned()))
    }

    /// Returns the result of a script that writes. One that finds that something is missing notes it, and writes
    /// nothing.
    async fn write_by<T: FromRedisValue>(
        &self,
        script: &str,
        arguments: &[impl AsRef<str>],
    ) -> Result<T, JournalError> {
        let result = self.script(script, arguments).await;
        match result {
            Err(ScriptError::Older) => self.note_older().await?,
            Err(ScriptError::Partly) => self.note_gap(None).await?,
            Ok(_) | Err(ScriptError::Lost | ScriptError::Failed(_)) => {}
        }
        result.map_err(|error| self.explained(error))
    }

    /// Returns the result of a script that reads. That something is missing is noted, and what is left is read.
    async fn read_by<T: FromRedisValue>(&self, script: &str, arguments: &[impl AsRef<str>]) -> Result<T, JournalError> {
        let result = match self.script(script, arguments).await {
            Err(ScriptError::Partly) => {
                self.note_gap(None).await?;
                self.script(script, arguments).await
            }
            result => result,
        };
        result.map_err(|error| self.explained(error))
    }

    fn explained(&self, error: ScriptError) -> JournalError {
        let why = match error {
            ScriptError::Failed(error) => return error,
            ScriptError::Lost => {
                self.has_gap(None);
                "the server no longer has what was stored before; reconcile, and open it again"
            }
            ScriptError::Partly => "the server lost a part of it, so that changes may be missing; reconcile",
            ScriptError::Older => "the server came back with an older state, so that changes may be missing; reconcile",
        };
        self.damaged(why.to_owned())
    }

    /// Runs a script on the journal that was opened.
    async fn script<T: FromRedisValue>(&self, script: &str, arguments: &[impl AsRef<str>]) -> Result<T, ScriptError> {
        let own = arguments.iter().map(AsRef::as_ref);
        let all: Vec<_> = [self.about.as_str()].into_iter().chain(own).collect();
        self.run(script, &all).await
    }

    async fn run<T: FromRedisValue>(&self, script: &str, arguments: &[&str]) -> Result<T, ScriptError> {
        let mut connection = self.connected().await.map_err(ScriptError::Failed)?;
        let script = Script::new(script);
        let mut call = script.prepare_invoke();
        for key in &self.keys {
            call.key(key);
        }
        for argument in arguments {
            call.arg(*argument);
        }
        let result = call.invoke_async(&mut connection).await;
        match result {
            Ok(value) => Ok(value),
            Err(error) if error.code() == Some("LOST") => Err(ScriptError::Lost),
            Err(error) if error.code() == Some("PARTLY") => Err(ScriptError::Partly),
            Err(error) if error.code() == Some("OLDER") => Err(ScriptError::Older),
            Err(error) => {
                // The next change connects again. This one may be stored but is not sent: a recovery finds no effect of
                // it.
                *self.connection.lock().await = None;
                Err(ScriptError::Failed(failed(&error)))
            }
        }
    }

    async fn connected(&self) -> Result<MultiplexedConnection, JournalError> {
        self.process.refuse_in_child(&self.name)?;
        let mut connection = self.connection.lock().await;
        if let Some(connection) = &*connection {
            return Ok(connection.clone());
        }
        let config =
            AsyncConnectionConfig::new().set_connection_timeout(Some(TIMEOUT)).set_response_timeout(Some(TIMEOUT));
        let made = self.client.get_multiplexed_async_connection_with_config(&config).await;
        let made = made.map_err(|error| failed(&error))?;
        *connection = Some(made.clone());
        Ok(made)
    }

    fn damaged(&self, why: String) -> JournalError {
        JournalError::Damaged { place: self.name.clone(), why }
    }
}

impl Journal for RedisJournal {
    fn is_shared(&self) -> bool {
        true
    }

    fn begin(&self, change: Change) -> JournalFuture<'_, ChangeNumber> {
        Box::pin(self.store(change))
    }

    fn end(&self, number: ChangeNumber, ending: Ending) -> JournalFuture<'_, ()> {
        Box::pin(self.close(number, ending))
    }

    fn end_items(&self, number: ChangeNumber, items: Vec<ItemEnding>) -> JournalFuture<'_, ()> {
        Box::pin(self.close_items(number, items))
    }

    fn read(&self, which: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        Box::pin(self.select(which))
    }

    fn read_after(&self, ChangeNumber(after): ChangeNumber, most: usize) -> JournalFuture<'_, Vec<StoredChange>> {
        Box::pin(self.after(after, most))
    }

    fn read_before(&self, ChangeNumber(before): ChangeNumber, most: usize) -> JournalFuture<'_, Vec<StoredChange>> {
        Box::pin(self.before(before, most))
    }

    fn claim<'a>(&'a self, account: &'a str, owner: &'a str) -> JournalFuture<'a, String> {
        Box::pin(async move { self.write_by(&scripts::claim(), &[account, owner]).await })
    }

    fn claim_again<'a>(&'a self, account: &'a str, owner: &'a str) -> JournalFuture<'a, ()> {
        Box::pin(async move { self.write_by::<u64>(&scripts::claim_again(), &[account, owner]).await.map(drop) })
    }

    fn gap(&self, account: &str) -> Option<Gap> {
        if self.process.is_forked() {
            return Some(Gap::new(GapReason::Forked, None));
        }
        let known = self.known();
        known.gap.clone().filter(|_| !known.closed.iter().any(|closed| closed == account))
    }

    fn close_gap<'a>(&'a self, account: &'a str) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            let state: Vec<String> = self.write_by(&scripts::close_gap(), &[account]).await?;
            self.learn(&state).map(drop)
        })
    }
}

/// The reason why a script failed.
enum ScriptError {
    /// The server does not have the journal.
    Lost,
    /// The server has lost a part of the journal.
    Partly,
    /// The server has an older state of the journal.
    Older,
    Failed(JournalError),
}

impl Drop for RedisJournal {
    /// Leaves the connection of a forked process open, which is that of its parent.
    fn drop(&mut self) {
        if self.process.is_forked() {
            mem::forget(self.connection.get_mut().take());
        }
    }
}

impl fmt::Debug for RedisJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the address, which may contain a password.
        f.debug_struct("RedisJournal").field("name", &self.name).finish_non_exhaustive()
    }
}

fn failed(error: &RedisError) -> JournalError {
    store(error.to_string().into())
}

fn store(why: Box<dyn std::error::Error + Send + Sync>) -> JournalError {
    JournalError::Store { source: Arc::from(why) }
}
