//! Refusals. Their codes, texts, statuses and rules come from the schema's `refusals`.

use rust_decimal::Decimal;
use tradeapi::codes::{OBSERVED_CODES, REFUSALS};
use tradeapi::runtime::checks::Violation;
use tradeapi::runtime::tables::{KnownError, Meta, Rejection};
use tradeapi::{API, Violations};

use crate::state::words::Family;

/// A refusal in the form of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The HTTP status, if it differs from that of other refusals.
    pub(crate) status: Option<u16>,
    pub(crate) code: String,
    pub(crate) message: String,
    /// The rule that the request breaks, or the name of the refusal in the schema if there is no rule.
    pub(crate) rule: String,
}

/// The rule that a refusal by a fault states.
pub(crate) const FAULT: &str = "fault";

/// Declares the reasons of refusals, each with its name in the schema.
macro_rules! reasons {
    ($($name:ident = $row:literal),* $(,)?) => {
        /// The reason of a refusal.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Reason {
            $($name,)*
            /// The value of a parameter is refused.
            Value(BadValue),
            /// A number is not within a bound.
            Bound(Bound),
        }

        impl Reason {
            const fn name(self) -> &'static str {
                match self { $(Self::$name => $row,)* Self::Value(_) => "", Self::Bound(bound) => bound.reason.name() }
            }

            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$name),*];
        }
    };
}

reasons! {
    UnknownPath = "unknown-path",
    WrongMethod = "wrong-method",
    MissingKey = "missing-key",
    MissingSignature = "missing-signature",
    MissingTimestamp = "missing-timestamp",
    MissingPassphrase = "missing-passphrase",
    UnknownKey = "unknown-key",
    WrongPassphrase = "wrong-passphrase",
    ExpiredTimestamp = "expired-timestamp",
    WrongSignature = "wrong-signature",
    UnknownAddress = "unknown-address",
    MissingPermission = "missing-permission",
    ContentType = "content-type",
    Encoding = "wrong-encoding",
    TooManyRequests = "too-many-requests",
    Unavailable = "unavailable",
    UnknownSymbol = "unknown-symbol",
    MarginCoin = "margin-coin",
    WrongValue = "wrong-value",
    WrongForm = "wrong-form",
    ListedTwice = "listed-twice",
    Suspended = "suspended",
    PriceStep = "price-step",
    SizeStep = "size-step",
    SizeLeast = "size-least",
    SizeMost = "size-most",
    PriceAbove = "price-above",
    PriceBelow = "price-below",
    Funds = "funds",
    SpotFunds = "spot-funds",
    TooManyOrders = "too-many-orders",
    Duplicate = "duplicate-id",
    NoPosition = "no-position",
    PositionOccupied = "position-occupied",
    NoSuchOrder = "no-such-order",
    NoSuchItem = "no-such-item",
    NotOpen = "not-open",
    NotModifiable = "not-modifiable",
    BelowFilled = "below-filled",
    ModifyUnchanged = "modify-unchanged",
    ModifyInProgress = "modify-in-progress",
    ReduceOnlyFixed = "reduce-only-fixed",
    Parameter = "parameter",
    NotInMode = "not-in-mode",
    SettingsFixed = "settings-fixed",
    OtherMarginMode = "other-margin-mode",
    Condition = "conditional-order",
    Narrower = "narrower-cancellation",
    LongProfit = "take-profit-of-long",
    LongProfitByMark = "take-profit-of-long-by-mark",
    LongLoss = "stop-loss-of-long",
    LongLossByMark = "stop-loss-of-long-by-mark",
    ShortProfit = "take-profit-of-short",
    ShortProfitByMark = "take-profit-of-short-by-mark",
    ShortLoss = "stop-loss-of-short",
    ShortLossByMark = "stop-loss-of-short-by-mark",
    WrongAccount = "wrong-account",
    Expired = "too-late",
    ReceiveWindow = "receive-window",
}

/// A parameter whose value is refused. `kind` ends the id of the rule, as the emitted checks name theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadValue {
    pub(crate) parameter: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) why: &'static str,
}

/// A parameter whose number is refused, and what it must be: `at most 70400`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    reason: &'static Reason,
    parameter: &'static str,
    must_be: &'static str,
    number: Decimal,
}

impl Reason {
    /// Returns the refusal of a number, for a reason that the message names before its [`Bound`].
    pub(crate) const fn bound(
        reason: &'static Self,
        parameter: &'static str,
        must_be: &'static str,
        number: Decimal,
    ) -> Self {
        Self::Bound(Bound { reason, parameter, must_be, number })
    }

    /// Returns the refusal of a value; see [`BadValue`].
    pub(crate) const fn value([parameter, kind]: [&'static str; 2], why: &'static str) -> Self {
        Self::Value(BadValue { parameter, kind, why })
    }

    fn row(self) -> &'static Rejection {
        static NOTHING: Rejection = Rejection::new("", "");
        let is_meant = |row: &&Rejection| match self {
            Self::Value(value) => row.rules.contains(&value.kind),
            _ => row.name == self.name(),
        };
        REFUSALS.iter().find(is_meant).unwrap_or(&NOTHING)
    }

    /// Returns whether a change with a parameter of this name, which its operation does not have, is refused so.
    pub(crate) fn is_because_of(self, parameter: &str) -> bool {
        self.row().parameters.contains(&parameter)
    }

