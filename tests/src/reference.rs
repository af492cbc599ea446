//! A reference validator of requests, written from the documents alone.
//!
//! It does not use the schema or generated code. A test that checks the same request with both finds where one of them
//! misreads the documents.
//!
//! It assumes what types ensure: required parameters are present, one of two ids is given, and parameters of limit
//! orders occur only with them.

mod account;
mod broker;
mod classic;
mod decimal;
mod request;
#[cfg(test)]
mod tests;
mod unified;
mod unified_batch;
mod window;

use serde_json::Value;

use account::Account;
use request::Request;

/// The verdict on a request before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The request is valid.
    Accepted,
    /// The request may be sent, although a part of it is discouraged or ignored.
    Warned,
    /// The request must not be sent.
    Refused,
}

/// All findings in a request, in words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Reasons to refuse the request.
    pub refusals: Vec<String>,
    /// Discouraged or ignored parts.
    pub warnings: Vec<String>,
}

impl Findings {
    /// Returns the verdict: a refusal takes precedence over a warning.
    pub fn verdict(&self) -> Verdict {
        match (self.refusals.is_empty(), self.warnings.is_empty()) {
            (false, _) => Verdict::Refused,
            (true, false) => Verdict::Warned,
            (true, true) => Verdict::Accepted,
        }
    }

    fn refuse_if(&mut self, wrong: bool, why: impl Into<String>) {
        if wrong {
            self.refusals.push(why.into());
        }
    }

    fn warn_if(&mut self, unwise: bool, why: impl Into<String>) {
        if unwise {
            self.warnings.push(why.into());
        }
    }
}

/// Returns the verdict on `request` (with wire names; an array if the body is one) for an account with the properties
/// `account`, at the time `now` in Unix milliseconds. The operation is `<family>.<last path segment>`.
///
/// # Panics
///
/// The documents have no such operation.
pub fn verdict(operation: &str, request: &Value, account: &Value, now: u64) -> Verdict {
    findings(operation, request, account, now).verdict()
}

/// Returns the [`verdict`] with the reasons.
///
/// # Panics
///
/// The documents have no such operation.
pub fn findings(operation: &str, request: &Value, account: &Value, now: u64) -> Findings {
    let mut out = Findings::default();
    let (request, account, now) = (Request(request), Account(account), i128::from(now));
    match operation.split_once('.') {
        Some(("classic", name)) => classic::inspect(name, request, account, now, &mut out),
        Some(("unified", name)) => unified::inspect(name, request, account, now, &mut out),
        Some(("broker", name)) => broker::inspect(name, request, now, &mut out),
        _ => unknown(operation),
    }
    out
}

fn unknown(name: &str) -> ! {
    panic!("the documents have no operation {name}: ids are <family>.<last path segment>")
}
