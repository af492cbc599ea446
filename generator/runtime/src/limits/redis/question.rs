use std::sync::LazyLock;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{RedisError, Script};

use super::lane::Lane;
use crate::limits::signs::TooMany;

static SCRIPT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("script.lua")));

/// What the script is to do about the windows of a lane.
pub(super) struct Question<'a> {
    lane: &'a Lane,
    act: &'static str,
    ahead: Duration,
    words: Vec<String>,
}

/// What the script answers: numbers, the time first.
pub(super) struct Answer(Vec<i64>);

/// How calls are asked for.
pub(super) struct Asking {
    /// How many.
    pub(super) count: usize,
    /// How far ahead they may be booked.
    pub(super) booking: Duration,
    /// The moments of calls that were booked before and are not made.
    pub(super) returned: Vec<i64>,
}

impl<'a> Question<'a> {
    fn new(lane: &'a Lane, ahead: Duration, act: &'static str, words: Vec<String>) -> Self {
        Self { lane, act, ahead, words }
    }

    /// Asks for calls.
    pub(super) fn ask_for(lane: &'a Lane, ahead: Duration, asking: &Asking) -> Self {
        let Asking { count, booking, returned } = asking;
        let mut words = vec![flag(lane.urgent), lane.name.clone(), count.to_string(), micros(*booking)];
        words.push(returned.len().to_string());
        words.extend(returned.iter().map(i64::to_string));
        Self::new(lane, ahead, "ask", words)
    }

    /// Tells that a call was too many.
    pub(super) fn too_many(lane: &'a Lane, ahead: Duration, too_many: TooMany) -> Self {
        let asked_for = micros(too_many.retry_after.unwrap_or_default());
        Self::new(lane, ahead, "too_many", vec![asked_for, flag(too_many.of_everything)])
    }

    /// Tells how many calls were left after one that was counted at `moment`.
    pub(super) fn remaining(lane: &'a Lane, ahead: Duration, moment: Duration, remaining: u32) -> Self {
        Self::new(lane, ahead, "remaining", vec![micros(moment), remaining.to_string()])
    }

    /// Tells how many calls were made unasked, of each window.
    pub(super) fn made(lane: &'a Lane, ahead: Duration, counts: &[usize]) -> Self {
        Self::new(lane, ahead, "made", counts.iter().map(usize::to_string).collect())
    }

    pub(super) async fn ask(&self, run: &str, to: &mut MultiplexedConnection) -> Result<Answer, RedisError> {
        let Lane { keys, windows, own, .. } = self.lane;
        let mut invocation = SCRIPT.prepare_invoke();
        for key in keys {
            invocation.key(key);
        }
        invocation.arg(self.act).arg(run).arg(micros(self.ahead)).arg(*own);
        for window in windows {
            invocation.arg(window.most).arg(micros(window.span));
        }
        for word in &self.words {
            invocation.arg(word);
        }
        invocation.invoke_async(to).await.map(Answer)
    }
}

impl Answer {
    /// The server's time, in microseconds.
    pub(super) fn now(&self) -> i64 {
        self.0.first().copied().unwrap_or_default()
    }

    /// How long to wait for a call more.
    pub(super) fn wait(&self) -> Duration {
        self.0.get(1).copied().map(duration).unwrap_or_default()
    }

    /// The index of the window that is in the way.
    pub(super) fn binding(&self) -> Option<usize> {
        usize::try_from(*self.0.get(2)?).ok()?.checked_sub(1)
    }

    /// How many calls are left.
    pub(super) fn left(&self) -> u32 {
        self.0.get(3).and_then(|left| u32::try_from(*left).ok()).unwrap_or(u32::MAX)
    }

    /// How far ahead each booked call is.
    pub(super) fn booked(&self) -> impl Iterator<Item = Duration> {
        self.0.iter().skip(4).map(|ahead| duration(*ahead))
    }
}

fn flag(is_so: bool) -> String {
    u8::from(is_so).to_string()
}

fn micros(duration: Duration) -> String {
    duration.as_micros().to_string()
}

fn duration(micros: i64) -> Duration {
    Duration::from_micros(u64::try_from(micros).unwrap_or_default())
}
