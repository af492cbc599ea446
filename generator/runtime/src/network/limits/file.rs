//! Limits that the processes of a machine keep together, in a folder.
//!
//! # The rule
//!
//! Each window has a file with as many places as it has calls. A call takes a place of each of its windows before it is
//! sent, for the time in which it may arrive (its lease) and a span after that; its end, once it is written, frees the
//! place a span later, or at once if the call was not sent. So of any N + 1 calls the one that took its place last was sent
//! a span after another one had ended. Spans are longer by the difference of the processes' clocks. What is written late,
//! or never, makes a call take its place for longer.
//!
//! The files know calls, and no queues: within the process, calls wait in the order of an [`InProcessLimits`], which
//! each has to pass first, and what it admits waits for places. Processes do not know of each other's waiting calls.
//! Each looks again when a place can be free, at least four times a second.

mod table;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, fs};

pub(crate) use self::table::MachineClock;
use self::table::{Report, Table, Trouble};
use super::call::{Call, Plan, Reservation};
use super::in_process::InProcessLimits;
use super::learning::Pauses;
use super::limiter::{Admission, AdmissionError, Full, Limiter, RateLimitFeedback, TooMany, Unavailable};
use super::settings::LimitSettings;
use super::shared_windows::{SharedWindow, SharedWindows, name_of};
use crate::data::clock::{SystemTimer, Timer, pause};
use crate::data::error::LimiterErrorKind;
use crate::data::tables::{Effect, Scope};

/// The longest wait before a file is read again: a place may be free earlier than it says, when a call ends.
const PATIENCE: Duration = Duration::from_millis(250);

/// The wait for a file that another process has locked.
const SOON: Duration = Duration::from_millis(1);

/// For how long a process may have a file locked before a call fails. It needs microseconds, unless it was stopped.
const STUCK: Duration = Duration::from_secs(2);

/// The number of buckets whose windows are remembered.
const MANY: usize = 1_024;

/// A limiter for the processes of a machine that share an account, without a server: over the files of a folder.
///
/// # Exactness
///
/// Like [`InProcessLimits`], of all processes together: a call takes a place from its admission until one window after its
/// response; if it was given up, also for the time in which it may still arrive ([`LimitSettings::held_back`]). No window
/// contains more than N calls. Calls count from their responses, so each window becomes longer by a round trip. All
/// processes need the same settings.
///
/// Processes of a machine have one address, so they also keep the rate of the exchange for an address
/// ([`RefusedAddress::rate`](crate::tables::RefusedAddress::rate)) together, whatever their keys are, unless
/// [`overall`](LimitSettings::overall) states another one. [`source_address`](crate::ClientBuilder::source_address) counts
/// a client apart.
///
/// A process that is killed loses its locks at once, and its places when its calls can no longer arrive. On Linux the time
/// is that since the start of the machine, which cannot be set. Elsewhere it begins with the wall clock at the start of the
/// process, so calls of before count for less time if that was set forward in between, and for more if it was set back.
///
/// Calls end with [`Error::LimiterFailed`](crate::Error::LimiterFailed) if a file cannot be written, or if a stopped process
/// has it locked for two seconds. Pauses that a 429 or a refusal of the address requires hold for all processes; what
/// [the remaining calls](RateLimitFeedback::remaining) say of others is known to the process that was answered.
///
/// # The folder
///
/// The folder is on a disk of the machine, or in memory, because file systems of networks do not lock reliably. Each
/// window has a file of eight bytes for each of its calls, whose name has the account as a hash, which can be found
/// by trying all names. Remove the folder only while no process uses it.
///
/// ```
/// use std::sync::Arc;
/// use tradeapi_runtime::ClientCore;
/// use tradeapi_runtime::limits::{FileLimits, LimitSettings};
/// use tradeapi_runtime::tables::Api;
///
/// fn client(api: &'static Api, folder: &str) -> Result<ClientCore, Box<dyn std::error::Error>> {
///     let limits = FileLimits::open(folder, LimitSettings::new())?;
///     Ok(ClientCore::builder(api, "https://exchange.example").account("desk 1").limiter(Arc::new(limits)).build()?)
/// }
/// # let _ = client;
/// ```
pub struct FileLimits {
    own: InProcessLimits,
    settings: LimitSettings,
    folder: PathBuf,
    timer: Arc<dyn Timer>,
    clock: MachineClock,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    tables: Vec<Table>,
    table_of: HashMap<String, usize>,
    /// The windows of the calls of each bucket of the process.
    calls: HashMap<u64, Arc<CallWindows>>,
    /// The calls that have places, by the keys of their reservations.
    open: HashMap<u64, Open>,
    given_up: Vec<GivenUp>,
    next: u64,
}

