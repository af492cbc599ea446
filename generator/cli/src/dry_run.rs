//! Requests that are checked and shown, and not sent.

use tradeapi_runtime::batches::{Batch, PlannedBatch};
use tradeapi_runtime::checks::CheckContext;
use tradeapi_runtime::confirm::{self, Confirmable, ConfirmableItems};
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

/// What would be sent, and what its checks found.
pub(crate) struct DryRun {
    meta: &'static Meta,
    calls: Vec<ShownCall>,
    /// The number of items of a batch; none of anything else.
    items: usize,
    pub(crate) violations: Violations,
    checks: Vec<Check>,
}

/// A call as it would be sent.
#[derive(Default)]
struct ShownCall {
    method: String,
    /// The path with the query.
    target: String,
    headers: Vec<(String, String)>,
    body: String,
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

/// Any address does, because only what follows it is shown.
const ADDRESS: &str = "http://localhost";

/// The dry run of a request that is one call.
pub(crate) fn of<O: Operation>(given: DryRunOf<'_>) -> Result<DryRun, Violations> {
    let request = given.read::<O>()?;
    let violations = request.inspect(given.context());
    given.show(&[request], violations)
}

/// The dry run of a change whose outcome is confirmed by queries.
pub(crate) fn of_confirmed<O: Confirmable>(given: DryRunOf<'_>) -> Result<DryRun, Violations> {
    let request = given.read::<O>()?;
    let violations = request.inspect(given.context());
    let violations = with(violations, confirm::check_ids(&request));
    given.show(&[request], violations)
}

/// The dry run of a batch, in as many calls as it takes.
pub(crate) fn of_batch<O: Batch>(given: DryRunOf<'_>) -> Result<DryRun, Violations> {
    let request = given.read::<O>()?;
    given.show_batch(request, Ok(()))
}

/// The dry run of a batch whose items are confirmed by queries.
pub(crate) fn of_confirmed_batch<O: ConfirmableItems>(given: DryRunOf<'_>) -> Result<DryRun, Violations> {
    let request = given.read::<O>()?;
    let ids = confirm::check_ids(&request);
    given.show_batch(request, ids)
}

/// The violations with those of another check.
fn with(mut violations: Violations, check: Result<(), Violations>) -> Violations {
    violations.extend(check.err().into_iter().flatten());
    violations
}

impl DryRunOf<'_> {
    /// Reads the request; its rules are checked afterwards, so that it can be shown with all that it breaks.
    fn read<O: Operation>(&self) -> Result<O, Violations> {
        let nothing = CheckPolicy::nothing();
        O::from_json_in(self.json, CheckContext { policy: &nothing, ..self.context() })
    }

    fn context(&self) -> CheckContext<'_> {
        CheckContext { account: self.account, now: Some(self.now), ..CheckContext::default() }
    }

    fn show_batch<O: Batch>(&self, request: O, ids: Result<(), Violations>) -> Result<DryRun, Violations> {
        let batch = PlannedBatch::new(request, self.context());
        let shown = self.show(&batch.calls, with(batch.violations, ids))?;
        Ok(DryRun { items: batch.items, ..shown })
    }

    fn show<O: Operation>(&self, calls: &[O], violations: Violations) -> Result<DryRun, Violations> {
        let calls = calls.iter().map(|call| sent(self.api, call)).collect::<Result<_, _>>()?;
        let checks = O::META.rules.iter().map(|rule| {
            let broken = violations.iter().any(|violation| violation.rule == rule.id);
            let needs: Vec<_> = rule.depends_on.iter().copied().filter(|name| !states(self.account, name)).collect();
            let result = match (broken, rule.severity) {
                (true, Severity::Refuse) => CheckResult::Broken,
                (true, Severity::Warn) => CheckResult::Warns,
                (false, _) if needs.is_empty() => CheckResult::Kept,
                (false, _) => CheckResult::Needs(needs),
            };
            Check { rule: rule.id, says: rule.says, result }
        });
        let checks = checks.collect();
        Ok(DryRun { meta: O::META, calls, items: 0, violations, checks })
    }
}

fn sent<O: Operation>(api: &'static Api, request: &O) -> Result<ShownCall, Violations> {
    let parts = BaseUrl::parse(ADDRESS, true).and_then(|base| Ok((base, HeaderValues::new(api, &[])?)));
    let Ok((base, headers)) = parts else { return Ok(ShownCall::default()) };
    match unsigned_request(api, request, &base, &headers) {
        Ok(request) => Ok(shown(&request)),
        Err(tradeapi_runtime::Error::Refused(refusal)) => Err(refusal.violations),
        Err(_) => Ok(ShownCall::default()),
    }
}

fn shown(request: &Request<bytes::Bytes>) -> ShownCall {
    let target = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
    let body = String::from_utf8_lossy(request.body()).into_owned();
    ShownCall { method: request.method().to_string(), target, headers: headers(request.headers()), body }
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
        out.member("requests").begin_array();
        self.calls.iter().for_each(|call| call.write(out.element()));
        out.end_array();
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
        let mut text = self.calls.iter().map(ShownCall::text).collect::<Vec<_>>().join("\n");
        if self.calls.len() > 1 {
            text += &format!("\n{} items in {} calls\n", self.items, self.calls.len());
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

impl ShownCall {
    fn write(&self, out: &mut JsonWriter) {
        out.begin_object();
        out.member("method").string(&self.method);
        out.member("target").string(&self.target);
        out.member("headers").begin_object();
        for (name, value) in &self.headers {
            out.member(name).string(value);
        }
        out.end_object();
        out.member("body").string(&self.body);
        out.end_object();
    }

    fn text(&self) -> String {
        let mut text = format!("{} {}\n", self.method, self.target);
        for (name, value) in &self.headers {
            text += &format!("{name}: {value}\n");
        }
        if !self.body.is_empty() {
            text += &format!("\n{}\n", self.body);
        }
        text
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
