//! What is odd about an answer that is otherwise as it should be.

use std::time::Duration;

use tradeapi_sandbox::Answer;

use crate::dice::Dice;

listed! {
    /// Something odd about an answer. None of it changes what the answer says of the request.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Quirk {
        /// Nothing.
        None,
        /// The time it tells is absurd.
        AbsurdTime,
        /// It tells the time of decades ago or to come.
        AnotherAge,
        /// Records have numbers that take gigabytes when they are written out.
        AbsurdNumbers,
        /// It says to wait for longer than the world has been there, or for no number at all.
        AbsurdRetryAfter,
        /// It says that an absurd number of calls is left.
        AbsurdRemaining,
        /// The header that tells the date has a year of many digits.
        AbsurdDate,
        /// It has so many headers that a client hardly takes them.
        ManyHeaders,
        /// It has more headers than any client takes.
        TooManyHeaders,
        /// Another answer comes with it, which nobody asked for.
        UnsolicitedAnswer,
        /// Another answer comes a while behind it, if nobody asks meanwhile.
        LateUnsolicitedAnswer,
        /// Bytes that are no HTTP come with it.
        UnsolicitedBytes,
    }
}

/// How often each comes about among all that do.
const WEIGHTS: [(Quirk, u64); 11] = [
    (Quirk::AbsurdTime, 4),
    (Quirk::AnotherAge, 8),
    (Quirk::AbsurdNumbers, 6),
    (Quirk::AbsurdRetryAfter, 3),
    (Quirk::AbsurdRemaining, 3),
    (Quirk::AbsurdDate, 2),
    (Quirk::ManyHeaders, 2),
    (Quirk::TooManyHeaders, 1),
    (Quirk::UnsolicitedAnswer, 6),
    (Quirk::LateUnsolicitedAnswer, 4),
    (Quirk::UnsolicitedBytes, 2),
];

/// Times as they are written into an envelope.
const TIMES: [&str; 8] =
    ["null", "-1", "\"soon\"", "1e400", "18446744073709551616", "9223372036854775807", "{}", "\"1e-2147483648\""];
/// The year 0, 1970 and 2100, in milliseconds.
const AGES: [&str; 4] = ["0", "1", "4102444800000", "\"4102444800000\""];
const NUMBERS: [&str; 6] = ["1e-2147483648", "1E+999999999", "-1e2147483647", "1e99999999999999999999", "NaN", "0x10"];
const WAITS: [&str; 8] = [
    "-1",
    "1.5",
    "99999999999999999999",
    "",
    "soon",
    "Fri, 31 Dec 9999999999999999999 23:59:59 GMT",
    "Fri, 31 Dec 0000 23:59:59 GMT",
    "Thu, 01 Jan 1970 00:00:00 GMT",
];
const REMAINING: [&str; 5] = ["-5", "99999999999999999999", "1e9", "", "4294967295"];
const DATES: [&str; 3] =
    ["Fri, 31 Dec 9999999999999999999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "1e2147483647"];

fn one_of(texts: &'static [&'static str], dice: &mut Dice) -> &'static str {
    texts[usize::try_from(dice.below(texts.len() as u64)).unwrap_or_default()]
}

impl Quirk {
    /// What is odd about an answer in so many of a hundred.
    pub(crate) fn throw(chance: u64, dice: &mut Dice) -> Self {
        if dice.percent(chance) { dice.weighted(&WEIGHTS) } else { Self::None }
    }

    /// The time as it stands in the envelope, where it is not the time.
    pub(crate) fn time(self, dice: &mut Dice) -> Option<&'static str> {
        match self {
            Self::AbsurdTime => Some(one_of(&TIMES, dice)),
            Self::AnotherAge => Some(one_of(&AGES, dice)),
            _ => None,
        }
    }

    /// A number for the fields of a record that nothing is decided by.
    pub(crate) fn number(self, dice: &mut Dice) -> Option<&'static str> {
        (self == Self::AbsurdNumbers).then(|| one_of(&NUMBERS, dice))
    }

    /// The same answer with the odd headers and what comes behind it.
    pub(crate) fn around(self, answer: Answer, before: Option<&Answer>, dice: &mut Dice) -> Answer {
        let other = || before.cloned().unwrap_or_else(|| Answer::json("{}")).to_bytes();
        match self {
            Self::AbsurdRetryAfter => answer.header("retry-after", one_of(&WAITS, dice)),
            Self::AbsurdRemaining => answer.header("x-mbx-used-remain-limit", one_of(&REMAINING, dice)),
            Self::AbsurdDate => answer.header("date", one_of(&DATES, dice)),
            Self::ManyHeaders => with_headers(answer, 90),
            Self::TooManyHeaders => with_headers(answer, 3_000),
            Self::UnsolicitedAnswer => answer.with_behind(other(), Duration::ZERO),
            Self::LateUnsolicitedAnswer => answer.with_behind(other(), Duration::from_millis(1 + dice.below(30))),
            Self::UnsolicitedBytes => answer.with_behind("HTTP/1.1 2", Duration::ZERO),
            Self::None | Self::AbsurdTime | Self::AnotherAge | Self::AbsurdNumbers => answer,
        }
    }
}

fn with_headers(answer: Answer, count: usize) -> Answer {
    (0..count).fold(answer, |answer, number| answer.header(&format!("x-header-{number}"), "of no use to anyone"))
}
