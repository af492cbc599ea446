#!/bin/sh
# governor 0.10.4 (crates.io): a quota of 10 a second admits 19 calls within less than a second.
#
# The quota is a bucket of 10 that gets one back every 100 ms. Ten calls leave at once, and nine more until 900 ms after
# them. An exchange that counts the calls of any second takes ten and refuses the others, although the program asked
# the limiter before each call.
#
# Seen: 19 calls of one second were admitted
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir src
cat > Cargo.toml <<'END'
[package]
name = "finding"
edition = "2021"

[dependencies]
governor = "=0.10.4"
END
cat > src/main.rs <<'END'
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::FakeRelativeClock;
use governor::{Quota, RateLimiter};

fn main() {
    let clock = FakeRelativeClock::default();
    let quota = Quota::per_second(NonZeroU32::new(10).expect("ten"));
    let limiter = RateLimiter::direct_with_clock(quota, clock.clone());
    let mut admitted = 0;
    for _ in 0..1_000 {
        while limiter.check().is_ok() {
            admitted += 1;
        }
        clock.advance(Duration::from_millis(1));
    }
    println!("{admitted}");
}
END
seen=$(cargo run --quiet)
echo "$seen calls of one second were admitted"
[ "$seen" = 19 ]
