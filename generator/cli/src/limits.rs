//! Rate limits as text.

use tradeapi_runtime::tables::{Meta, RateLimit, Scope};

/// Returns the rate limits of an operation.
pub(crate) fn text(meta: &Meta) -> String {
    meta.limits.iter().map(limit).collect::<Vec<_>>().join("; ")
}

fn limit(limit: &RateLimit) -> String {
    let per = match limit.per_millis {
        1000 => "a second".to_owned(),
        millis if millis % 1000 == 0 => format!("in {} seconds", millis / 1000),
        millis => format!("in {millis} ms"),
    };
    let whose = match limit.scope {
        Scope::Uid => "user",
        Scope::Ip => "address",
    };
    let class = if limit.class == "default" { String::new() } else { format!(" for {}", limit.class) };
    let pool = limit.pool.map(|pool| format!(" of {pool}, of which a call takes {}", limit.weight)).unwrap_or_default();
    format!("{} calls {per} per {whose}{class}{pool}", limit.calls)
}
