//! A journal of a fleet of processes, on a Redis server.
//!
//! Keys behind the prefix of the journal: `about` has the format and the name of this journal, `next` the last number,
//! `changes` the changes by number, `open` the numbers of those without an end, and `endings` the ends of the others.
//! Each function is one script, so that it happens as a whole or not at all.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, FromRedisValue, RedisError, Script};
use tokio::sync::Mutex;

use super::entry::{read, written};
use super::{Change, ChangeNumber, Ending, Journal, JournalFuture, Selection, StoredChange};
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

const BEGIN: &str = "local number = redis.call('INCR', KEYS[2]) \
    redis.call('HSET', KEYS[3], number, ARGV[2]) redis.call('SADD', KEYS[4], number) return number";

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

const REMOVE: &str = "redis.call('HDEL', KEYS[3], ARGV[2]) redis.call('HDEL', KEYS[5], ARGV[2]) return 1";

/// A journal on a Redis server, which a fleet of processes shares: each recovers what any of them left open.
///
/// A change is sent only after the server has confirmed it, so the journal outlives every process. What the server
/// keeps after a crash depends on its settings: with `appendfsync always`, everything; by default, the last second may
/// be missing. A server that comes back without the journal is noticed, and refused until the journal is opened again.
/// The server must not evict keys. A process recovers what other processes have in flight, too, so let one recover
/// before the others trade, or give the processes accounts with different names.
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
    keys: [String; 5],
    name: String,
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
        let keys = ["about", "next", "changes", "open", "endings"].map(|key| format!("{name}:journal:{key}"));
        let mut journal =
            Self { client, connection: Mutex::new(None), about: String::new(), keys, name: name.to_owned() };
        let own = format!("{FORMAT} {}", crate::value::mint().as_str());
        let about: String = journal.run(OPEN, &[&own]).await?;
        match about.split_once(' ') {
            Some((FORMAT, _)) => journal.about = about,
            found => {
                let found = found.map_or(about.as_str(), |(format, _)| format).to_owned();
                return Err(JournalError::Format { place: journal.name, found });
            }
        }
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

    /// Runs a script on the journal that was opened.
    async fn guarded<T: FromRedisValue>(&self, script: &str, arguments: &[&str]) -> Result<T, JournalError> {
        let all: Vec<_> = [self.about.as_str()].into_iter().chain(arguments.iter().copied()).collect();
        self.run(&format!("{GUARD}{script}"), &all).await
    }

    async fn run<T: FromRedisValue>(&self, script: &str, arguments: &[&str]) -> Result<T, JournalError> {
        let mut connection = self.connected().await?;
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
            Err(error) if error.code() == Some("LOST") => {
                let why = "the server no longer has what was stored before; reconcile, and open it again".to_owned();
                Err(JournalError::Damaged { place: self.name.clone(), why })
            }
            Err(error) => {
                // The next change connects again. This one may be stored but is not sent: a recovery finds no effect of
                // it.
                *self.connection.lock().await = None;
                Err(failed(&error))
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
        Box::pin(async move {
            let number = self.guarded(BEGIN, &[&written(change)]).await?;
            Ok(ChangeNumber(number))
        })
    }

    fn end(&self, number: ChangeNumber, ending: Ending) -> JournalFuture<'_, ()> {
        Box::pin(async move {
            let word = match ending.outcome {
                Outcome::Done => "done",
                Outcome::NotDone => "not-done",
                Outcome::Unknown => "unknown",
            };
            let text = ending.code.map_or_else(|| word.to_owned(), |code| format!("{word} {code}"));
            let _: u64 = self.guarded(END, &[&number.to_string(), &text]).await?;
            Ok(())
        })
    }

    fn read(&self, which: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        Box::pin(self.select(which))
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
