//! A journal of a fleet of processes, on a Redis server.
//!
//! Keys after the prefix of the journal: `about` has the format and the name of this journal, `next` the last number,
//! `changes` the changes by number, `open` the numbers of those without an end, `endings` the ends of the others, `gap`
//! when the last change before a gap was signed, and `closed` the accounts for which it is closed. Each function is one
//! script, so that it happens as a whole or not at all.
//!
//! A server that is started again may have an older state. Then `next` is lower than a number that this process knows,
//! or a change that it has in flight is missing or another one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, MutexGuard, PoisonError};

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, FromRedisValue, RedisError, Script};
use tokio::sync::Mutex;

use super::entry::{read, written};
use super::{Change, ChangeNumber, Ending, Gap, GapReason, Journal, JournalFuture, Selection, StoredChange};
use crate::error::JournalError;
use crate::tables::Outcome;
use crate::value::Timestamp;

/// The format of the keys. Another one is refused.
const FORMAT: &str = "1";

/// How long a server may take.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(2);

/// The beginning of every script, which fails if the server no longer has the journal that was opened.
const GUARD: &str =
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.error_reply('LOST the journal is gone') end ";

/// Begins the journal, or finds the name of the one that is there.
const OPEN: &str = "redis.call('SETNX', KEYS[1], ARGV[1]) return redis.call('GET', KEYS[1])";

/// The end of scripts that return the last number, and, if there is a gap, when the last change before it was signed
/// and the accounts for which it is closed.
const STATE: &str = " local state = {redis.call('GET', KEYS[2]) or '0', redis.call('GET', KEYS[6]) or nil} \
    if state[2] then for _, account in ipairs(redis.call('SMEMBERS', KEYS[7])) do state[#state + 1] = account end end \
    return state";

/// What scripts return that find an older state.
const OLDER: &str = "return redis.error_reply('OLDER the state is an earlier one')";

const BEGIN: &str = "local number = redis.call('INCR', KEYS[2]) \
    redis.call('HSET', KEYS[3], number, ARGV[2]) redis.call('SADD', KEYS[4], number)";

/// Notes a gap. No number is given twice, so that the end of a change that is missing is not taken for that of another.
/// An earlier gap begins earlier, and covers this one.
const NOTE: &str = "if tonumber(redis.call('GET', KEYS[2]) or '0') < tonumber(ARGV[2]) then \
      redis.call('SET', KEYS[2], ARGV[2]) \
    end \
    redis.call('SETNX', KEYS[6], ARGV[3]) redis.call('DEL', KEYS[7])";

/// A change that ended already keeps its first ending unless that was unknown.
const END: &str = "if redis.call('HEXISTS', KEYS[3], ARGV[2]) == 0 then return 0 end \
    local before = redis.call('HGET', KEYS[5], ARGV[2]) \
    if before and before ~= 'unknown' then return 0 end \
    redis.call('HSET', KEYS[5], ARGV[2], ARGV[3]) redis.call('SREM', KEYS[4], ARGV[2]) return 1";

/// The changes from a number on, or those that are open: the number, the change, and the end or an empty text of each.
const READ: &str = "local numbers = ARGV[2] == 'open' and redis.call('SMEMBERS', KEYS[4]) or redis.call('HKEYS', KEYS[3]) \
    local found = {} \
    for _, number in ipairs(numbers) do \
      if ARGV[2] == 'open' or tonumber(number) > tonumber(ARGV[2]) then \
        found[#found + 1] = number \
        found[#found + 1] = redis.call('HGET', KEYS[3], number) or '' \
        found[#found + 1] = redis.call('HGET', KEYS[5], number) or '' \
      end \
    end \
    return found";

const CLOSE: &str = "if redis.call('EXISTS', KEYS[6]) == 1 then redis.call('SADD', KEYS[7], ARGV[2]) end";

const REMOVE: &str = "redis.call('HDEL', KEYS[3], ARGV[2]) redis.call('HDEL', KEYS[5], ARGV[2]) return 1";

/// A journal on a Redis server, which a fleet of processes shares: each recovers what any of them left open.
///
/// A change is sent only after the server has confirmed it, so the journal outlives every process. What the server
/// keeps after a crash depends on its settings: with `appendfsync always`, everything; by default, the last second may
/// be missing. A server that comes back without the journal is noticed, and refused until the journal is opened again.
/// One that comes back with an older state is noticed by the processes that have written since: the change that notices
/// it is not sent, and [`gap`](Journal::gap) reports it, to other processes from their next change on. The server must
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
    keys: [String; 7],
    name: String,
    known: std::sync::Mutex<KnownState>,
}

