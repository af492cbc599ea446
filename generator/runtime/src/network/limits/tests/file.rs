//! Processes that share limits in a folder, in virtual time: with kills, new processes, machines that are started again, and
//! files that are damaged. A process that is killed is dropped: nothing of it is written then.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;
use tempfile::TempDir;

use super::{SECOND, limited_to, most_in_any, ms, operation, per_uid};
use crate::data::clock::{ManualTimer, Timer};
use crate::data::error::LimiterErrorKind;
use crate::data::tables::{Effect, Meta, RateLimit, Scope};
use crate::data::value::Timestamp;
use crate::network::limits::file::MachineClock;
use crate::network::limits::{
    Admission, AdmissionError, Call, FileLimits, LimitSettings, Limiter, RateLimitFeedback, Reservation, TooMany,
    Unavailable,
};

/// For how long a call that nothing is heard of may still arrive.
const HELD: Duration = Duration::from_secs(15);

/// A window, with the most by which the clocks of two processes differ.
const SPAN: Duration = ms(1_010);

struct Machine {
    folder: TempDir,
    timer: ManualTimer,
    /// The number of times that it was started, and when it last was.
    boot: u64,
    booted_at: Duration,
}

impl Machine {
    fn new() -> std::io::Result<Self> {
        let timer = ManualTimer::new();
        timer.advance(SECOND * 100);
        Ok(Self { folder: tempfile::tempdir()?, timer, boot: 1, booted_at: Duration::ZERO })
    }

    fn process(&self) -> std::io::Result<FileLimits> {
        self.process_with_clock(ms(0))
    }

    /// Returns a process that reads the clock of the machine when it is slow by `slow`.
    fn process_with_clock(&self, slow: Duration) -> std::io::Result<FileLimits> {
        let settings = LimitSettings::new().margin(Duration::ZERO).held_back(HELD);
        let clock = MachineClock::new(self.boot, (self.now() - self.booted_at).saturating_sub(slow), self.now());
        FileLimits::simulated(self.folder.path(), settings, self.timer.clone(), clock)
    }

    fn start_again(&mut self) {
        self.pass(SECOND);
        (self.boot, self.booted_at) = (self.boot + 1, self.now());
        self.pass(SECOND);
    }

    fn now(&self) -> Duration {
        self.timer.now()
    }

    fn pass(&self, time: Duration) {
        self.timer.advance(time);
    }

    /// Returns the files of windows.
    fn files(&self) -> std::io::Result<Vec<PathBuf>> {
        fs::read_dir(self.folder.path())?.map(|entry| entry.map(|entry| entry.path())).collect()
    }
}

fn ask(limits: &FileLimits, meta: &'static Meta) -> Result<Reservation, AdmissionError> {
    match limits.admit(Call::new(meta).counted_for("1", "here"), false) {
        Admission::Now(known) => known,
        Admission::Later(_) => {
            Err(Unavailable::new(LimiterErrorKind::Failed, "a call that does not wait waits").into())
        }
    }
}

/// Returns how many calls can be made now, and gives their places back.
fn room(limits: &FileLimits, meta: &'static Meta) -> usize {
    let all: Vec<_> = std::iter::repeat_with(|| ask(limits, meta)).map_while(Result::ok).collect();
    let count = all.len();
    all.into_iter().for_each(|reservation| limits.give_back(reservation));
    count
}

