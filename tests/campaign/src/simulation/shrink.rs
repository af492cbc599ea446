//! The shortest script that fails in the same way.

use std::collections::BTreeSet;

use super::Script;
use crate::figures::Figures;
use crate::settings::Settings;

/// A script as short as can be found that has a violation of the same `kind`: fewer requests, fewer things that go wrong.
#[must_use]
pub fn shrink(script: Script, kind: &'static str) -> Script {
    let fails = |script: &Script| has(&script.run(), kind);
    let mut shortest = script;
    let simpler: [fn(Script) -> Script; 3] = [
        |script| Script { settings: Settings { quirks: 0, ..script.settings }, ..script },
        |script| Script { is_plain: true, ..script },
        |script| Script { losses: 0, ..script },
    ];
    for simplify in simpler {
        let simple = simplify(shortest.clone());
        if fails(&simple) {
            shortest = simple;
        }
    }
    loop {
        let before = shortest.clone();
        let of_task = |task| (0..shortest.settings.requests_of(shortest.account, task)).map(move |own| (task, own));
        let all = || (0..shortest.settings.tasks).flat_map(of_task).collect();
        let requests = shortest.requests.clone().unwrap_or_else(all);
        let fewer =
            fewest(requests, |requests| fails(&Script { requests: Some(requests.clone()), ..shortest.clone() }));
        shortest.requests = Some(fewer);
        let hit = shortest.trace().hit;
        let fewer = fewest(hit, |only| fails(&Script { only: Some(only.clone()), ..shortest.clone() }));
        let with_fewer = Script { only: Some(fewer), ..shortest.clone() };
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

/// The fewest of some items with which `fails` still holds, as far as leaving out parts of them shows.
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
    fn what_does_not_matter_is_left_out() {
        let all: BTreeSet<u32> = (0..100).collect();
        let needs = |needed: &'static [u32]| move |some: &BTreeSet<u32>| needed.iter().all(|one| some.contains(one));
        assert_eq!(fewest(all.clone(), needs(&[3, 77])), [3, 77].into());
        assert_eq!(fewest(all.clone(), needs(&[])), [].into());
        assert_eq!(fewest(all, needs(&[99])), [99].into());
    }
}
