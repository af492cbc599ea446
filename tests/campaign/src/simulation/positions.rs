//! The ledger that a client keeps, against the positions and the balance of the exchange.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use tradeapi::runtime::ledger::Ledger;

use crate::exchange::{BALANCE, Exchange};
use crate::operation::Family;
use crate::violation::Violation;

fn exact(figure: tradeapi::Decimal) -> Option<Decimal> {
    figure.to_rust_decimal().ok()
}

/// Returns the disagreements between a ledger that is up to date and the account.
pub(super) fn violations(ledger: &Ledger, exchange: &Exchange) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (family, name) in [(Family::Classic, "classic"), (Family::Unified, "unified")] {
        let mut sizes = BTreeMap::<String, Decimal>::new();
        for (key, position) in ledger.positions().iter().filter(|(key, _)| key.family == name) {
            match position.size().and_then(exact) {
                Some(size) => *sizes.entry(format!("{} {}", key.line, key.instrument)).or_default() += size,
                None => violations.push(Violation::WrongLedger(format!("{key:?} is unknown"))),
            }
        }
        sizes.retain(|_, size| !size.is_zero());
        let shown = exchange.position_sizes(family);
        if sizes != shown {
            violations.push(Violation::WrongLedger(format!("{name}: {sizes:?}, but the exchange has {shown:?}")));
        }
    }
    // The classic account has its profits and fees in its balance; the unified one may owe coins.
    let of_classic = || ledger.positions().iter().filter(|(key, _)| key.family == "classic");
    let fees = of_classic().filter_map(|(_, position)| position.fees().remove("USDT").and_then(exact));
    let profits = of_classic().filter_map(|(_, position)| position.realised().and_then(exact));
    let total = profits.chain(fees).fold(Decimal::from(BALANCE), |sum, one| sum + one);
    let balance = exchange.balance(Family::Classic);
    if balance != Some(total) {
        let what = format!("classic: a balance of {total}, but the exchange has {balance:?}");
        violations.push(Violation::WrongLedger(what));
    }
    violations
}
