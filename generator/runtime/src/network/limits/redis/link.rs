//! The connection to the Redis server.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError};
use tokio::runtime::Handle;

use super::bucket::Bucket;
use super::question::{Answer, Question};
use super::settings::RedisSettings;
use crate::data::error::LimiterErrorKind;
use crate::network::limits::limiter::Unavailable;

/// The time to wait before reconnecting after a failure. Until then, questions fail immediately.
pub(super) const PAUSE: Duration = Duration::from_millis(250);

/// By how much the server's clock may seem to be faster than this process's, besides a part of the time that passed. A
/// smaller difference is not a step: the clock is being adjusted.
const SLACK: Duration = Duration::from_millis(5);
const SLACK_PART: u32 = 8;

/// The link to the server: one connection for all callers, made again when it breaks.
pub(super) struct Link {
    client: Client,
    settings: RedisSettings,
    state: Mutex<State>,
    /// Only one connects, and the others wait for it.
    connecting: tokio::sync::Mutex<()>,
    nothing: Bucket,
}

#[derive(Default)]
struct State {
    connected: Option<Connected>,
    failed: Option<(Instant, Unavailable)>,
    anchor: Option<Anchor>,
}

/// A connection to one run of the server, whose data ends with the run.
#[derive(Clone)]
struct Connected {
    connection: MultiplexedConnection,
    run: Arc<str>,
}

/// A moment of the fleet's time, which was between two moments of this process's clock.
#[derive(Clone, Copy)]
struct Anchor {
    fleet: i64,
    since: i64,
    sent: Instant,
    heard: Instant,
}

impl Link {
    pub(super) fn new(client: Client, settings: RedisSettings) -> Self {
        let nothing = Bucket::over([].iter(), &settings);
        Self { client, settings, state: Mutex::default(), connecting: tokio::sync::Mutex::new(()), nothing }
    }

    /// Requests the time.
    pub(super) async fn hello(&self) -> Result<Answer, Unavailable> {
        self.ask(&Question::hello(&self.nothing, &self.settings)).await
    }

    /// Sends a question to the server and waits for its answer, up to the time-out.
    pub(super) async fn ask(&self, question: &Question<'_>) -> Result<Answer, Unavailable> {
        if Handle::try_current().is_err() {
            return Err(Unavailable::new(
                LimiterErrorKind::Unreachable,
                "calls with limits in Redis need a tokio runtime",
            ));
        }
        let timeout = self.settings.timeout;
        let answer = tokio::time::timeout(timeout, self.ask_with_retry(question)).await;
        answer.unwrap_or_else(|_| {
            let why = format!("Redis did not answer within {timeout:?}");
            Err(self.fail(Unavailable::new(LimiterErrorKind::TooSlow, why)))
        })
    }

    /// Sends a question, again over a new connection if the old one was closed while idle.
    async fn ask_with_retry(&self, question: &Question<'_>) -> Result<Answer, Unavailable> {
        match self.ask_once(question).await? {
            Ok(answer) => Ok(answer),
            Err(error) if is_broken(&error) => {
                self.state().connected = None;
                self.ask_once(question).await?.map(Answer::of_two).map_err(|error| self.fail(unavailable(&error)))
            }
            Err(error) => Err(unavailable(&error)),
        }
    }

    async fn ask_once(&self, question: &Question<'_>) -> Result<Result<Answer, RedisError>, Unavailable> {
        let mut to = self.connected().await?;
        let Some(anchor) = self.state().anchor else {
            return Err(Unavailable::new(LimiterErrorKind::Failed, "Redis did not return the time"));
        };
        Ok(self
            .ask_on(
                &mut to,
                question,
                [question.grants_until, question.member_until].map(|until| anchor.fleet_time(until)),
            )
            .await)
    }

    async fn ask_on(&self, to: &mut Connected, question: &Question<'_>, until: [i64; 2]) -> Result<Answer, RedisError> {
        let sent = Instant::now();
        let answer = question.send(&to.run, until, &mut to.connection).await?;
        let anchor = Anchor::of(&answer, sent);
        let known = self.state().anchor.filter(|known| known.since == anchor.since);
        if known.is_none_or(|known| !known.was_set_forward(&anchor)) {
            self.state().anchor = Some(anchor);
            return Ok(answer);
        }
        let forget = Question::forget(&self.nothing, &self.settings, anchor.since);
        let sent = Instant::now();
        let forgotten = forget.send(&to.run, [0; 2], &mut to.connection).await?;
        self.state().anchor = Some(Anchor::of(&forgotten, sent));
        Ok(answer.void())
    }

    async fn connected(&self) -> Result<Connected, Unavailable> {
        if let Some(known) = self.known() {
            return known;
        }
        let _only = self.connecting.lock().await;
        if let Some(known) = self.known() {
            return known;
        }
        let connected = self.connect().await.map_err(|error| self.fail(unavailable(&error)))?;
        let mut state = self.state();
        state.connected = Some(connected.clone());
        state.failed = None;
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
        let timeout = self.settings.timeout;
        let config =
            AsyncConnectionConfig::new().set_connection_timeout(Some(timeout)).set_response_timeout(Some(timeout));
        let mut connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        let about: String = redis::cmd("INFO").arg("server").query_async(&mut connection).await?;
        let run = about.lines().find_map(|line| line.strip_prefix("run_id:")).unwrap_or("unknown");
        let mut connected = Connected { connection, run: run.trim().into() };
        self.ask_on(&mut connected, &Question::hello(&self.nothing, &self.settings), [0; 2]).await?;
        Ok(connected)
    }

    /// Remembers a failure, and returns it.
    fn fail(&self, why: Unavailable) -> Unavailable {
        let mut state = self.state();
        state.connected = None;
        state.failed = Some((Instant::now(), why.clone()));
        why
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Anchor {
    fn of(answer: &Answer, sent: Instant) -> Self {
        Self { fleet: answer.now(), since: answer.since(), sent, heard: Instant::now() }
    }

    /// Returns the fleet's time at `moment` or before.
    fn fleet_time(&self, moment: Instant) -> i64 {
        self.fleet.saturating_add(micros(moment.saturating_duration_since(self.heard)))
    }

    /// Returns whether the fleet's time went on by more than can have passed until `later`.
    fn was_set_forward(&self, later: &Self) -> bool {
        let passed = later.heard.saturating_duration_since(self.sent);
        later.fleet.saturating_sub(self.fleet) > micros(passed + passed / SLACK_PART + SLACK)
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX / 4)
}

/// Returns whether another connection may succeed: this one is lost, or its server is no longer the leader.
fn is_broken(error: &RedisError) -> bool {
    error.is_io_error() || error.is_connection_dropped() || matches!(error.code(), Some("READONLY" | "LOADING"))
}

fn unavailable(error: &RedisError) -> Unavailable {
    let unavailable = if error.is_timeout() {
        LimiterErrorKind::TooSlow
    } else if error.is_io_error() || error.is_connection_dropped() {
        LimiterErrorKind::Unreachable
    } else {
        LimiterErrorKind::Failed
    };
    Unavailable::new(unavailable, error.to_string())
}