/// The windows of a call.
#[derive(Debug)]
struct CallWindows {
    windows: Vec<SharedWindow>,
    /// The table of each.
    tables: Vec<usize>,
    /// The number of windows at the front that are in the operation's table.
    own: usize,
    /// The tables with the pauses of the address: for other calls, and for cancellations.
    gates: [usize; 2],
    cancels: bool,
}

/// A call that has places.
#[derive(Debug)]
struct Open {
    own: Reservation,
    windows: Arc<CallWindows>,
    /// The table and the span of each place, and until when it was taken.
    places: Vec<Taken>,
    taken_at: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Taken {
    table: usize,
    span: Duration,
    place: usize,
    until: u64,
}

/// A call that was given up without a response.
#[derive(Debug)]
struct GivenUp {
    places: Vec<Taken>,
    gate: usize,
    /// When it was given up.
    at: Duration,
    /// When it has arrived at the latest.
    arrived: Duration,
}

/// The reason why a call has no places.
enum Denied {
    Full(Full),
    Busy,
    Failed(Unavailable),
}

impl From<Trouble> for Denied {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Busy => Self::Busy,
            Trouble::Failed(error) => Self::Failed(Unavailable::new(LimiterErrorKind::Failed, error.to_string())),
        }
    }
}

impl From<io::Error> for Denied {
    fn from(error: io::Error) -> Self {
        Trouble::from(error).into()
    }
}

impl FileLimits {
    /// Opens the folder at `path`, and makes it if there is none.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be made, or nothing can be written or locked in it.
    pub fn open(path: impl AsRef<Path>, settings: LimitSettings) -> io::Result<Self> {
        let timer = SystemTimer::new();
        let clock = MachineClock::read(timer.now());
        Self::open_by(path.as_ref(), settings, Arc::new(timer), clock)
    }

