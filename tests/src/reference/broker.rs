//! The commission report.

use super::request::{Request, Words, limit, words};
use super::window::{Window, within_days};
use super::{Findings, unknown};

const WORDS: &Words = &[("showSub", &["yes", "no"])];

const SUFFIXES: [&str; 5] = ["_SPBL", "_SPBL-MABL", "_UMCBL", "_DMCBL", "_CMCBL"];

pub(super) fn inspect(name: &str, request: Request, now: i128, out: &mut Findings) {
    match name {
        "customer-commissions" => commissions(request, now, out),
        _ => unknown(name),
    }
}

fn commissions(request: Request, now: i128, out: &mut Findings) {
    words(request, WORDS, out);
    limit(request, 1000, out);
    let window = Window::of(request, out);
    window.spans_days(30, out);
    out.refuse_if(request.has("startTime") != request.has("endTime"), "startTime and endTime go together");
    within_days(window.end, 90, now, out);
    let symbol = request.text("symbol");
    let bare = symbol.is_some_and(|symbol| !SUFFIXES.iter().any(|suffix| is_suffixed(&symbol, suffix)));
    out.refuse_if(bare, "symbol has no product suffix");
}

fn is_suffixed(symbol: &str, suffix: &str) -> bool {
    symbol.strip_suffix(suffix).is_some_and(|pair| !pair.is_empty())
}
