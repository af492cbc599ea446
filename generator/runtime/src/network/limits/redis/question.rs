//! Calls of the script that counts a fleet's calls, and their answers.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use redis::{RedisError, Script};

use super::bucket::{Bucket, Reports};
use super::settings::{LONGEST, RedisSettings};
use crate::network::limits::limiter::TooMany;
use crate::network::wire::PoolReport;

static SCRIPT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("script.lua")));

/// A request to the script about the windows of a bucket.
pub(super) struct Question<'a> {
    bucket: &'a Bucket,
    settings: &'a RedisSettings,
    act: &'static str,
    words: Vec<String>,
    /// Until when permits can be used.
    pub(super) grants_until: Instant,
    /// Until when the process is a member.
    pub(super) member_until: Instant,
}

/// The answer of the script.
pub(super) struct Answer {
    /// The numbers of the answer: the time, since when permits are known, and then those of the function.
    numbers: Vec<i64>,
    /// True if the question was sent twice, so that the server may have processed both.
    asked_twice: bool,
}

/// The process that sends the question.
#[derive(Clone, Copy)]
pub(super) struct Member<'a> {
    pub(super) name: &'a str,
    /// The share that it uses without Redis, if its presence is reported.
    pub(super) share: Option<f64>,
    /// Since when no other process can use this share.
    pub(super) since: Instant,
    /// Until when it is certainly a member.
    pub(super) until: Instant,
}

/// The permits that a question requests.
#[derive(Clone, Copy)]
pub(super) struct PermitRequest {
    /// The first name of the permits.
    pub(super) first: u64,
    /// The number of permits.
    pub(super) count: usize,
    /// The time ahead for which permits may be granted.
    pub(super) booking: Duration,
}

impl<'a> Question<'a> {
    fn new(bucket: &'a Bucket, settings: &'a RedisSettings, act: &'static str, words: Vec<String>) -> Self {
        let now = Instant::now();
        let (grants_until, member_until) = (now + settings.timeout, now + settings.validity());
        Self { bucket, settings, act, words, grants_until, member_until }
    }

    /// Requests the time.
    pub(super) fn hello(bucket: &'a Bucket, settings: &'a RedisSettings) -> Self {
        Self::new(bucket, settings, "hello", Vec::new())
    }

    /// Reports that the server's clock was set forward, which voids the state that began at `since`.
    pub(super) fn forget(bucket: &'a Bucket, settings: &'a RedisSettings, since: i64) -> Self {
        Self::new(bucket, settings, "forget", vec![since.to_string()])
    }

    /// Reports used and unused permits, and requests more.
    pub(super) fn ask(
        bucket: &'a Bucket,
        settings: &'a RedisSettings,
        member: Member<'_>,
        reports: &Reports,
        request: PermitRequest,
    ) -> Self {
        let Reports { unused, ended } = reports;
        let now = Instant::now();
        let mut words = member.words();
        words.push(unused.len().to_string());
        words.extend(unused.iter().map(u64::to_string));
        words.push(ended.len().to_string());
        for (id, at) in ended {
            words.extend([id.to_string(), since(*at, now)]);
        }
        words.extend([flag(bucket.urgent), flag(bucket.cancels), micros(request.booking)]);
        words.extend([request.first.to_string(), request.count.to_string()]);
        Self { member_until: member.until, ..Self::new(bucket, settings, "ask", words) }
    }

    /// Reports that the process has returned, and the calls of each window that were made and are in flight.
    pub(super) fn join(
        bucket: &'a Bucket,
        settings: &'a RedisSettings,
        member: Member<'_>,
        counts: impl Iterator<Item = [usize; 2]>,
    ) -> Self {
        let mut words = member.words();
        words.push(micros(settings.under_way()));
        words.extend(counts.flatten().map(|count| count.to_string()));
        Self { member_until: member.until, ..Self::new(bucket, settings, "join", words) }
    }

    /// Reports that a call exceeded a limit.
    pub(super) fn too_many(bucket: &'a Bucket, settings: &'a RedisSettings, too_many: TooMany) -> Self {
        let requested = too_many.retry_after.unwrap_or_default().min(settings.limits.longest_pause);
        let longest_pause = micros(settings.limits.longest_pause);
        let refused_for = micros(too_many.refused_for.unwrap_or_default());
        let words =
            vec![micros(requested), longest_pause, flag(too_many.of_everything), flag(bucket.cancels), refused_for];
        Self::new(bucket, settings, "too_many", words)
    }

