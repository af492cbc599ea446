//! Listings in pages, with a simulated exchange and with scripted answers.

mod exactly_once;
mod exchange;
mod nightly;
mod pauses;
mod positions;
mod repeats;
mod restarts;
mod scripted;
mod windows;
