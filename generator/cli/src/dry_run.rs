//! Requests that are checked and shown, and not sent.

use tradeapi_runtime::checks::CheckContext;
use tradeapi_runtime::http::{HeaderMap, Request};
use tradeapi_runtime::json::JsonWriter;
use tradeapi_runtime::tables::{Api, Meta, Severity};
use tradeapi_runtime::wire::{BaseUrl, HeaderValues, unsigned_request};
use tradeapi_runtime::{Account, CheckPolicy, Operation, Timestamp, Violations};

use crate::ending::{Ending, write_violations};
use crate::limits;

/// What a dry run needs.
pub(crate) struct DryRunOf<'a> {
    pub(crate) api: &'static Api,
    pub(crate) json: &'a str,
    pub(crate) account: &'a Account,
    pub(crate) now: Timestamp,
}

/// A request as it would be sent, and what its checks found.
pub(crate) struct DryRun {
    meta: &'static Meta,
    method: String,
    /// The path with the query.
    target: String,
    headers: Vec<(String, String)>,
    body: String,
    pub(crate) violations: Violations,
    checks: Vec<Check>,
}

/// What a rule says of the request.
struct Check {
    rule: &'static str,
    says: &'static str,
    result: CheckResult,
}

enum CheckResult {
    Kept,
    Broken,
    Warns,
    /// It depends on these properties, which the account does not state.
    Needs(Vec<&'static str>),
}

/// A placeholder: only the path and the query are shown.
const ADDRESS: &str = "http://localhost";

/// The dry run of a request.
pub(crate) fn of<O: Operation>(given: DryRunOf<'_>) -> Result<DryRun, Violations> {
    let nothing = CheckPolicy::from(false);
    let (account, now) = (given.account, Some(given.now));
    let request = O::from_json_in(given.json, CheckContext { account, listed: None, now, policy: &nothing })?;
    let violations = request.inspect(CheckContext { account, now, ..CheckContext::default() });
    let sent = sent(given.api, &request);
    let checks = O::META.rules.iter().map(|rule| {
        let broken = violations.iter().any(|violation| violation.rule == rule.id);
        let needs: Vec<_> = rule.depends_on.iter().copied().filter(|name| !states(account, name)).collect();
        let result = match (broken, rule.severity) {
            (true, Severity::Refuse) => CheckResult::Broken,
            (true, Severity::Warn) => CheckResult::Warns,
            (false, _) if needs.is_empty() => CheckResult::Kept,
            (false, _) => CheckResult::Needs(needs),
        };
        Check { rule: rule.id, says: rule.says, result }
    });
    let checks = checks.collect();
    let (method, target, headers, body) = sent?;
    Ok(DryRun { meta: O::META, method, target, headers, body, violations, checks })
}

type Sent = (String, String, Vec<(String, String)>, String);

fn sent<O: Operation>(api: &'static Api, request: &O) -> Result<Sent, Violations> {
    let parts = BaseUrl::parse(ADDRESS, true).and_then(|base| Ok((base, HeaderValues::new(api, &[])?)));
    let Ok((base, headers)) = parts else { return Ok(Sent::default()) };
    match unsigned_request(api, request, &base, &headers) {
        Ok(request) => Ok(shown(&request)),
        Err(tradeapi_runtime::Error::Refused(refusal)) => Err(refusal.violations),
        Err(_) => Ok(Sent::default()),
    }
}

fn shown(request: &Request<bytes::Bytes>) -> Sent {
    let target = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
    let body = String::from_utf8_lossy(request.body()).into_owned();
    (request.method().to_string(), target, headers(request.headers()), body)
}

fn headers(all: &HeaderMap) -> Vec<(String, String)> {
    all.iter().map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())).collect()
}

/// Whether the account states a property, of its own or of some instrument.
fn states(account: &Account, name: &str) -> bool {
    account.get(name).is_some() || account.instruments().any(|(_, _, instrument)| instrument.get(name).is_some())
}

impl DryRun {
    /// Whether the request would be sent.
    pub(crate) fn ending(&self) -> Ending {
        if self.violations.refuse() { Ending::Refused } else { Ending::Done }
    }

    /// For programs.
    pub(crate) fn json(&self) -> String {
        let mut out = JsonWriter::new();
        out.begin_object();
        out.member("dryRun").boolean(true);
        out.member("operation").string(self.meta.id);
        out.member("wouldBeSent").boolean(!self.violations.refuse());
        out.member("request").begin_object();
        out.member("method").string(&self.method);
        out.member("target").string(&self.target);
        out.member("headers").begin_object();
        for (name, value) in &self.headers {
            out.member(name).string(value);
        }
        out.end_object();
        out.member("body").string(&self.body);
        out.end_object();
        out.member("checks").begin_array();
        for check in &self.checks {
            let out = out.element();
            out.begin_object();
            out.member("rule").string(check.rule);
            out.member("result").string(check.result.as_str());
            if let CheckResult::Needs(names) = &check.result {
                out.member("needs").begin_array();
                names.iter().for_each(|name| out.element().string(name));
                out.end_array();
            }
            out.member("says").string(check.says);
            out.end_object();
        }
        out.end_array();
        write_violations("violations", &self.violations, &mut out);
        out.end_object();
        out.finish()
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{} {}\n", self.method, self.target);
        for (name, value) in &self.headers {
            text += &format!("{name}: {value}\n");
        }
        if !self.body.is_empty() {
            text += &format!("\n{}\n", self.body);
        }
        if !self.checks.is_empty() {
            text += "\nRules:\n";
        }
        for check in &self.checks {
            text += &format!("  {:<11} {}: {}", check.result.as_str(), check.rule, check.says);
            if let CheckResult::Needs(names) = &check.result {
                text += &format!(" (depends on {})", names.join(", "));
            }
            text.push('\n');
        }
        if self.checks.iter().any(|check| matches!(check.result, CheckResult::Needs(_))) {
            text += "  A file for --account can state what rules depend on.\n";
        }
        if !self.violations.is_empty() {
            text += &format!("\n{}\n", self.violations);
        }
        let limits = limits::text(self.meta);
        if !limits.is_empty() {
            text += &format!("\nRate limit: {limits}\n");
        }
        text + if self.violations.refuse() { "\nIt would be refused.\n" } else { "\nNothing was sent.\n" }
    }
}

impl CheckResult {
    fn as_str(&self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Broken => "broken",
            Self::Warns => "warns",
            Self::Needs(_) => "not checked",
        }
    }
}
