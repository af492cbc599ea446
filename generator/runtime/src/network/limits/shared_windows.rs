//! The windows of a call as processes share them: under names that reveal no account, with their sizes.

use std::fmt;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::call::Call;
use super::settings::LimitSettings;
use super::state::WindowKey;
use crate::data::error::BindingLimit;
use crate::data::tables::{RateLimit, Scope};

/// The windows of a call: those of its operation alone, of its pools, and the overall ones.
#[derive(Debug)]
pub(super) struct SharedWindows {
    /// The name of each window.
    pub(super) names: Vec<String>,
    pub(super) windows: Vec<SharedWindow>,
    /// The number of windows at the front in which no other operation counts.
    #[cfg(feature = "redis")]
    pub(super) alone: usize,
    /// The number of windows at the front that are in the operation's table.
    pub(super) own: usize,
}

/// A window that processes share.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedWindow {
    pub(super) most: u32,
    /// The number of calls that one call counts as.
    pub(super) count: u32,
    pub(super) span: Duration,
    pub(super) binding: BindingLimit,
}

impl SharedWindows {
    /// Returns the windows of a call; `address_rate` is that of its address, if the processes share the address.
    pub(super) fn of(call: &Call<'_>, settings: &LimitSettings, address_rate: Option<&RateLimit>) -> Self {
        let (pooled, alone): (Vec<_>, Vec<_>) = call.limits().partition(|row| row.pool.is_some());
        let own = alone.len() + pooled.len();
        #[cfg(feature = "redis")]
        let count_alone = alone.len();
        let of_operation = alone.into_iter().chain(pooled).map(|row: &RateLimit| (Some(call.meta().id), *row));
        let overall = settings.overall_with(address_rate).map(|row| (None, row));
        let rows: Vec<_> = of_operation.chain(overall).collect();
        Self {
            names: rows.iter().map(|(operation, row)| WindowKey::of(*operation, row, call).to_string()).collect(),
            windows: rows.into_iter().map(|(operation, row)| SharedWindow::of(operation, row, settings)).collect(),
            #[cfg(feature = "redis")]
            alone: count_alone,
            own,
        }
    }
}

impl SharedWindow {
    pub(super) fn of(operation: Option<&'static str>, limit: RateLimit, settings: &LimitSettings) -> Self {
        Self {
            most: limit.calls.max(1),
            count: limit.weight.max(1),
            span: settings.span_of(&limit),
            binding: BindingLimit {
                operation: operation.filter(|_| limit.pool.is_none()),
                limit: RateLimit { weight: 1, ..limit },
            },
        }
    }
}

/// Returns a hash of `name`, which hides it from readers; it can be found by trying all names.
pub(super) fn name_of(name: &str) -> String {
    Sha256::digest(name).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

impl WindowKey {
    #[cfg(feature = "redis")]
    pub(super) fn limit(&self) -> RateLimit {
        let Self { pool, calls, per_millis, class, scope, .. } = *self;
        RateLimit {
            calls,
            per_millis,
            scope,
            class,
            pool,
            weight: 1,
            when: crate::data::tables::WeightCondition::Always,
        }
    }
}

/// The name under which it is shared. It does not reveal the account.
impl fmt::Display for WindowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, pool, class, calls, per_millis, scope, counted } = self;
        let of = match (operation, pool) {
            (_, Some(pool)) => format!("pool:{pool}"),
            (Some(operation), None) => (*operation).to_owned(),
            (None, None) => "*".to_owned(),
        };
        let scope = match scope {
            Scope::Uid => "uid",
            Scope::Ip => "ip",
        };
        let window = match per_millis % 1000 {
            0 => format!("{}s", per_millis / 1000),
            _ => format!("{per_millis}ms"),
        };
        write!(f, "{of}:{class}:{calls}in{window}:{scope}:{}", name_of(counted))
    }
}