    fn open_by(folder: &Path, settings: LimitSettings, timer: Arc<dyn Timer>, clock: MachineClock) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self {
            own: InProcessLimits::with_shared_timer(settings.clone(), Arc::clone(&timer)),
            settings,
            folder: folder.to_owned(),
            timer,
            clock,
            state: Mutex::default(),
        })
    }

    /// Opens the same for a process of a simulation.
    #[cfg(test)]
    pub(super) fn simulated(
        folder: &Path,
        settings: LimitSettings,
        timer: impl Timer + 'static,
        clock: MachineClock,
    ) -> io::Result<Self> {
        Self::open_by(folder, settings, Arc::new(timer), clock)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Duration {
        self.timer.now()
    }

    /// Returns for how long a call takes its places if nothing is heard of it.
    fn lease(&self) -> Duration {
        self.settings.arrived_at(Duration::ZERO, Duration::ZERO)
    }

    /// Takes a place for a call in each of its windows.
    fn take(&self, call: &Call<'_>, own: &mut Option<Reservation>) -> Result<Reservation, Denied> {
        let Some(key) = own.as_ref().map(|own| own.key) else { return Err(Denied::Busy) };
        let (mut state, at) = (self.state(), self.now());
        let windows = match state.calls.get(&key) {
            Some(known) => Arc::clone(known),
            None => state.add_call(key, call, self)?,
        };
        let places = state.take(&windows, self.lease(), at)?;
        let Some(own) = own.take() else { return Err(Denied::Busy) };
        let id = state.next;
        state.next += 1;
        let reservation = Reservation { key: id, waited: own.waited, ..own };
        state.open.insert(id, Open { own, windows, places, taken_at: at });
        Ok(reservation)
    }

    /// Lets no process send for a while.
    fn back_off(&self, state: &mut State, windows: &CallWindows, too_many: TooMany) {
        let (at, own) = (self.now(), windows.own);
        let spans = windows.windows[..own].iter().map(|window| window.span);
        let pauses = Pauses::of(spans, self.settings.longest_pause, too_many);
        let refused_for = too_many.refused_for.unwrap_or_default();
        let mut shut = |table: usize, pause: Duration| {
            let Some(Ok(mut locked)) = state.tables.get_mut(table).map(|table| table.lock(at)) else { return };
            locked.shut(locked.later(pause));
            // If this fails, the other processes learn it from an answer of their own.
            let _ = locked.store();
        };
        for (window, table) in windows.windows.iter().zip(&windows.tables).take(own) {
            shut(*table, pauses.of_window(window.span, windows.cancels));
        }
        if too_many.of_everything {
            let [others, cancels] = windows.gates;
            shut(others, pauses.of_address(false).max(refused_for));
            shut(cancels, pauses.of_address(true).max(refused_for.min(self.settings.longest_pause)));
        }
    }

    /// Settles what was given up: the response to a later call shows that the network holds nothing back: what was
    /// given up before it was sent has arrived, or arrives soon.
    fn settle_given_up(&self, state: &mut State, gate: usize, sent: Duration) {
        let at = self.now();
        let arrived = at.saturating_add(self.settings.late_arrival);
        let is_settled = |one: &mut GivenUp| one.gate == gate && one.at <= sent;
        let settled: Vec<_> = state.given_up.extract_if(.., is_settled).collect();
        for mut one in settled.into_iter().filter(|one| arrived < one.arrived) {
            state.log(&mut one.places, Some(arrived), at);
        }
    }
}

impl State {
    #[cold]
    fn add_call(&mut self, key: u64, call: &Call<'_>, limits: &FileLimits) -> Result<Arc<CallWindows>, Denied> {
        let SharedWindows { names, mut windows, own, .. } =
            SharedWindows::of(call, &limits.settings, call.address_rate);
        windows.iter_mut().for_each(|window| window.span = window.span.saturating_add(MachineClock::ERROR));
        let mut tables = Vec::with_capacity(names.len());
        for (name, window) in names.iter().zip(&windows) {
            tables.push(self.table(name, window.most, window.span, limits)?);
        }
        let address = name_of(call.counted(Scope::Ip));
        let mut gate = |whose: &str| self.table(&format!("{whose} of {address}"), 0, Duration::ZERO, limits);
        let gates = [gate("calls")?, gate("cancellations")?];
        let cancels = call.meta().effect == Effect::Cancel;
        if self.calls.len() >= MANY {
            self.calls.clear();
        }
        let windows = Arc::new(CallWindows { windows, tables, own, gates, cancels });
        self.calls.insert(key, Arc::clone(&windows));
        Ok(windows)
    }

    /// Returns the table of a window. Its file has a hash as a name, because names of windows have characters that
    /// files cannot have.
    fn table(&mut self, name: &str, most: u32, span: Duration, limits: &FileLimits) -> Result<usize, Denied> {
        if let Some(known) = self.table_of.get(name) {
            return Ok(*known);
        }
        let horizon = limits.lease().saturating_add(span).saturating_add(limits.settings.late_arrival);
        let places = usize::try_from(most).unwrap_or(usize::MAX);
        let table = Table::open(&limits.folder.join(name_of(name)), places, horizon, limits.clock)?;
        self.tables.push(table);
        self.table_of.insert(name.to_owned(), self.tables.len() - 1);
        Ok(self.tables.len() - 1)
    }

