//! Budgets as JSON, for the command line and for servers of assistants.
//!
//! ```json
//! {
//!   "coins": ["USDT"],
//!   "order": "100", "hour": "400", "day": "1000", "open": "500",
//!   "ordersAMinute": 10,
//!   "lines": ["USDT-FUTURES"], "symbols": ["BTCUSDT", "ETHUSDT"],
//!   "effects": "trade",
//!   "slippage": "0.01", "priceAge": 60,
//!   "askAbove": "50",
//!   "spent": "desk.spent"
//! }
//! ```
//!
//! Each member means the same as the function of [`Budget`] with its name, with the age of prices in seconds; without
//! `order`, `hour`, `day` and `open`, a budget allows no orders. What was spent is kept in the file `spent`, or beside
//! the budget with `.spent` after its name.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, fs, io};

use tradeapi_words::similar::nearest;

use super::{Budget, BudgetEffects, spent_beside};
use crate::data::json::{Decode, ReadError, Reader, read_json};
use crate::data::value::Decimal;

/// The members of the file.
const MEMBERS: &[&str] = &[
    "coins",
    "order",
    "hour",
    "day",
    "open",
    "ordersAMinute",
    "symbols",
    "lines",
    "effects",
    "slippage",
    "priceAge",
    "askAbove",
    "spent",
];

/// The reason why a budget cannot be read.
#[non_exhaustive]
pub enum BudgetFileError {
    /// A file cannot be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        why: io::Error,
    },
    /// The text has mistakes.
    Mistakes {
        /// The file.
        path: PathBuf,
        /// All mistakes; at least one.
        mistakes: Vec<BudgetMistake>,
    },
}

/// A mistake in the JSON of a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BudgetMistake {
    /// The member; empty for the whole text.
    pub member: String,
    /// The mistake.
    pub what: String,
}

impl Budget {
    /// Reads a budget from a file of JSON, and keeps what was spent beside it.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read or written, or with all mistakes.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, BudgetFileError> {
        let path = path.as_ref();
        let failed = |path: &Path, why| BudgetFileError::Io { path: path.to_owned(), why };
        let text = fs::read_to_string(path).map_err(|why| failed(path, why))?;
        let (budget, spent) =
            read(&text).map_err(|mistakes| BudgetFileError::Mistakes { path: path.to_owned(), mistakes })?;
        let beside = |name: String| path.parent().unwrap_or(Path::new("")).join(name);
        let spent = spent.map_or_else(|| spent_beside(path), beside);
        budget.kept_in(&spent).map_err(|why| failed(&spent, why))
    }
}

/// Returns the budget, and the name of the file with what was spent.
fn read(text: &str) -> Result<(Budget, Option<String>), Vec<BudgetMistake>> {
    let mut reading = Reading { members: Vec::new(), mistakes: Vec::new() };
    if let Err(error) = reading.split(text) {
        return Err(vec![BudgetMistake { member: String::new(), what: error.to_string() }]);
    }
    let budget = reading.budget();
    let spent = reading.take("spent");
    reading.refuse_others();
    if reading.mistakes.is_empty() { Ok((budget, spent)) } else { Err(reading.mistakes) }
}

/// Sets an amount of a budget.
type SetAmount = fn(Budget, Decimal) -> Budget;

/// The members that are not read yet, each with its JSON text, and the mistakes.
struct Reading<'a> {
    members: Vec<(String, &'a str)>,
    mistakes: Vec<BudgetMistake>,
}

impl<'a> Reading<'a> {
    fn split(&mut self, text: &'a str) -> Result<(), ReadError> {
        let mut from = Reader::new(text.strip_prefix('\u{feff}').unwrap_or(text));
        let mut members = from.object(&[])?;
        while let Some(name) = members.next_name(&mut from)? {
            let value = from.raw_value()?;
            match self.members.iter().any(|(known, _)| *known == name) {
                true => self.mistake(&name, "it is given twice; leave out one of them"),
                false => self.members.push((name.into_owned(), value)),
            }
        }
        from.finish()
    }