    /// Reports the remaining calls after one that was granted at `moment`.
    pub(super) fn remaining(bucket: &'a Bucket, settings: &'a RedisSettings, moment: Duration, remaining: u32) -> Self {
        Self::new(bucket, settings, "remaining", vec![micros(moment), remaining.to_string()])
    }

    /// Reports what remains of a pool, the window with this index, after a call that was granted at `moment`.
    pub(super) fn pool_report(
        bucket: &'a Bucket,
        settings: &'a RedisSettings,
        moment: Duration,
        (index, report): (usize, PoolReport),
    ) -> Self {
        let reset = report.reset.map_or("-1".to_owned(), micros);
        let words = vec![micros(moment), (index + 1).to_string(), report.remaining.to_string(), reset];
        Self::new(bucket, settings, "pool_report", words)
    }

    /// Sends the question over `to`, a connection to this `run` of the server. The times `until` are those of the
    /// question by the fleet's clock.
    pub(super) async fn send(
        &self,
        run: &str,
        until: [i64; 2],
        to: &mut MultiplexedConnection,
    ) -> Result<Answer, RedisError> {
        let Bucket { keys, windows, name, alone, own, .. } = self.bucket;
        let RedisSettings { ahead, limits, .. } = self.settings;
        let mut invocation = SCRIPT.prepare_invoke();
        for key in keys {
            invocation.key(key);
        }
        let longest_pause = self.bucket.longest_span().max(limits.longest_pause);
        invocation.arg(self.act).arg(run).arg(&until[..]).arg(micros(self.settings.validity())).arg(*own);
        for duration in [self.settings.longest_hold(), self.settings.settling(), *ahead, longest_pause] {
            invocation.arg(micros(duration));
        }
        invocation.arg(*alone).arg(name);
        for window in windows {
            invocation.arg(window.most).arg(micros(window.span)).arg(window.count);
        }
        for word in &self.words {
            invocation.arg(word);
        }
        let numbers = invocation.invoke_async(to).await?;
        Ok(Answer { numbers, asked_twice: false })
    }
}

impl Member<'_> {
    fn words(self) -> Vec<String> {
        let share = self.share.map_or("-1".to_owned(), |share| share.to_string());
        vec![self.name.to_owned(), share, since(self.since, Instant::now())]
    }
}

impl Answer {
    fn number(&self, place: usize) -> i64 {
        self.numbers.get(place).copied().unwrap_or_default()
    }

    /// Returns the fleet's time, in microseconds.
    pub(super) fn now(&self) -> i64 {
        self.number(0)
    }

    /// Returns since when the server has had all permits on record.
    pub(super) fn since(&self) -> i64 {
        self.number(1)
    }

    /// Returns whether the question was read too late.
    pub(super) fn is_late(&self) -> bool {
        self.number(2) != 0
    }

    /// Returns the same without permits, which are not reliable.
    pub(super) fn void(&self) -> Self {
        Self { numbers: vec![self.now(), self.since(), 1], ..*self }
    }

    /// Returns the same for a question that was sent twice.
    pub(super) fn of_two(self) -> Self {
        Self { asked_twice: true, ..self }
    }

    /// Returns whether permits may have been granted that are not in it.
    pub(super) fn may_lack_permits(&self) -> bool {
        self.asked_twice || self.is_late()
    }

    /// Returns how long to wait for another permit.
    pub(super) fn wait(&self) -> Duration {
        duration(self.number(3))
    }

    /// Returns the index of the window that delays the next permit.
    pub(super) fn binding(&self) -> Option<usize> {
        usize::try_from(self.number(4)).ok()?.checked_sub(1)
    }

    /// Returns how many calls are left.
    pub(super) fn left(&self) -> u32 {
        self.numbers.get(5).and_then(|left| u32::try_from(*left).ok()).unwrap_or(u32::MAX)
    }

    /// Returns how far ahead each permit is.
    pub(super) fn granted(&self) -> impl Iterator<Item = Duration> {
        self.numbers.iter().skip(6).map(|ahead| duration(*ahead))
    }
}

/// Returns how long ago `at` is, in microseconds; negative if it is in the future.
fn since(at: Instant, now: Instant) -> String {
    match now.checked_duration_since(at) {
        Some(ago) => micros(ago),
        None => format!("-{}", micros(at - now)),
    }
}

fn flag(is_so: bool) -> String {
    u8::from(is_so).to_string()
}

fn micros(duration: Duration) -> String {
    duration.min(LONGEST).as_micros().to_string()
}

fn duration(micros: i64) -> Duration {
    Duration::from_micros(u64::try_from(micros).unwrap_or_default())
}
