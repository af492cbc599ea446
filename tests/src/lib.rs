//! Shared code of this workspace's tests: the schema's examples, and independent implementations to compare the runtime
//! with.
//!
//! These implementations do not use the generator or the runtime's code for reading, writing and signing, because a
//! comparison of code with itself finds no mistakes.
#![allow(clippy::expect_used, clippy::panic, reason = "only tests use this, and a panic is how they fail")]

pub mod dice;
pub mod folders;
pub mod json;
pub mod json_schema;
pub mod loopback;
pub mod peer;
pub mod query;
pub mod recording;
pub mod reference;
pub mod refusing_limiter;
pub mod schema;
pub mod signature;
pub mod transports;

/// The examples of the README and the guide compile.
#[cfg(doctest)]
mod documents {
    macro_rules! compile {
        ($($name:ident: $path:literal,)*) => {$(
            #[doc = include_str!(concat!("../../", $path))]
            mod $name {}
        )*};
    }

    compile! {
        readme: "README.md",
        beyond_the_language: "generator/guide/beyond-the-language.md",
        build_script: "generator/guide/build-script.md",
        checks: "generator/guide/checks.md",
        clock_skew: "generator/guide/clock-skew.md",
        journal: "generator/guide/journal.md",
        reconciliation: "generator/guide/reconciliation.md",
        local_exchange: "generator/guide/local-exchange.md",
        pages_and_batches: "generator/guide/pages-and-batches.md",
        rate_limits: "generator/guide/rate-limits.md",
        schema_drift: "generator/guide/schema-drift.md",
        transports: "generator/guide/transports.md",
        unknown_outcomes: "generator/guide/unknown-outcomes.md",
    }
}