/// The maximum number of changes in flight that are compared with the state of the server.
const MAX_IN_FLIGHT: usize = 1 << 12;

/// What a process knows of the journal.
#[derive(Default)]
struct KnownState {
    /// The highest number.
    last: u64,
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
        let keys = ["about", "next", "changes", "open", "endings", "gap", "closed"];
        let keys = keys.map(|key| format!("{name}:journal:{key}"));
        let (connection, known) = (Mutex::new(None), std::sync::Mutex::default());
        let mut journal = Self { client, connection, about: String::new(), keys, name: name.to_owned(), known };
        let own = format!("{FORMAT} {}", crate::value::mint().as_str());
        let about = journal.run(OPEN, &[&own]).await;
        let about: String = about.map_err(|error| journal.explained(error))?;
        match about.split_once(' ') {
            Some((FORMAT, _)) => journal.about = about,
            found => {
                let found = found.map_or(about.as_str(), |(format, _)| format).to_owned();
                return Err(JournalError::Format { place: journal.name, found });
            }
        }
        journal.learn(&journal.guarded::<Vec<String>>(STATE, &[]).await?)?;
        Ok(journal)
    }

    /// Drops changes that ended and were signed before `time`, and returns their number. Open ones stay.
    ///
    /// # Errors
    ///
    /// Fails if the server does.
    pub async fn prune(&self, time: Timestamp) -> Result<usize, JournalError> {
        let all = self.select(Selection::After(ChangeNumber(0))).await?;
        let old = all.iter().filter(|stored| stored.ending.is_some() && stored.change.signed_at < time);
        let mut count = 0;
        for stored in old {
            let _: u64 = self.guarded(REMOVE, &[&stored.number.to_string()]).await?;
            count += 1;
        }
        Ok(count)
    }

    async fn store(&self, change: Change) -> Result<ChangeNumber, JournalError> {
        let signed_at = change.signed_at;
        let (text, last) = (written(change), self.known().last.to_string());
        let older = format!("if tonumber(redis.call('GET', KEYS[2]) or '0') < tonumber(ARGV[3]) then {OLDER} end ");
        let state = self.script(&format!("{older}{BEGIN}{STATE}"), &[&text, &last]).await;
        let state: Vec<String> = self.noticed(state).await?;
        let number = self.learn(&state)?;
        let mut known = self.known();
        known.signed_at = known.signed_at.max(Some(signed_at));
        known.in_flight.insert(number, text);
        // Those whose calls were dropped have no end.
        if known.in_flight.len() > MAX_IN_FLIGHT {
            known.in_flight.pop_first();
        }
        Ok(ChangeNumber(number))
    }

    async fn close(&self, ChangeNumber(number): ChangeNumber, ending: Ending) -> Result<(), JournalError> {
        let word = match ending.outcome {
            Outcome::Done => "done",
            Outcome::NotDone => "not-done",
            Outcome::Unknown => "unknown",
        };
        let end = ending.code.map_or_else(|| word.to_owned(), |code| format!("{word} {code}"));
        // A change of another process, or of an earlier run, was just read.
        let text = self.known().in_flight.get(&number).cloned().unwrap_or_default();
        let older = format!("if ARGV[4] ~= '' and redis.call('HGET', KEYS[3], ARGV[2]) ~= ARGV[4] then {OLDER} end ");
        let ended = self.script(&format!("{older}{END}"), &[&number.to_string(), &end, &text]).await;
        let _: u64 = self.noticed(ended).await?;
        self.known().in_flight.remove(&number);
        Ok(())
    }

    /// Takes a state of the server, and returns its last number.
    fn learn(&self, state: &[String]) -> Result<u64, JournalError> {
        let unreadable = || self.damaged("its last number is unreadable".to_owned());
        let (number, gap) = state.split_first().ok_or_else(unreadable)?;
        let number = number.parse().map_err(|_| unreadable())?;
        let mut known = self.known();
        known.last = known.last.max(number);
        if let Some((after, closed)) = gap.split_first() {
            let after = after.parse().ok().map(Timestamp::from_millis);
            (known.gap, known.closed) = (Some(Gap::new(GapReason::Damaged, after)), closed.to_vec());
        }
        Ok(number)
    }

    /// Notes that the server has an older state, here and there.
    async fn note_older(&self) -> Result<(), JournalError> {
        self.has_gap(None);
        let (last, signed_at) = {
            let known = self.known();
            (known.last, known.signed_at)
        };
        let all = self.select(Selection::After(ChangeNumber(0))).await?;
        // Those that are later were stored since the server came back, perhaps after others that are missing.
        let kept = all.iter().map(|stored| stored.change.signed_at).filter(|at| Some(*at) <= signed_at).max();
        self.has_gap(kept);
        let after = kept.map_or_else(String::new, |kept| kept.as_millis().to_string());
        let state: Vec<String> = self.guarded(&format!("{NOTE}{STATE}"), &[&last.to_string(), &after]).await?;
        self.learn(&state).map(drop)
    }

    fn has_gap(&self, after: Option<Timestamp>) {
        let mut known = self.known();
        (known.gap, known.closed) = (Some(Gap::new(GapReason::Damaged, after)), Vec::new());
    }

    fn known(&self) -> MutexGuard<'_, KnownState> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn select(&self, which: Selection) -> Result<Vec<StoredChange>, JournalError> {
        let from = match which {
            Selection::Open => "open".to_owned(),
            Selection::After(ChangeNumber(number)) => number.to_string(),
        };
        let found: Vec<String> = self.guarded(READ, &[&from]).await?;
        let mut all = BTreeMap::new();
        for parts in found.chunks_exact(3) {
            let [number, change, ending] = parts else { continue };
            let number = number.parse().map_err(|_| self.damaged("a number is unreadable".to_owned()))?;
            let mut stored = read(ChangeNumber(number), change).map_err(|why| self.damaged(why))?;
            stored.ending = self.ending(ending)?;
            all.insert(number, stored);
        }
        Ok(all.into_values().collect())
    }

    fn ending(&self, text: &str) -> Result<Option<Ending>, JournalError> {
        let (word, code) = text.split_once(' ').map_or((text, None), |(word, code)| (word, Some(code.to_owned())));
        let outcome = match word {
            "" => return Ok(None),
            "done" => Outcome::Done,
            "not-done" => Outcome::NotDone,
            "unknown" => Outcome::Unknown,
            other => return Err(self.damaged(format!("{other} is not an ending"))),
        };
        Ok(Some(Ending { outcome, code }))
    }

    /// The result of a script that may find an older state, which is noted.
    async fn noticed<T>(&self, result: Result<T, ScriptError>) -> Result<T, JournalError> {
        if matches!(result, Err(ScriptError::Older)) {
            self.note_older().await?;
        }
        result.map_err(|error| self.explained(error))
    }

    fn explained(&self, error: ScriptError) -> JournalError {
        let why = match error {
            ScriptError::Failed(error) => return error,
            ScriptError::Lost => {
                self.has_gap(None);
                "the server no longer has what was stored before; reconcile, and open it again"
            }
            ScriptError::Older => "the server came back with an older state, so that changes may be missing; reconcile",
        };
        self.damaged(why.to_owned())
    }

    /// Runs a script on the journal that was opened.
    async fn guarded<T: FromRedisValue>(&self, script: &str, arguments: &[&str]) -> Result<T, JournalError> {
        self.script(script, arguments).await.map_err(|error| self.explained(error))
    }

    async fn script<T: FromRedisValue>(&self, script: &str, arguments: &[&str]) -> Result<T, ScriptError> {
        let all: Vec<_> = [self.about.as_str()].into_iter().chain(arguments.iter().copied()).collect();
        self.run(&format!("{GUARD}{script}"), &all).await
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
    fn begin(&self, change: Change) -> JournalFuture<'_, ChangeNumber> {
        Box::pin(self.store(change))
    }

    fn end(&self, number: ChangeNumber, ending: Ending) -> JournalFuture<'_, ()> {
        Box::pin(self.close(number, ending))
    }

    fn read(&self, which: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        Box::pin(self.select(which))
    }

    fn gap(&self, account: &str) -> Option<Gap> {
        let known = self.known();
        known.gap.clone().filter(|_| !known.closed.iter().any(|closed| closed == account))
    }

    fn close_gap<'a>(&'a self, account: &'a str) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            let state: Vec<String> = self.guarded(&format!("{CLOSE}{STATE}"), &[account]).await?;
            self.learn(&state).map(drop)
        })
    }
}

/// Why a script failed.
enum ScriptError {
    /// The server does not have the journal.
    Lost,
    /// The server has an older state of the journal.
    Older,
    Failed(JournalError),
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
