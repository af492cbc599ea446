//! New ids, unique over processes, restarts and machines.
//!
//! An id has 45 bits of time in milliseconds, 40 random bits of the process, and a count of 20 bits. Two processes
//! share one only if they mint in the same millisecond with the same random bits, one in 10^12. A restart has other
//! bits, a fork another process number, and a clock that is set back meets another count.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use tradeapi_words::{MINTED_LETTERS, MINTED_PARTS as PARTS};

use super::identifier::{Identifier, Text};
use super::shape::InvalidIdentifier;
use super::timestamp::Timestamp;

/// The length of a minted text without a prefix.
pub const MINTED_LENGTH: usize = PARTS[0] + PARTS[1] + PARTS[2];

/// A unique text.
///
/// Public only because [`mintable!`](crate::mintable) needs it.
#[doc(hidden)]
pub fn mint() -> Text {
    Text::unchecked(&minted())
}

/// The same after a prefix.
///
/// # Errors
///
/// Fails if the prefix is too long or has characters that the identifier does not allow.
#[doc(hidden)]
pub fn mint_with<I: Identifier>(prefix: &str) -> Result<Text, InvalidIdentifier> {
    Text::checked(&(prefix.to_owned() + &minted()), &I::SHAPE)
}

/// The text of this time and this random number.
#[doc(hidden)]
pub fn minted_of(time: Timestamp, chance: u64) -> Text {
    Text::unchecked(&written([time.as_millis(), chance, chance >> (5 * PARTS[1])]))
}

fn minted() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = Timestamp::from(SystemTime::now());
    written([now.as_millis(), process(std::process::id()), COUNT.fetch_add(1, Ordering::Relaxed)])
}

fn written(parts: [u64; 3]) -> String {
    let mut text = String::with_capacity(MINTED_LENGTH);
    for (number, digits) in parts.into_iter().zip(PARTS) {
        write(&mut text, number, digits);
    }
    text
}

/// A number for this process. Its random part distinguishes it from processes on other machines and from earlier ones
/// with its id; the id distinguishes it from forks, which share the random part.
fn process(id: u32) -> u64 {
    static CHANCE: OnceLock<RandomState> = OnceLock::new();
    CHANCE.get_or_init(RandomState::new).hash_one(id)
}

/// Writes the last `digits` digits of a number.
fn write(text: &mut String, number: u64, digits: usize) {
    for digit in (0..digits).rev() {
        let index = usize::try_from(number >> (5 * digit) & 31).unwrap_or_default();
        text.push(char::from(MINTED_LETTERS[index]));
    }
}

/// Adds functions to an identifier type that create new values. Its shape must accept [`MINTED_LENGTH`] lower-case
/// letters and digits, which the generator checks.
#[macro_export]
macro_rules! mintable {
    ($($name:ident),+ $(,)?) => {$(
        impl $name {
            /// A new id, made from the time, 40 random bits of the process and a count. Two processes mint the same one
            /// only in the same millisecond with the same bits. Store it before sending what it identifies.
            #[must_use]
            pub fn mint() -> Self {
                Self($crate::emitted::mint())
            }

            /// The id of this time and this random number, which are the same in each run of a simulation; see
            /// [`Environment`](tradeapi_runtime::clock::Environment).
            #[must_use]
            pub fn minted_of(time: $crate::value::Timestamp, random: u64) -> Self {
                Self($crate::emitted::minted_of(time, random))
            }

            /// A new id after a prefix.
            ///
            /// # Errors
            ///
            /// Fails if the prefix is too long or has characters that such an id cannot have.
            pub fn mint_with(prefix: &str) -> ::core::result::Result<Self, $crate::value::InvalidIdentifier> {
                $crate::emitted::mint_with::<Self>(prefix).map(Self)
            }
        }
    )+};
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    crate::identifier! {
        /// Has room for a prefix.
        pub struct OrderName { length: 1..=24, alphabet: "0-9a-z_" }
    }
    mintable!(OrderName);

    #[test]
    fn no_two_are_the_same() {
        let make = || (0..10_000).map(|_| OrderName::mint()).collect::<Vec<_>>();
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(make)).collect();
        let all: HashSet<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect();
        assert_eq!(all.len(), 40_000);
        assert!(all.iter().all(|name| OrderName::new(name.as_str()).as_ref() == Ok(name)));
    }

    #[test]
    fn processes_mint_different_ids() {
        let found: HashSet<_> = (0..1_000).map(|id| process(id) % (1 << 40)).collect();
        assert_eq!(found.len(), 1_000);
    }

    #[test]
    fn a_prefix_must_fit() {
        assert!(OrderName::mint_with("d1_").is_ok_and(|name| name.as_str().starts_with("d1_")));
        assert!(OrderName::mint_with("d1__").is_err() && OrderName::mint_with("D1").is_err());
    }

    #[test]
    fn the_same_time_and_number_mint_the_same_id() {
        let (time, later) = (Timestamp::from_millis(1_700_000_000_000), Timestamp::from_millis(1_700_000_000_001));
        let id = OrderName::minted_of(time, 7);
        assert_eq!(id, OrderName::minted_of(time, 7));
        let others =
            [OrderName::minted_of(later, 7), OrderName::minted_of(time, 8), OrderName::minted_of(time, 7 | 1 << 50)];
        assert!(others.iter().all(|other| *other != id) && OrderName::new(id.as_str()).as_ref() == Ok(&id));
    }

    #[test]
    fn digits_keep_their_order() {
        let written = |number| {
            let mut text = String::new();
            write(&mut text, number, 3);
            text
        };
        assert_eq!([written(0), written(31), written(32), written(32 * 32 * 32 + 1)], ["000", "00z", "010", "001"]);
        assert!(MINTED_LETTERS.is_sorted());
    }
}
