//! Which rules are checked, how severely, and what a check knows besides the request.

use crate::data::account::{Account, Known, ListedInstruments};
use crate::data::tables::{Meta, Severity};
use crate::data::value::{ExchangeTime, Timestamp};

/// The facts that a check knows besides the request, and its treatment of broken rules.
#[derive(Clone, Copy, Debug)]
pub struct CheckContext<'a> {
    /// The account.
    pub account: &'a Account,
    /// The instruments that the exchange lists, for those that the account does not state.
    pub listed: Option<&'a ListedInstruments>,
    /// The time by the exchange's clock, for values that it takes on some days only.
    pub time: ExchangeTime<'a>,
    /// The current time; without it, rules about the age of something are not checked.
    pub now: Option<Timestamp>,
    /// Which rules are checked, and how severely.
    pub policy: &'a CheckPolicy,
}

impl<'a> CheckContext<'a> {
    /// Returns the account, the instruments and the exchange's time.
    pub fn known(&self) -> Known<'a> {
        Known { account: self.account, listed: self.listed, time: self.time }
    }
}

static NO_PROPERTIES: Account = Account::new();
static ALL_RULES: CheckPolicy = CheckPolicy::new();

impl Default for CheckContext<'_> {
    /// Creates a context without account properties and time; every rule is checked as the schema says.
    fn default() -> Self {
        Self { account: &NO_PROPERTIES, listed: None, time: ExchangeTime::UNKNOWN, now: None, policy: &ALL_RULES }
    }
}

/// Which rules are checked, and whether one that is broken refuses the request or only warns.
///
/// Exchanges change their rules before a schema follows: a rule that was lifted can be switched off until the client is
/// regenerated. A rule is named by its id, as in [`Violation::rule`](super::Violation::rule), or by the id of an
/// operation, a slash and its id, for that operation alone. The last setting for a rule applies. An id that no rule has
/// changes nothing, so take it from the violation or from the documentation of the operation.
///
/// ```
/// use tradeapi_runtime::CheckPolicy;
///
/// let policy = CheckPolicy::new()
///     .off("limit.max")
///     .warn("shop.place-order/gifts-are-wrapped");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckPolicy {
    nothing: bool,
    exceptions: Vec<(String, Option<Severity>)>,
}

impl CheckPolicy {
    /// Creates a policy by which every rule is checked, as severely as the schema says.
    pub const fn new() -> Self {
        Self { nothing: false, exceptions: Vec::new() }
    }

    /// Creates a policy by which no rule is checked.
    pub const fn nothing() -> Self {
        Self { nothing: true, exceptions: Vec::new() }
    }

    /// Returns the same, but `rule` is not checked.
    #[must_use]
    pub fn off(self, rule: impl Into<String>) -> Self {
        self.with(rule.into(), None)
    }

    /// Returns the same, but a request that breaks `rule` is sent, and its reply lists the violation.
    #[must_use]
    pub fn warn(self, rule: impl Into<String>) -> Self {
        self.with(rule.into(), Some(Severity::Warn))
    }

    /// Returns the same, but a request that breaks `rule` is refused.
    #[must_use]
    pub fn refuse(self, rule: impl Into<String>) -> Self {
        self.with(rule.into(), Some(Severity::Refuse))
    }

    fn with(mut self, rule: String, severity: Option<Severity>) -> Self {
        self.exceptions.push((rule, severity));
        self
    }

    /// Returns whether there is anything to check.
    pub(crate) fn checks_anything(&self) -> bool {
        !self.nothing || self.exceptions.iter().any(|(_, severity)| severity.is_some())
    }

    /// Returns the severity of `rule` in a request of the operation `meta`; `None` if it is not checked.
    pub(crate) fn severity(&self, meta: Option<&Meta>, rule: &str, by_schema: Severity) -> Option<Severity> {
        let is_meant = |name: &str| match name.split_once('/') {
            Some((operation, name)) => name == rule && meta.is_some_and(|meta| meta.id == operation),
            None => name == rule,
        };
        let exception = self.exceptions.iter().rev().find(|(name, _)| is_meant(name));
        exception.map_or((!self.nothing).then_some(by_schema), |(_, severity)| *severity)
    }
}

impl From<bool> for CheckPolicy {
    /// Returns all rules or none.
    fn from(all: bool) -> Self {
        Self { nothing: !all, ..Self::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_setting_of_a_rule_applies() {
        let of = |policy: &CheckPolicy| policy.severity(None, "a.max", Severity::Refuse);
        let policy = CheckPolicy::new();
        assert_eq!(of(&policy), Some(Severity::Refuse));
        let policy = policy.off("a.max");
        assert_eq!(of(&policy), None);
        let policy = policy.warn("a.max").off("b.max");
        assert_eq!(of(&policy), Some(Severity::Warn));
        assert_eq!(policy.severity(None, "other", Severity::Warn), Some(Severity::Warn));
        assert_eq!(of(&policy.off("x.y/a.max")), Some(Severity::Warn), "it is another operation's");
    }

    #[test]
    fn with_nothing_only_the_exceptions_are_checked() {
        let policy = CheckPolicy::nothing();
        assert!(!policy.checks_anything());
        assert_eq!(policy.severity(None, "a", Severity::Refuse), None);
        let policy = policy.refuse("a");
        assert!(policy.checks_anything());
        assert_eq!(policy.severity(None, "a", Severity::Warn), Some(Severity::Refuse));
        assert_eq!(policy.severity(None, "b", Severity::Warn), None);
    }
}