    /// Takes places in all windows of a call, or in none.
    fn take(&mut self, call: &CallWindows, lease: Duration, at: Duration) -> Result<Vec<Taken>, Denied> {
        let mut places = Vec::new();
        let taken = self.take_each(call, lease, at, &mut places);
        if taken.is_err() {
            self.log(&mut places, None, at);
        }
        taken.map(|()| places)
    }

    /// Writes that the call of these places has arrived at `arrived` at the latest, so that they are free a span later; or
    /// that it is not sent, so that they are free now.
    fn log(&mut self, places: &mut [Taken], arrived: Option<Duration>, at: Duration) {
        for Taken { table, span, place, until } in places {
            let Some(table) = self.tables.get_mut(*table) else { continue };
            let free_at = arrived.map(|arrived| arrived.saturating_add(*span));
            table.report(Report { place: *place, was: *until, free_at });
            // If this fails, it is written with the next call, or the lease ends. What it becomes is not known then.
            *until = table.lock(at).map_or(u64::MAX, |locked| {
                let until = free_at.map_or(0, |free_at| locked.later(free_at.saturating_sub(at)));
                let _ = locked.store();
                until
            });
        }
    }

    /// Takes a place in one window after the other. What has no room is found before anything is taken.
    fn take_each(
        &mut self,
        call: &CallWindows,
        lease: Duration,
        at: Duration,
        places: &mut Vec<Taken>,
    ) -> Result<(), Denied> {
        let mut full: Option<Full> = None;
        let mut wait = |free_in: Duration, window: Option<&SharedWindow>| {
            if !free_in.is_zero() && full.is_none_or(|full| full.free_in < free_in) {
                full = Some(Full::new(free_in, window.map(|window| window.binding)));
            }
        };
        wait(self.free_in(call.gates[usize::from(call.cancels)], 0, at)?, None);
        for (window, table) in call.windows.iter().zip(&call.tables) {
            if call.windows.len() > 1 {
                wait(self.free_in(*table, count_of(window), at)?, Some(window));
            }
        }
        if let Some(full) = full {
            return Err(Denied::Full(full));
        }
        for (window, table) in call.windows.iter().zip(&call.tables) {
            let mut locked = self.tables[*table].lock(at)?;
            let free_in = Duration::from_micros(locked.free_at(count_of(window)).saturating_sub(locked.now));
            if !free_in.is_zero() {
                // Also what was reported meanwhile.
                locked.store()?;
                return Err(Denied::Full(Full::new(free_in, Some(window.binding))));
            }
            let until = locked.later(lease.saturating_add(window.span));
            let mut taken = Vec::new();
            taken.extend((0..window.count).map_while(|_| locked.take(until)));
            locked.store()?;
            places.extend(taken.into_iter().map(|place| Taken { table: *table, span: window.span, place, until }));
        }
        Ok(())
    }

    /// Returns how long it takes until `count` places of a table are free.
    fn free_in(&mut self, table: usize, count: usize, at: Duration) -> Result<Duration, Denied> {
        let locked = self.tables[table].lock(at)?;
        let free_in = Duration::from_micros(locked.free_at(count).saturating_sub(locked.now));
        locked.store()?;
        Ok(free_in)
    }
}

fn count_of(window: &SharedWindow) -> usize {
    usize::try_from(window.count).unwrap_or(usize::MAX)
}

impl Limiter for FileLimits {
    fn is_shared(&self) -> bool {
        true
    }

    fn admit<'a>(&'a self, call: Call<'a>, wait: bool) -> Admission<'a> {
        let waiting = move |own| Waiting { limits: self, call, own: Some(own) };
        match self.own.admit(call, wait) {
            Admission::Now(Ok(own)) => {
                let mut waiting = waiting(own);
                match self.take(&call, &mut waiting.own) {
                    Ok(reservation) => Admission::Now(Ok(reservation)),
                    Err(Denied::Failed(why)) => Admission::Now(Err(why.into())),
                    Err(_) if wait => Admission::Later(Box::pin(waiting.taken())),
                    Err(Denied::Full(full)) => Admission::Now(Err(full.into())),
                    Err(Denied::Busy) => Admission::Now(Err(stuck().into())),
                }
            }
            Admission::Now(Err(denied)) => Admission::Now(Err(denied)),
            Admission::Later(later) => Admission::Later(Box::pin(async move { waiting(later.await?).taken().await })),
        }
    }

