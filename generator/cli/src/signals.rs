//! The signals that end a command.

/// Waits until the process is told to end: by Ctrl-C, by another process, or because its terminal is closed. A signal
/// that was ignored when the process started stays ignored, so that `nohup` and `&` mean what they do elsewhere.
#[cfg(unix)]
pub(crate) async fn told_to_end() {
    use std::task::Poll;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    let ignored = ignored();
    let is_ignored = |kind: SignalKind| {
        let bit = u32::try_from(kind.as_raw_value() - 1).unwrap_or_default();
        ignored.checked_shr(bit).unwrap_or_default() & 1 == 1
    };
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let heard = kinds.into_iter().filter(|kind| !is_ignored(*kind));
    let mut signals: Vec<Signal> = heard.filter_map(|kind| signal(kind).ok()).collect();
    std::future::poll_fn(|context| {
        let came = signals.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
        if came { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Waits until the process is told to end.
#[cfg(not(unix))]
pub(crate) async fn told_to_end() {
    let _ = tokio::signal::ctrl_c().await;
}

/// Returns the signals that this process ignores, a bit for each. Asking the system for the action of a signal takes
/// unsafe code, so they are read where the system shows them as a file; elsewhere, none is known.
#[cfg(unix)]
fn ignored() -> u64 {
    mask(&std::fs::read_to_string("/proc/self/status").unwrap_or_default())
}

#[cfg(unix)]
fn mask(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}

#[cfg(all(test, unix))]
mod tests {
    #[test]
    fn ignored_signals_are_bits() {
        assert_eq!(super::mask("Name:\tx\nSigBlk:\t01\nSigIgn:\t0000000000001001\nSigCgt:\t02\n"), 0x1001);
        assert_eq!(super::mask("Name:\tx\n"), 0);
    }
}
