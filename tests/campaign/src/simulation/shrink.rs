//! Shrinking of failing scenarios.

use std::collections::BTreeSet;

use super::Scenario;
use crate::figures::Figures;
use crate::settings::Settings;

/// Returns a shorter scenario with a violation of the same `kind`: fewer requests and fewer faults.
#[must_use]
pub fn shrink(scenario: Scenario, kind: &'static str) -> Scenario {
    let fails = |scenario: &Scenario| has(&scenario.run(), kind);
    let mut shortest = scenario;
    let simpler: [fn(Scenario) -> Scenario; 3] = [
        |scenario| Scenario { settings: Settings { quirks: 0, ..scenario.settings }, ..scenario },
        |scenario| Scenario { is_plain: true, ..scenario },
        |scenario| Scenario { network_faults: 0, ..scenario },
    ];
    for simplify in simpler {
        let simple = simplify(shortest.clone());
        if fails(&simple) {
            shortest = simple;
        }
    }
    loop {
        let before = shortest.clone();
        let of_task = |task| (0..shortest.settings.requests_for(shortest.account, task)).map(move |own| (task, own));
        let all = || (0..shortest.settings.tasks).flat_map(of_task).collect();
        let requests = shortest.requests.clone().unwrap_or_else(all);
        let fewer =
            fewest(requests, |requests| fails(&Scenario { requests: Some(requests.clone()), ..shortest.clone() }));
        shortest.requests = Some(fewer);
        let faulted = shortest.trace().faulted;
        let fewer = fewest(faulted, |only| fails(&Scenario { only: Some(only.clone()), ..shortest.clone() }));
        let with_fewer = Scenario { only: Some(fewer), ..shortest.clone() };
        if fails(&with_fewer) {
            shortest = with_fewer;
        }
        if shortest == before {
            return shortest;
        }
    }
}

fn has(figures: &Figures, kind: &str) -> bool {
    figures.violations.iter().any(|violation| violation.kind() == kind)
}

/// Returns a small subset for which `fails` still holds, found by leaving out ever smaller parts.
fn fewest<T: Clone + Ord>(all: BTreeSet<T>, fails: impl Fn(&BTreeSet<T>) -> bool) -> BTreeSet<T> {
    let mut kept: Vec<T> = all.into_iter().collect();
    let mut size = kept.len().div_ceil(2);
    while size > 0 {
        let mut begin = 0;
        while begin < kept.len() {
            let end = kept.len().min(begin + size);
            let rest: BTreeSet<T> = kept[..begin].iter().chain(&kept[end..]).cloned().collect();
            if fails(&rest) {
                kept = rest.into_iter().collect();
            } else {
                begin = end;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    kept.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn irrelevant_items_are_left_out() {
        let all: BTreeSet<u32> = (0..100).collect();
        let needs = |needed: &'static [u32]| move |some: &BTreeSet<u32>| needed.iter().all(|one| some.contains(one));
        assert_eq!(fewest(all.clone(), needs(&[3, 77])), [3, 77].into());
        assert_eq!(fewest(all.clone(), needs(&[])), [].into());
        assert_eq!(fewest(all, needs(&[99])), [99].into());
    }
}