    fn sent(&self, reservation: &mut Reservation) {
        let mut state = self.state();
        let at = self.now();
        let Some(open) = state.open.get_mut(&reservation.key) else { return };
        self.own.sent(&mut open.own);
        reservation.counted_at = open.own.counted_at;
        // A call that was admitted long ago takes its places from now on.
        if at.saturating_sub(open.taken_at) > self.settings.late_arrival {
            let mut places = std::mem::take(&mut open.places);
            state.log(&mut places, Some(at.saturating_add(self.lease())), at);
            if let Some(open) = state.open.get_mut(&reservation.key) {
                (open.places, open.taken_at) = (places, at);
            }
        }
    }

    fn answered(&self, reservation: Reservation, feedback: RateLimitFeedback) {
        let mut state = self.state();
        let Some(Open { own, windows, mut places, .. }) = state.open.remove(&reservation.key) else { return };
        let sent = own.counted_at;
        self.own.answered(own, feedback);
        let at = self.now();
        state.log(&mut places, Some(at), at);
        if let Some(too_many) = feedback.too_many.filter(|_| self.settings.learns) {
            self.back_off(&mut state, &windows, too_many);
        }
        if feedback.request_time.is_some() && !state.given_up.is_empty() {
            self.settle_given_up(&mut state, windows.gates[0], sent);
        }
    }

    fn lost(&self, reservation: Reservation) {
        let mut state = self.state();
        let Some(Open { own, windows, mut places, .. }) = state.open.remove(&reservation.key) else { return };
        let at = self.now();
        let arrived = self.settings.arrived_at(own.counted_at, at);
        self.own.lost(own);
        state.log(&mut places, Some(arrived), at);
        state.given_up.retain(|one| one.arrived > at);
        state.given_up.push(GivenUp { places, gate: windows.gates[0], at, arrived });
    }

    fn give_back(&self, reservation: Reservation) {
        let mut state = self.state();
        let Some(Open { own, mut places, .. }) = state.open.remove(&reservation.key) else { return };
        self.own.give_back(own);
        state.log(&mut places, None, self.now());
    }

    /// Plans by the calls of this process alone.
    fn plan(&self, calls: &[Call<'_>]) -> Plan {
        self.own.plan(calls)
    }
}

impl fmt::Debug for FileLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileLimits")
            .field("folder", &self.folder)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

fn stuck() -> Unavailable {
    Unavailable::new(LimiterErrorKind::TooSlow, "another process has a file of the limits locked: is it stopped?")
}

/// A call that the limits of the process have admitted, and that waits for its places.
struct Waiting<'a> {
    limits: &'a FileLimits,
    call: Call<'a>,
    own: Option<Reservation>,
}

impl Waiting<'_> {
    async fn taken(mut self) -> Result<Reservation, AdmissionError> {
        let timer = &*self.limits.timer;
        let begun = timer.now();
        let mut busy_since = None;
        loop {
            let denied = match self.limits.take(&self.call, &mut self.own) {
                Ok(reservation) => {
                    let waited = reservation.waited.saturating_add(timer.now().saturating_sub(begun));
                    return Ok(Reservation { waited, ..reservation });
                }
                Err(denied) => denied,
            };
            let now = timer.now();
            let length = match denied {
                Denied::Failed(why) => return Err(why.after(now.saturating_sub(begun)).into()),
                Denied::Full(full) => {
                    busy_since = None;
                    full.free_in.clamp(SOON, PATIENCE)
                }
                Denied::Busy => {
                    if now.saturating_sub(*busy_since.get_or_insert(now)) >= STUCK {
                        return Err(stuck().after(now.saturating_sub(begun)).into());
                    }
                    SOON
                }
            };
            pause(timer, length).await;
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(own) = self.own.take() {
            self.limits.own.give_back(own);
        }
    }
}
