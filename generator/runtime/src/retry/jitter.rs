use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Any length up to `most`, by chance: who failed together does not come back together.
pub(super) fn up_to(most: Duration) -> Duration {
    let chance = RandomState::new().hash_one(0_u8);
    let nanos = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
    Duration::from_nanos(chance.checked_rem(nanos.saturating_add(1)).unwrap_or(chance))
}

#[cfg(test)]
mod tests {
    use super::up_to;
    use std::time::Duration;

    #[test]
    fn chance_stays_within_its_bounds_and_is_none_twice() {
        let most = Duration::from_secs(1);
        let found: std::collections::HashSet<_> = (0..100).map(|_| up_to(most)).collect();
        assert!(found.len() > 90 && found.iter().all(|length| *length <= most));
        assert_eq!(up_to(Duration::ZERO), Duration::ZERO);
    }
}