    fn budget(&mut self) -> Budget {
        let coins: Vec<String> = self.take("coins").unwrap_or_default();
        if coins.is_empty() {
            self.mistake("coins", "name the coins that the amounts are in, such as [\"USDT\"]");
        }
        let mut budget = Budget::new(coins);
        let bounds: [(&str, SetAmount); 6] = [
            ("order", Budget::order),
            ("hour", Budget::hour),
            ("day", Budget::day),
            ("open", Budget::open),
            ("slippage", Budget::slippage),
            ("askAbove", Budget::ask_above),
        ];
        for (name, set) in bounds {
            match self.take::<Decimal>(name) {
                Some(amount) if amount.is_negative() => self.mistake(name, "an amount is not negative"),
                Some(amount) => budget = set(budget, amount),
                None => {}
            }
        }
        if let Some(most) = self.take::<u64>("ordersAMinute") {
            budget = budget.orders_a_minute(u32::try_from(most).unwrap_or(u32::MAX));
        }
        if let Some(seconds) = self.take("priceAge") {
            budget = budget.price_age(Duration::from_secs(seconds));
        }
        if let Some(symbols) = self.take::<Vec<String>>("symbols") {
            budget = budget.symbols(symbols);
        }
        if let Some(lines) = self.take::<Vec<String>>("lines") {
            budget = budget.lines(lines);
        }
        if let Some(word) = self.take::<String>("effects") {
            match BudgetEffects::parse(&word) {
                Some(effects) => budget = budget.effects(effects),
                None => self.mistake("effects", &format!("expected one of {}", BudgetEffects::WORDS.join(", "))),
            }
        }
        budget
    }

    /// Takes a member, if it is there and can be read.
    fn take<T: Decode>(&mut self, name: &str) -> Option<T> {
        let place = self.members.iter().position(|(known, _)| known == name)?;
        let (_, json) = self.members.remove(place);
        match read_json(json) {
            Ok(value) => Some(value),
            Err(error) => {
                self.mistake(name, error.what());
                None
            }
        }
    }

    fn refuse_others(&mut self) {
        for (name, _) in std::mem::take(&mut self.members) {
            let help = match nearest(&name, MEMBERS.iter().copied()) {
                Some(similar) => format!("unknown; did you mean `{similar}`?"),
                None => format!("unknown; expected one of {}", MEMBERS.join(", ")),
            };
            self.mistake(&name, &help);
        }
    }

    fn mistake(&mut self, member: &str, what: &str) {
        self.mistakes.push(BudgetMistake { member: member.to_owned(), what: what.to_owned() });
    }
}

impl fmt::Display for BudgetFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, why } => write!(f, "{}: {why}", path.display()),
            Self::Mistakes { path, mistakes } => {
                write!(f, "{} is not a budget:", path.display())?;
                mistakes.iter().try_for_each(|mistake| write!(f, "\n- {mistake}"))
            }
        }
    }
}

impl fmt::Display for BudgetMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.member.as_str() {
            "" => f.write_str(&self.what),
            member => write!(f, "`{member}`: {}", self.what),
        }
    }
}

debug_as_sentence!(BudgetFileError);

impl Error for BudgetFileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io { why, .. } => Some(why),
            Self::Mistakes { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_mistakes_of_a_budget_are_reported_together() {
        let text =
            r#"{"coins": [], "order": "ten", "hour": "-5", "dya": "7", "effects": "all", "open": "1", "open": "2"}"#;
        let mistakes = read(text).err().unwrap_or_default();
        let all: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
        assert_eq!(
            all,
            [
                "`open`: it is given twice; leave out one of them",
                "`coins`: name the coins that the amounts are in, such as [\"USDT\"]",
                "`order`: expected a decimal number, found \"ten\"",
                "`hour`: an amount is not negative",
                "`effects`: expected one of read, reduce, trade",
                "`dya`: unknown; did you mean `day`?",
            ]
        );
        assert!(read("[]").is_err() && read("{").is_err());
    }

    #[test]
    fn a_budget_is_read_with_all_its_bounds() {
        let text = r#"{"coins": ["USDT"], "order": "100", "hour": 400, "day": "1000", "open": "500", "ordersAMinute": 10,
            "lines": ["SPOT"], "symbols": ["BTCUSDT"], "effects": "reduce", "slippage": "0.02", "priceAge": 5,
            "askAbove": "50", "spent": "desk"}"#;
        let bounds_and_file = read(text).map(|(budget, spent)| (budget.bounds, spent));
        let number = Decimal::literal;
        let expected = Budget::new(["USDT"])
            .order(number("100"))
            .hour(number("400"))
            .day(number("1000"))
            .open(number("500"))
            .orders_a_minute(10)
            .lines(["SPOT"])
            .symbols(["BTCUSDT"])
            .effects(BudgetEffects::Reduce)
            .slippage(number("0.02"))
            .price_age(Duration::from_secs(5))
            .ask_above(number("50"));
        assert_eq!(bounds_and_file, Ok((expected.bounds, Some("desk".to_owned()))));
    }
}
