//! Why a request is refused, and the code that says so.

use tradeapi::Violations;
use tradeapi::runtime::checks::Violation;

use crate::words::Family;

/// A refusal as it is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) code: String,
    pub(crate) message: String,
    /// The id of the documents' rule that the request breaks, if it is a checked one.
    pub(crate) rule: Option<String>,
}

impl Refusal {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { status: 400, code: code.to_owned(), message: message.into(), rule: None }
    }

    pub(crate) fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }
}

/// Declares the reasons of the core, each with the codes of the unified and of the classic family.
macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident: $unified:literal, $classic:literal, $message:literal;)*) => {
        /// Why the core refuses something.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Reason { $($(#[$doc])* $name),* }

        impl Reason {
            const fn row(self) -> (&'static str, &'static str, &'static str) {
                match self { $(Self::$name => ($unified, $classic, $message)),* }
            }
        }
    };
}

// Documented: 40762 and 24056 of the unified family, 43001 of classic batch items. All others were observed; see
// `schema/codes.yaml`.
reasons! {
    UnknownSymbol: "25100", "40034", "The symbol does not exist in this line of business";
    Suspended: "25102", "40844", "The pair is in delivery or handled by risk control";
    PriceStep: "25244", "45115", "The price is not a multiple of the step";
    SizeStep: "25610", "22038", "The quantity is not a multiple of the step";
    SizeLeast: "25611", "45111", "The quantity is below the minimum";
    SizeMost: "25208", "45112", "The quantity is above the maximum";
    PriceAbove: "25206", "43009", "The price is above the limit";
    PriceBelow: "25205", "43008", "The price is below the limit";
    Funds: "40762", "40762", "The order size is greater than the max open size";
    SpotFunds: "25202", "40754", "The balance is not enough";
    TooManyOrders: "25211", "40723", "Too many open orders";
    Duplicate: "25212", "40786", "The clientOid was used before";
    NoPosition: "25227", "22002", "There is no position to close";
    PositionOccupied: "25225", "40755", "Not enough of the position is free to close";
    NoSuchOrder: "25204", "40768", "The order does not exist";
    NoSuchItem: "24056", "43001", "The order does not exist";
    NotOpen: "45134", "45031", "The order is filled or cancelled";
    NotModifiable: "25568", "40922", "The order does not meet the conditions for modifying";
    BelowFilled: "25568", "40922", "The quantity is below what is filled";
    ModifyUnchanged: "25571", "40923", "The modification changes nothing";
    ModifyInProgress: "25572", "40922", "Too many modifications of the order are in progress";
    ReduceOnlyFixed: "25574", "40922", "A reduce-only order cannot be modified";
    MissingParameter: "40019", "40019", "A required parameter is missing";
    Parameter: "25200", "40017", "Parameter verification failed";
    NotInMode: "25236", "40774", "The order does not fit the position mode";
    Expired: "40078", "40078", "The request is older than its receiveWindow";
}

impl Reason {
    /// The refusal of a family.
    pub(crate) fn of(self, family: Family) -> Refusal {
        let (unified, classic, message) = self.row();
        Refusal::new(if family == Family::Unified { unified } else { classic }, message)
    }
}

/// Codes by rule: the end of the rule's id, and the codes of the unified and the classic family.
const BY_RULE: &[(&str, &str, &str)] = &[
    ("required", "40019", "40019"),
    ("empty", "40019", "40019"),
    ("values", "40020", "40020"),
    ("shape", "40020", "40305"),
    ("one-of", "40019", "40924"),
    ("price-step", "25244", "45115"),
    ("price-decimals", "25244", "45115"),
    ("qty-step", "25610", "22038"),
    ("size-decimals", "25610", "22038"),
    ("qty-minimum", "25611", "45111"),
    ("minimum-order-quantity", "25611", "45111"),
    ("rpi-needs-permission", "25620", "40014"),
    ("whitelist-needed", "40014", "40014"),
    ("elite-trader-pairs", "22004", "22004"),
    ("no-copy-trading", "22004", "22004"),
    ("hedge-mode-needs-pos-side", "25236", "40774"),
    ("trade-side-in-hedge-mode", "25236", "40774"),
    ("no-trade-side-in-one-way-mode", "25236", "40774"),
    ("reduce-only-in-one-way-mode", "25236", "40774"),
    ("size-and-price-together", "40925", "40925"),
    ("window.span", "00001", "00001"),
    ("window.access", "00001", "40704"),
    ("min-items", "40019", "40019"),
    ("max-items", "25200", "40017"),
];

/// The refusal for broken rules of the documents: the code of the first, and a message with all of them.
pub(crate) fn of_violations(violations: &Violations, family: Family) -> Refusal {
    match violations.refusals().next() {
        None => Reason::Parameter.of(family),
        Some(first) => {
            Refusal { message: format!("Parameter verification failed: {violations}"), ..of_violation(first, family) }
        }
    }
}

/// The refusal for a broken rule.
pub(crate) fn of_violation(violation: &Violation, family: Family) -> Refusal {
    let row = BY_RULE.iter().find(|(end, _, _)| violation.rule.ends_with(end));
    let (_, unified, classic) = row.copied().unwrap_or(("", "25200", "40017"));
    let code = if family == Family::Unified { unified } else { classic };
    let rule = Some(violation.rule.clone());
    Refusal { rule, ..Refusal::new(code, format!("Parameter verification failed: {violation}")) }
}

/// The item of a batch that a violation is about: `[3].price` and `orderList[3].price` are about the fourth.
pub(crate) fn item_of(violation: &Violation) -> Option<usize> {
    let (_, rest) = violation.parameter.split_once('[')?;
    let (index, _) = rest.split_once("].")?;
    index.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tradeapi::runtime::Operation;
    use tradeapi::{API, classic, unified};

    /// A code that the schema does not know would teach clients something that no exchange answers.
    #[test]
    fn every_code_is_in_the_schema() {
        let documented =
            [unified::PlaceOrder::META, classic::PlaceOrder::META].into_iter().flat_map(|meta| meta.errors);
        let known: BTreeSet<_> = documented.chain(API.observed_codes).map(|error| error.code).collect();
        let texts = [include_str!("refusal.rs"), include_str!("gate.rs")].map(|source| source.split('"'));
        let is_code = |text: &&str| text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
        let codes: BTreeSet<_> = texts.into_iter().flatten().filter(is_code).collect();
        assert!(codes.len() > 40, "{codes:?}");
        assert!(codes.is_subset(&known), "{:?}", codes.difference(&known));
    }
}