    /// Returns the code in a family, or else in another family.
    pub(crate) fn code(self, family: Family) -> &'static str {
        code_of(self.row(), family.as_str())
    }

    /// Returns the refusal of a request for an operation.
    pub(crate) fn of(self, meta: &Meta) -> Refusal {
        self.with_codes_of(meta, meta.family)
    }

    /// Returns the refusal of a request for an operation, with the code of the family whose accounts it is about.
    pub(crate) fn of_account(self, meta: &Meta) -> Refusal {
        self.with_codes_of(meta, meta.account_family())
    }

    /// Returns what is known of its code in answers of an operation.
    pub(crate) fn known(self, meta: &Meta) -> Option<&'static KnownError> {
        meta.known(&API, code_of(self.row(), meta.account_family()))
    }

    /// Returns the refusal of a request for an operation, with the code of a family.
    pub(crate) fn of_family(self, meta: &Meta, family: Family) -> Refusal {
        self.with_codes_of(meta, family.as_str())
    }

    fn with_codes_of(self, meta: &Meta, family: &str) -> Refusal {
        let row = self.row();
        let (message, rule) = match self {
            Self::Value(BadValue { parameter, kind, why }) => of_value([parameter, kind], why, meta),
            _ => (self.says(), row.rule(meta).unwrap_or(row.name).to_owned()),
        };
        Refusal { status: row.status, code: code_of(row, family).to_owned(), message, rule }
    }

    /// Returns the text of the schema, and the bound that a number breaks.
    fn says(self) -> String {
        let says = self.row().says.trim_end_matches('.');
        match self {
            Self::Bound(Bound { parameter, must_be, number, .. }) => {
                format!("{says}: {parameter} must be {must_be} {}", number.normalize())
            }
            _ => says.to_owned(),
        }
    }
}

fn code_of(row: &'static Rejection, family: &str) -> &'static str {
    row.code(family).or_else(|| row.codes.first().map(|(_, code)| *code)).unwrap_or_default()
}

/// Returns the text of a code: that of the documents, or what was observed of it; the code itself if nobody knows it.
pub(crate) fn text_of_code(meta: &Meta, code: &str) -> String {
    let observed = || OBSERVED_CODES.iter().find(|known| known.code == code);
    let known = meta.error(code).or_else(observed);
    known.map_or(code, |known| known.text.trim_end_matches('.')).to_owned()
}

/// Returns the refusal for broken rules of the documents: the code of the first, and a message with all of them.
pub(crate) fn of_violations(violations: &Violations, meta: &Meta, family: Family) -> Refusal {
    match violations.refusals().next() {
        None => Reason::Parameter.of_family(meta, family),
        Some(first) => Refusal {
            message: format!("Parameter verification failed: {violations}"),
            ..of_violation(first, meta, family)
        },
    }
}

/// Returns the refusal for a broken rule.
pub(crate) fn of_violation(violation: &Violation, meta: &Meta, family: Family) -> Refusal {
    let id = format!("{}.{}", meta.id, violation.rule);
    let by_id = REFUSALS.iter().find(|row| row.rules.contains(&id.as_str()));
    let ends = |word: &&str| {
        let rest = violation.rule.strip_suffix(*word);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let row = by_id.or_else(|| REFUSALS.iter().find(|row| row.rules.iter().any(&ends)));
    let row = row.unwrap_or_else(|| Reason::Parameter.row());
    Refusal {
        status: row.status,
        code: code_of(row, family.as_str()).to_owned(),
        message: format!("Parameter verification failed: {violation}"),
        rule: id,
    }
}

/// Returns the refusal for a parameter. `kind` ends the id of the rule, as the emitted checks name theirs.
pub(crate) fn of_parameter(
    reason: Reason,
    [parameter, kind]: [&str; 2],
    why: &str,
    meta: &Meta,
    family: Family,
) -> Refusal {
    let (message, rule) = of_value([parameter, kind], why, meta);
    Refusal { message, rule, ..reason.of_family(meta, family) }
}

/// Returns the refusal for a parameter that is not given.
pub(crate) const fn missing(parameter: &'static str) -> Reason {
    Reason::value([parameter, "required"], "it is required")
}

/// Returns the message and the rule of a refused value.
fn of_value([parameter, kind]: [&str; 2], why: &str, meta: &Meta) -> (String, String) {
    (format!("Parameter verification failed: {parameter}: {why}"), format!("{}.{parameter}.{kind}", meta.id))
}

/// Returns the item of a batch that a violation names: `[3].price` and `orderList[3].price` name the fourth.
pub(crate) fn item_of(violation: &Violation) -> Option<usize> {
    let (_, rest) = violation.parameter.split_once('[')?;
    let (index, _) = rest.split_once("].")?;
    index.parse().ok()
}

#[cfg(test)]
mod tests {
    use tradeapi::Operation;
    use tradeapi::classic::BatchCancel;
    use tradeapi::unified::PlaceOrder;

    use super::*;

    #[test]
    fn every_reason_is_in_the_schema_and_every_refusal_is_used() {
        for reason in Reason::ALL {
            let row = reason.row();
            assert!(row.name == reason.name() && !row.codes.is_empty(), "{reason:?}");
        }
        for row in REFUSALS {
            let is_reason = Reason::ALL.iter().any(|reason| reason.name() == row.name);
            assert!(is_reason || !row.rules.is_empty(), "nothing is refused as {}", row.name);
        }
    }

    #[test]
    fn a_refusal_names_the_rule_of_its_operation_or_family() {
        assert_eq!(Reason::PriceAbove.of(PlaceOrder::META).rule, "unified.place-order.price-outside-range");
        assert_eq!(
            Reason::NoSuchItem.of(BatchCancel::META).rule,
            "classic.batch-cancel-orders.failed-items-are-listed"
        );
        assert_eq!(Reason::TooManyOrders.of(PlaceOrder::META).rule, "unified.open-futures-orders");
        assert_eq!(Reason::Funds.of(PlaceOrder::META).rule, "funds");
    }
}
