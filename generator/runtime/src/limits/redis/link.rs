use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError};
use tokio::runtime::Handle;

use super::question::{Answer, Question};
use crate::limits::limiter::{Trouble, Unavailable};

/// For how long nothing is tried after a failure: those who ask meanwhile are told at once.
pub(super) const PAUSE: Duration = Duration::from_millis(250);

/// The way to the server: one connection for all, made again when it breaks.
pub(super) struct Link {
    client: Client,
    timeout: Duration,
    state: Mutex<State>,
    /// Only one connects, and the others wait for it.
    connecting: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    connected: Option<Connected>,
    failed: Option<(Instant, Unavailable)>,
}

/// A connection to one run of the server, which forgets when it ends.
#[derive(Clone)]
struct Connected {
    connection: MultiplexedConnection,
    run: Arc<str>,
}

impl Link {
    pub(super) fn new(client: Client, timeout: Duration) -> Self {
        Self { client, timeout, state: Mutex::default(), connecting: tokio::sync::Mutex::new(()) }
    }

    /// Asks the server, within the time there is.
    pub(super) async fn ask(&self, question: &Question<'_>) -> Result<Answer, Unavailable> {
        if Handle::try_current().is_err() {
            return Err(Unavailable::new(Trouble::Unreachable, "Redis is asked from a tokio runtime only"));
        }
        let asked = tokio::time::timeout(self.timeout, self.ask_twice(question)).await;
        asked.unwrap_or_else(|_| {
            let why = format!("Redis did not answer within {:?}", self.timeout);
            Err(self.fail(Unavailable::new(Trouble::TooSlow, why)))
        })
    }

    /// A connection that was closed while no one looked is no reason to fail: the question is asked again over a new
    /// one. What the first one did, if anything, only takes room away.
    async fn ask_twice(&self, question: &Question<'_>) -> Result<Answer, Unavailable> {
        match self.ask_once(question).await? {
            Ok(answer) => Ok(answer),
            Err(error) if is_broken(&error) => {
                self.state().connected = None;
                self.ask_once(question).await?.map_err(|error| self.fail(trouble(&error)))
            }
            Err(error) => Err(trouble(&error)),
        }
    }

    async fn ask_once(&self, question: &Question<'_>) -> Result<Result<Answer, RedisError>, Unavailable> {
        let Connected { mut connection, run } = self.connected().await?;
        Ok(question.ask(&run, &mut connection).await)
    }

    async fn connected(&self) -> Result<Connected, Unavailable> {
        if let Some(known) = self.known() {
            return known;
        }
        let _only = self.connecting.lock().await;
        if let Some(known) = self.known() {
            return known;
        }
        let connected = self.connect().await.map_err(|error| self.fail(trouble(&error)))?;
        *self.state() = State { connected: Some(connected.clone()), failed: None };
        Ok(connected)
    }

    fn known(&self) -> Option<Result<Connected, Unavailable>> {
        let state = self.state();
        if let Some(connected) = &state.connected {
            return Some(Ok(connected.clone()));
        }
        let (at, why) = state.failed.as_ref()?;
        (at.elapsed() < PAUSE).then(|| Err(why.clone()))
    }

    async fn connect(&self) -> Result<Connected, RedisError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.timeout))
            .set_response_timeout(Some(self.timeout));
        let mut connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        let about: String = redis::cmd("INFO").arg("server").query_async(&mut connection).await?;
        let run = about.lines().find_map(|line| line.strip_prefix("run_id:")).unwrap_or("unknown");
        Ok(Connected { connection, run: run.trim().into() })
    }

    /// Remembers a failure, and tells it on.
    fn fail(&self, why: Unavailable) -> Unavailable {
        *self.state() = State { connected: None, failed: Some((Instant::now(), why.clone())) };
        why
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether another connection may do better: this one is gone, or its server does not lead any more.
fn is_broken(error: &RedisError) -> bool {
    error.is_io_error() || error.is_connection_dropped() || matches!(error.code(), Some("READONLY" | "LOADING"))
}

fn trouble(error: &RedisError) -> Unavailable {
    let trouble = if error.is_timeout() {
        Trouble::TooSlow
    } else if error.is_io_error() || error.is_connection_dropped() {
        Trouble::Unreachable
    } else {
        Trouble::Failed
    };
    Unavailable::new(trouble, error.to_string())
}