fn free_in(limits: &FileLimits, meta: &'static Meta) -> Option<Duration> {
    match ask(limits, meta) {
        Err(AdmissionError::Full(full)) => Some(full.free_in),
        _ => None,
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// A process asks for a call, and sends it after a while.
    Call {
        process: usize,
        sends_after: u64,
    },
    /// The oldest call of a process ends: it is answered, given up, or given back if it was not sent.
    End {
        process: usize,
        is_answered: bool,
    },
    Pass(u64),
    Kill(usize),
    /// A process starts, and reads a clock that is slow by so many milliseconds.
    Start(u64),
    /// All processes are killed, and the machine starts again.
    Reboot,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let process = 0..4_usize;
    let step = prop_oneof![
        8 => (process.clone(), prop_oneof![4 => Just(0), 1 => 0..4_000_u64])
            .prop_map(|(process, sends_after)| Step::Call { process, sends_after }),
        6 => (process.clone(), prop::bool::weighted(0.8))
            .prop_map(|(process, is_answered)| Step::End { process, is_answered }),
        6 => prop_oneof![4 => 0..400_u64, 1 => 0..20_000_u64].prop_map(Step::Pass),
        1 => process.prop_map(Step::Kill),
        2 => (0..10_u64).prop_map(Step::Start),
        1 => Just(Step::Reboot),
    ];
    prop::collection::vec(step, 1..150)
}

/// A call that a process has places for, and when it is or was sent.
struct Made {
    reservation: Reservation,
    sends_at: Duration,
    sent_at: Option<Duration>,
}

/// Runs the steps, and returns when the exchange has counted calls: as late as it can.
fn run(steps: &[Step], meta: &'static Meta) -> std::io::Result<Vec<Duration>> {
    let mut machine = Machine::new()?;
    let mut processes: Vec<(FileLimits, Vec<Made>)> = vec![(machine.process()?, Vec::new())];
    let mut counted = Vec::new();
    for step in steps {
        for (limits, calls) in &mut processes {
            for made in calls.iter_mut().filter(|made| made.sent_at.is_none() && made.sends_at <= machine.now()) {
                limits.sent(&mut made.reservation);
                made.sent_at = Some(machine.now());
            }
        }
        let of = |process: usize| process % processes.len().max(1);
        match step {
            Step::Call { process, sends_after } => {
                let place = of(*process);
                let Some((limits, calls)) = processes.get_mut(place) else { continue };
                if let Ok(mut reservation) = ask(limits, meta) {
                    let sends_at = machine.now() + ms(*sends_after);
                    let sent_at = (*sends_after == 0).then(|| machine.now());
                    if sent_at.is_some() {
                        limits.sent(&mut reservation);
                    }
                    calls.push(Made { reservation, sends_at, sent_at });
                }
            }
            Step::End { process, is_answered } => {
                let place = of(*process);
                let Some((limits, calls)) = processes.get_mut(place).filter(|(_, calls)| !calls.is_empty()) else {
                    continue;
                };
                let Made { reservation, sent_at, .. } = calls.remove(0);
                match sent_at {
                    None => limits.give_back(reservation),
                    // Counted within the time that a network may hold a request back.
                    Some(sent) if *is_answered => {
                        limits.answered(reservation, RateLimitFeedback::default());
                        counted.push(machine.now().min(sent + HELD));
                    }
                    Some(sent) => {
                        limits.lost(reservation);
                        counted.push(sent + HELD);
                    }
                }
            }
            Step::Pass(time) => machine.pass(ms(*time)),
            Step::Kill(process) if !processes.is_empty() => {
                counted.extend(kill(processes.remove(of(*process))));
            }
            Step::Kill(_) => {}
            Step::Start(slow) if processes.len() < 4 => {
                processes.push((machine.process_with_clock(ms(*slow))?, Vec::new()));
            }
            Step::Start(_) => {}
            Step::Reboot => {
                processes.drain(..).for_each(|process| counted.extend(kill(process)));
                machine.start_again();
            }
        }
    }
    processes.drain(..).for_each(|process| counted.extend(kill(process)));
    let anew = machine.process()?;
    ask(&anew, meta).map(|reservation| anew.give_back(reservation)).ok();
    machine.pass(HELD * 2);
    assert_eq!(room(&anew, meta), 3, "places are lost");
    Ok(counted)
}

/// Ends a process, and returns when the exchange counts its calls at the latest.
fn kill((limits, calls): (FileLimits, Vec<Made>)) -> Vec<Duration> {
    drop(limits);
    calls.iter().filter_map(|made| made.sent_at).map(|sent| sent + HELD).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Whatever processes do, and however they end, no window has more calls than the limit allows, and all places are free
    /// in the end.
    #[test]
    fn processes_never_exceed_a_limit_and_lose_no_place(steps in steps()) {
        let counted = run(&steps, limited_to(3))?;
        prop_assert!(most_in_any(&counted, SECOND) <= 3, "{counted:?}");
    }

    /// A file that was cut off or overwritten anywhere ends in an error, or has all of its places after a while.
    #[test]
    fn a_damaged_file_stops_nothing(
        length in 0..60_usize,
        damage in prop::collection::vec((0..60_usize, any::<u8>()), 0..8),
    ) {
        let (machine, meta) = (Machine::new()?, limited_to(3));
        let limits = machine.process()?;
        ask(&limits, meta).map(|reservation| limits.lost(reservation)).ok();
        for file in machine.files()? {
            let mut bytes = fs::read(&file)?;
            bytes.truncate(length);
            // The mark stays: what is no file of limits is refused.
            for (place, byte) in damage.iter().filter(|(place, _)| *place >= 8) {
                bytes.get_mut(*place).into_iter().for_each(|at| *at = *byte);
            }
            fs::write(&file, bytes)?;
        }
        // Each of the two files may be shut for an hour once it is read, and the second one is read when the first is open.
        for _ in 0..2 {
            ask(&limits, meta).map(|reservation| limits.give_back(reservation)).ok();
            machine.pass(SECOND * 3_600);
        }
        for process in [&limits, &machine.process()?] {
            machine.pass(HELD * 2);
            prop_assert_eq!(room(process, meta), 3);
        }
    }
}

#[test]
fn a_process_knows_the_calls_of_the_one_before() -> std::io::Result<()> {
    let (machine, meta) = (Machine::new()?, limited_to(10));
    let before = machine.process()?;
    for _ in 0..10 {
        ask(&before, meta).map(|reservation| before.answered(reservation, RateLimitFeedback::default())).ok();
    }
    drop(before);
    machine.pass(ms(400));
    let after = machine.process()?;
    assert_eq!(free_in(&after, meta), Some(SPAN - ms(400)));
    machine.pass(SPAN - ms(400));
    assert_eq!(room(&after, meta), 10);
    Ok(())
}

/// The rate of the machine's address holds whatever the operation and the account are, and gives way to one that is stated.
#[test]
fn processes_keep_the_rate_of_their_address_together() -> std::io::Result<()> {
    static RATE: RateLimit = RateLimit::per_ip(3).every(60);
    let machine = Machine::new()?;
    let query = operation("query", Effect::Read, &[per_uid(10, "default")]);
    let ask = |limits: &FileLimits, meta, [account, address]: [&'static str; 2]| {
        let call = Call::new(meta).counted_for(account, address).within(Some(&RATE));
        match limits.admit(call, false) {
            Admission::Now(Err(AdmissionError::Full(full))) => Some(full.free_in),
            Admission::Now(Ok(reservation)) => {
                limits.answered(reservation, RateLimitFeedback::default());
                None
            }
            _ => Some(Duration::MAX),
        }
    };
    let (one, other) = (machine.process()?, machine.process()?);
    assert_eq!([ask(&one, limited_to(10), ["1", ""]), ask(&other, query, ["2", ""])], [None; 2]);
    assert_eq!([ask(&one, query, ["", ""]), ask(&other, query, ["1", ""])], [None, Some(ms(60_010))]);
    assert_eq!(ask(&other, query, ["1", "elsewhere"]), None, "a client with an address of its own");
    let settings = LimitSettings::new().margin(Duration::ZERO).overall(5, 60, Scope::Ip);
    let clock = MachineClock::new(machine.boot, machine.now(), machine.now());
    let stated = FileLimits::simulated(machine.folder.path(), settings, machine.timer.clone(), clock)?;
    assert_eq!((0..9).map_while(|_| ask(&stated, query, ["1", ""]).is_none().then_some(())).count(), 5);
    Ok(())
}

/// Nobody knows for how long a machine was off, so the time goes on where it was.
#[test]
fn a_machine_that_starts_again_goes_on_where_it_was() -> std::io::Result<()> {
    let meta = operation("by-the-hour", Effect::Create, &[per_uid(1, "default").every(3_600)]);
    let mut machine = Machine::new()?;
    let one = machine.process()?;
    ask(&one, meta).map(|reservation| one.answered(reservation, RateLimitFeedback::default())).ok();
    drop(one);
    machine.start_again();
    let left = SECOND * 3_600 + MachineClock::ERROR;
    let [one, other] = [machine.process()?, machine.process()?];
    assert_eq!([free_in(&one, meta), free_in(&other, meta)], [Some(left); 2]);
    machine.pass(SECOND * 600);
    assert_eq!([free_in(&one, meta), free_in(&machine.process()?, meta)], [Some(left - SECOND * 600); 2]);
    Ok(())
}

#[test]
fn pauses_hold_for_all_processes() -> std::io::Result<()> {
    let machine = Machine::new()?;
    let (one, other) = (machine.process()?, machine.process()?);
    let place = limited_to(10);
    let [cancel, query] = [("cancel", Effect::Cancel), ("query", Effect::Read)]
        .map(|(id, effect)| operation(id, effect, &[per_uid(10, "default")]));
    let answer = |limits: &FileLimits, meta, too_many| {
        ask(limits, meta)
            .map(|reservation| limits.answered(reservation, RateLimitFeedback::new(Some(too_many), None)))
            .ok();
    };
    answer(&one, place, TooMany { of_everything: false, retry_after: Some(SECOND * 5), refused_for: None });
    assert_eq!(free_in(&other, place), Some(SECOND * 5));
    assert_eq!([room(&other, cancel), room(&other, query)], [10, 10]);
    let refused_for = Some(SECOND * 300);
    answer(&one, query, TooMany { of_everything: true, retry_after: None, refused_for });
    assert_eq!([place, query].map(|meta| free_in(&other, meta)), [refused_for; 2]);
    assert_eq!(free_in(&other, cancel), Some(SECOND * 60));
    Ok(())
}

/// The response to a later call shows that the network holds nothing back.
#[test]
fn a_call_that_was_given_up_takes_its_place_until_a_later_one_is_answered() -> std::io::Result<()> {
    let (machine, meta) = (Machine::new()?, limited_to(1));
    let query = operation("query", Effect::Read, &[per_uid(10, "default")]);
    let (one, other) = (machine.process()?, machine.process()?);
    if let Ok(mut reservation) = ask(&one, meta) {
        one.sent(&mut reservation);
        machine.pass(SECOND);
        one.lost(reservation);
    }
    assert_eq!(free_in(&other, meta), Some(HELD - SECOND + SPAN));
    if let Ok(mut reservation) = ask(&one, query) {
        one.sent(&mut reservation);
        one.answered(reservation, RateLimitFeedback::default().at(Timestamp::from_millis(1_790_000_000_000)));
    }
    assert_eq!(free_in(&other, meta), Some(SECOND + SPAN));
    Ok(())
}

/// A disk that is full lets nothing pass that is not on it.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_sends_nothing() -> std::io::Result<()> {
    let machine = Machine::new()?;
    drop(ask(&machine.process()?, limited_to(3)));
    for file in machine.files()? {
        fs::remove_file(&file)?;
        std::os::unix::fs::symlink(Path::new("/dev/full"), &file)?;
    }
    let Err(AdmissionError::Unavailable(why)) = ask(&machine.process()?, limited_to(3)) else {
        return Err(std::io::Error::other("it was admitted"));
    };
    let why = why.to_string();
    assert!(why.contains("No space left on device"), "{why}");
    Ok(())
}
