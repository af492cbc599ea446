//! Shared code of this workspace's tests: the schema's examples, and independent implementations to compare the runtime
//! with.
//!
//! These implementations do not use the generator or the runtime's code for reading, writing and signing, because a
//! comparison of code with itself finds no mistakes.
#![allow(clippy::expect_used, clippy::panic, reason = "only tests use this, and a panic is how they fail")]

pub mod dice;
pub mod endings;
pub mod folders;
pub mod json;
pub mod json_schema;
pub mod loopback;
pub mod outcomes;
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
        checks: "generated/guide/checks.md",
        clock_skew: "generated/guide/clock-skew.md",
        journal: "generated/guide/journal.md",
        reconciliation: "generated/guide/reconciliation.md",
        local_exchange: "generated/guide/local-exchange.md",
        pages_and_batches: "generated/guide/pages-and-batches.md",
        rate_limits: "generated/guide/rate-limits.md",
        schema_drift: "generated/guide/schema-drift.md",
        transports: "generated/guide/transports.md",
        unknown_outcomes: "generated/guide/unknown-outcomes.md",
    }
}
