//! Requests that are checked and shown, and not sent.

use tradeapi_runtime::batches::{Batch, PlannedBatch};
use tradeapi_runtime::checks::{CheckContext, Undecided};
use tradeapi_runtime::confirm::{self, Confirmable, ConfirmableItems};
use tradeapi_runtime::http::{HeaderMap, Request};
use tradeapi_runtime::json::JsonWriter;
use tradeapi_runtime::pages::Paged;
use tradeapi_runtime::tables::{Api, Meta, Severity};
use tradeapi_runtime::value::ExchangeTime;
use tradeapi_runtime::wire::{BaseUrl, HeaderValues, unsigned_request};
use tradeapi_runtime::{Account, CheckPolicy, Operation, Timestamp, Violations};

use crate::calls::listing_rules;
use crate::ending::{Ending, write_violations};
use crate::limits;

/// The name and the value of a header.
pub(crate) type Header = (String, String);

/// The parts that a dry run needs: neither a client nor a transport, so that it cannot send anything.
pub(crate) struct DryRunOf<'a> {
    pub(crate) api: &'static Api,
    pub(crate) json: &'a str,
    pub(crate) account: &'a Account,
    /// Where requests go, if that is known.
    pub(crate) address: Option<&'a BaseUrl>,
    /// The headers of the API that are set.
    pub(crate) headers: &'a [Header],
    pub(crate) now: Timestamp,
}

