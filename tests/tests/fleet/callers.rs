//! Helpers of the fleet's tests: settings, clients and counts of calls.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tradeapi::Operation;
use tradeapi::runtime::error::LimiterErrorKind;
use tradeapi::runtime::limits::{Admission, AdmissionError, Call, Limiter, RedisSettings, Reservation};
use tradeapi::runtime::tables::Meta;
use tradeapi::unified::{CancelOrder, PlaceOrder};

pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// Returns a time-out that is long enough for a busy machine.
pub(crate) fn settings() -> RedisSettings {
    RedisSettings::new().margin(ms(50)).ahead(ms(200)).timeout(SECOND * 5)
}

/// The span of a window of one second, with these settings.
pub(crate) const SPAN: Duration = ms(1_050);

/// The longest time for which a server without data grants nothing.
pub(crate) const RESTART_PAUSE: Duration = ms(2_050);

pub(crate) const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub(crate) const PLACE: &Meta = PlaceOrder::META;
pub(crate) const CANCEL: &Meta = CancelOrder::META;
/// The documented limit per second.
pub(crate) const MAX_CALLS: usize = 10;

pub(crate) fn call(meta: &'static Meta) -> Call<'static> {
    Call::new(meta).counted_for("1234567890", "192.0.2.7")
}

pub(crate) async fn ask(limits: &impl Limiter, call: Call<'static>, wait: bool) -> Result<Reservation, AdmissionError> {
    match limits.admit(call, wait) {
        Admission::Now(known) => known,
        Admission::Later(later) => later.await,
    }
}

/// Makes a call. Returns when it was admitted by the server's clock, and sent by the local clock, which is the same
/// one.
pub(crate) async fn make(
    limits: &impl Limiter,
    call: Call<'static>,
    wait: bool,
) -> Result<(Duration, Duration), AdmissionError> {
    let mut reservation = ask(limits, call, wait).await?;
    limits.sent(&mut reservation);
    let sent = now();
    let moments = (reservation.counted_at, sent);
    limits.answered(reservation, Default::default());
    Ok(moments)
}

pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap()
}

/// Returns the most moments in any half-open window of `span`.
pub(crate) fn most_in_any(moments: &[Duration], span: Duration) -> usize {
    let mut moments = moments.to_vec();
    moments.sort();
    let from = |start: usize| moments[start..].partition_point(|moment| *moment < moments[start] + span);
    (0..moments.len()).map(from).max().unwrap_or(0)
}

#[track_caller]
pub(crate) fn free_in<T: std::fmt::Debug>(admission: Result<T, AdmissionError>) -> Duration {
    match admission {
        Err(AdmissionError::Full(full)) => full.free_in,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
pub(crate) fn failure_kind<T: std::fmt::Debug>(admission: Result<T, AdmissionError>) -> LimiterErrorKind {
    match admission {
        Err(AdmissionError::Unavailable(unavailable)) => unavailable.kind,
        other => panic!("{other:?}"),
    }
}