/// The request that would be sent, and the findings of its checks.
pub(crate) struct DryRun {
    meta: &'static Meta,
    address: Option<String>,
    calls: Vec<ShownCall>,
    /// The number of items of a batch; none of anything else.
    items: usize,
    pub(crate) violations: Violations,
    checks: Vec<Check>,
    notes: Vec<String>,
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

/// The finding of a rule about the request.
struct Check {
    rule: &'static str,
    says: &'static str,
    result: CheckResult,
}

enum CheckResult {
    Kept,
    Broken,
    Warns,
    /// The rule depends on these properties, which the account does not state.
    Needs(Vec<Undecided>),
}

/// Stands for an address that is not known: only the path and the query are shown.
const ADDRESS: &str = "http://localhost";

/// Returns the dry run of a request that is one call.
pub(crate) fn of<O: Operation>(given: DryRunOf<'_>) -> Result<DryRun, Violations> {
    let request = given.read::<O>()?;
    let (violations, undecided) = given.inspect(&request);
    given.show(&[request], violations, undecided)
}

/// Returns the dry run of a change whose outcome is confirmed by queries.
pub(crate) fn of_confirmed<O: Confirmable>(given: DryRunOf<'_>) -> Result<DryRun, Violations> {
    let request = given.read::<O>()?;
    let (violations, undecided) = given.inspect(&request);
    let violations = with(violations, confirm::check_ids(&request));
    given.show(&[request], violations, undecided)
}

/// Returns the dry run of a listing, of which the request with all times is shown.
pub(crate) fn of_pages<O: Paged>(given: DryRunOf<'_>) -> Result<DryRun, Violations> {
    let request = given.read::<O>()?;
    let (all, undecided) = given.inspect(&request);
    let policy = listing_rules();
    let violations = request.inspect(CheckContext { policy: &policy, ..given.context() });
    let is_kept = |rule: &str| violations.iter().any(|violation| violation.rule == rule);
    let split = all.iter().filter(|violation| !is_kept(&violation.rule));
    let notes =
        split.map(|violation| format!("It is listed in parts, or from where it begins: {}.", violation.allowed));
    let notes = notes.collect();
    let shown = given.show(&[request], violations, undecided)?;
    Ok(DryRun { notes, ..shown })
}

/// Returns the dry run of a batch, in as many calls as it takes.
pub(crate) fn of_batch<O: Batch>(given: DryRunOf<'_>) -> Result<DryRun, Violations> {
    let request = given.read::<O>()?;
    given.show_batch(request, Ok(()))
}

/// Returns the dry run of a batch whose items are confirmed by queries.
pub(crate) fn of_confirmed_batch<O: ConfirmableItems>(given: DryRunOf<'_>) -> Result<DryRun, Violations> {
    let request = given.read::<O>()?;
    let ids = confirm::check_ids(&request);
    given.show_batch(request, ids)
}

/// Returns the violations with those of another check.
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
        let time = ExchangeTime::exactly(self.now);
        CheckContext { account: self.account, time, now: Some(self.now), ..CheckContext::default() }
    }

    /// Returns the rules that the request breaks, and those that it may break.
    fn inspect<O: Operation>(&self, request: &O) -> (Violations, Vec<Undecided>) {
        (request.inspect(self.context()), request.undecided(self.context()))
    }

    fn show_batch<O: Batch>(&self, request: O, ids: Result<(), Violations>) -> Result<DryRun, Violations> {
        let undecided = request.undecided(self.context());
        let batch = PlannedBatch::new(request, self.context());
        let shown = self.show(&batch.calls, with(batch.violations, ids), undecided)?;
        Ok(DryRun { items: batch.items, ..shown })
    }

    fn show<O: Operation>(
        &self,
        calls: &[O],
        violations: Violations,
        undecided: Vec<Undecided>,
    ) -> Result<DryRun, Violations> {
        let calls = calls.iter().map(|call| self.sent(call)).collect::<Result<_, _>>()?;
        let checks = O::META.rules.iter().map(|rule| {
            let broken = violations.iter().any(|violation| violation.rule == rule.id);
            let needs: Vec<_> = undecided.iter().filter(|undecided| undecided.rule == rule.id).cloned().collect();
            let result = match (broken, rule.severity) {
                (true, Severity::Refuse) => CheckResult::Broken,
                (true, Severity::Warn) => CheckResult::Warns,
                (false, _) if needs.is_empty() => CheckResult::Kept,
                (false, _) => CheckResult::Needs(needs),
            };
            Check { rule: rule.id, says: rule.says, result }
        });
        let checks = checks.collect();
        let address = self.address.map(ToString::to_string);
        Ok(DryRun { meta: O::META, address, calls, items: 0, violations, checks, notes: Vec::new() })
    }

    fn sent<O: Operation>(&self, request: &O) -> Result<ShownCall, Violations> {
        let base = self.address.cloned().map_or_else(|| BaseUrl::parse(ADDRESS, true), Ok);
        let parts = base.and_then(|base| Ok((base, HeaderValues::new(self.api, self.headers)?)));
        let Ok((base, headers)) = parts else { return Ok(ShownCall::default()) };
        match unsigned_request(self.api, request, &base, &headers) {
            Ok(request) => Ok(shown(&request)),
            Err(tradeapi_runtime::Error::Refused(refusal)) => Err(refusal.violations),
            Err(_) => Ok(ShownCall::default()),
        }
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

impl DryRun {
    /// Returns whether the request would be sent.
    pub(crate) fn ending(&self) -> Ending {
        if self.violations.refuse() { Ending::Refused } else { Ending::Done }
    }

    /// Returns the report for programs.
    pub(crate) fn json(&self) -> String {
        let mut out = JsonWriter::new();
        out.begin_object();
        out.member("dryRun").boolean(true);
        out.member("operation").string(self.meta.id);
        if let Some(address) = &self.address {
            out.member("address").string(address);
        }
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
            if let CheckResult::Needs(properties) = &check.result {
                out.member("needs").begin_array();
                for Undecided { property, instrument, .. } in properties {
                    let out = out.element();
                    out.begin_object();
                    out.member("property").string(property);
                    if let Some(instrument) = instrument {
                        out.member("instrument").string(instrument);
                    }
                    out.end_object();
                }
                out.end_array();
            }
            out.member("says").string(check.says);
            out.end_object();
        }
        out.end_array();
        write_violations("violations", &self.violations, &mut out);
        if !self.notes.is_empty() {
            out.member("notes").begin_array();
            self.notes.iter().for_each(|note| out.element().string(note));
            out.end_array();
        }
        out.end_object();
        out.finish()
    }

    /// Returns the report for people.
    pub(crate) fn text(&self) -> String {
        let mut text = self.address.as_ref().map(|address| format!("To {address}:\n\n")).unwrap_or_default();
        text += &self.calls.iter().map(ShownCall::text).collect::<Vec<_>>().join("\n");
        if self.calls.len() > 1 {
            text += &format!("\n{} items in {} calls\n", self.items, self.calls.len());
        }
        for note in &self.notes {
            text += &format!("\n{note}\n");
        }
        if !self.checks.is_empty() {
            text += "\nRules:\n";
        }
        for check in &self.checks {
            text += &format!("  {:<11} {}: {}", check.result.as_str(), check.rule, check.says);
            if let CheckResult::Needs(properties) = &check.result {
                let names = properties.iter().map(|Undecided { property, instrument, .. }| match instrument {
                    Some(instrument) => format!("{property} of {instrument}"),
                    None => property.clone(),
                });
                text += &format!(" (depends on {})", names.collect::<Vec<_>>().join(", "));
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
