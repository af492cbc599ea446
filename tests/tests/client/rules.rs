//! The emitted checks, compared with cases generated from each rule's data, with the interpreter of the schema, and
//! with a reference that is written from the documents alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value};
use tradeapi::Operation;
use tradeapi::runtime::account::{Instrument, PropertyValue};
use tradeapi::runtime::checks::CheckContext;
use tradeapi::runtime::tables::Severity;
use tradeapi::runtime::value::ExchangeTime;
use tradeapi::runtime::{Account, CheckPolicy, Timestamp};
use tradeapi_gen::{Case, Generator, Schema};
use tradeapi_tests::reference::{Verdict, verdict};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    // What no document describes is a feature that is off.
    Generator::new().schema_dir(folder).read().expect("the schema is sound").documented()
});
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| SCHEMA.cases());

/// Reads a request, if possible.
static UNCHECKED: CheckContext<'static> =
    CheckContext { account: &NOBODY, listed: None, time: ExchangeTime::UNKNOWN, now: None, policy: &NOTHING };
static NOBODY: Account = Account::new();
pub(crate) static NOTHING: CheckPolicy = CheckPolicy::nothing();

/// The findings of the emitted code in a request.
struct Found {
    /// The ids of broken rules.
    rules: BTreeSet<String>,
    verdict: Verdict,
    /// True if the request fits the types, so that all checks have run.
    is_whole: bool,
}

/// Returns the broken rules, or `None` if the request cannot be read for a reason other than a rule.
fn inspected<O: Operation>(json: &str, account: &Account, now: u64) -> Option<Found> {
    /// The rules that only a reader checks.
    const OF_TYPES: [&str; 5] = ["required", "unreadable", "unknown-parameter", "not-applicable", "one-of"];
    let context = CheckContext { account, now: Some(Timestamp::from_millis(now)), ..CheckContext::default() };
    let (violations, is_whole) = match O::from_json_in(json, UNCHECKED) {
        Ok(request) => (request.inspect(context), true),
        Err(violations) => (violations, false),
    };
    let verdict = match violations.iter().map(|violation| violation.severity).max() {
        None => Verdict::Accepted,
        Some(Severity::Warn) => Verdict::Warned,
        Some(Severity::Refuse) => Verdict::Refused,
    };
    let is_of_types = |rule: &str| OF_TYPES.contains(&rule.rsplit('.').next().unwrap_or_default());
    let rules: BTreeSet<_> = violations.into_iter().map(|violation| violation.rule).collect();
    (!rules.iter().any(|rule| is_of_types(rule))).then_some(Found { rules, verdict, is_whole })
}

type Inspect = fn(&str, &Account, u64) -> Option<Found>;

macro_rules! inspections {
    ($($operation:ty),+ $(,)?) => {
        fn inspections() -> BTreeMap<&'static str, Inspect> {
            BTreeMap::from([$((<$operation as Operation>::META.id, inspected::<$operation> as Inspect)),+])
        }
    };
}
tradeapi::for_each_operation!(inspections);

/// Returns the account of a case.
pub(crate) fn account(properties: &str) -> Account {
    let properties: Map<String, Value> = serde_json::from_str(properties).unwrap();
    let mut account = Account::new();
    for (property, value) in properties {
        let value = match &value {
            Value::Array(instruments) if property == "instruments" => {
                instruments.iter().for_each(|properties| set_instrument(&mut account, properties));
                continue;
            }
            Value::Array(names) => {
                PropertyValue::Names(names.iter().map(|name| name.as_str().unwrap().to_owned()).collect())
            }
            Value::Bool(flag) => PropertyValue::Flag(*flag),
            Value::String(text) => match (text.as_str(), text.parse()) {
                ("true" | "false", _) => PropertyValue::Flag(text == "true"),
                (_, Ok(millis)) => PropertyValue::Time(Timestamp::from_millis(millis)),
                (_, Err(_)) => PropertyValue::Word(text.clone().into()),
            },
            other => panic!("{property}: {other}"),
        };
        account.set(property, value);
    }
    account
}

fn set_instrument(account: &mut Account, properties: &Value) {
    let text = |key: &str| properties[key].as_str().unwrap().to_owned();
    let numbers = properties.as_object().unwrap().iter().filter(|(key, _)| !matches!(key.as_str(), "line" | "symbol"));
    let instrument = numbers.fold(Instrument::new(), |instrument, (key, value)| {
        instrument.with(key.clone(), value.as_str().unwrap().parse().unwrap())
    });
    account.set_instrument(text("line"), text("symbol"), instrument);
}

#[test]
fn every_checked_rule_has_its_cases() {
    let checked: BTreeSet<(String, String)> = SCHEMA.checked_rules().into_iter().collect();
    let tried = |breaks: bool| -> BTreeSet<(String, String)> {
        let cases = CASES.iter().filter(|case| case.breaks == breaks);
        cases.map(|case| (case.operation.clone(), case.rule.clone())).collect()
    };
    assert!(checked.len() > 150, "{}", checked.len());
    assert_eq!(tried(true), checked, "a rule without a request that breaks it alone");
    assert_eq!(tried(false), checked, "a rule without a request at its edge");
}

#[test]
fn every_case_has_the_expected_result() {
    let inspections = inspections();
    for case in CASES.iter() {
        let found = inspections[case.operation.as_str()](&case.request, &account(&case.account), case.now);
        let found = found.unwrap_or_else(|| panic!("cannot be read: {case:?}")).rules;
        let expected: BTreeSet<_> = case.breaks.then(|| case.rule.clone()).into_iter().collect();
        assert_eq!(found, expected, "{case:?}");
    }
}

/// A rule can be switched off by its id, for all operations or for one, and a refusal can become a warning.
#[test]
fn every_rule_can_be_switched_off() {
    fn found<O: Operation>(case: &Case, policy: &CheckPolicy) -> Option<(usize, bool)> {
        let request = O::from_json_in(&case.request, UNCHECKED).ok()?;
        let account = account(&case.account);
        let now = Some(Timestamp::from_millis(case.now));
        let context = CheckContext { account: &account, now, policy, ..CheckContext::default() };
        let found = request.inspect(context);
        Some((found.len(), found.refuse()))
    }
    macro_rules! all {
        ($($operation:ty),+ $(,)?) => {
            [$((<$operation as Operation>::META.id, found::<$operation> as fn(&Case, &CheckPolicy) -> Option<(usize, bool)>)),+]
        };
    }
    let all = BTreeMap::from(tradeapi::for_each_operation!(all));
    let mut tried = 0;
    for case in CASES.iter().filter(|case| case.breaks) {
        let found = |policy: CheckPolicy| all[case.operation.as_str()](case, &policy);
        // A request that the reader refuses cannot be checked again.
        let Some((by_default, _)) = found(CheckPolicy::new()) else { continue };
        tried += 1;
        assert!(by_default > 0, "{case:?}");
        let here = format!("{}/{}", case.operation, case.rule);
        assert_eq!(found(CheckPolicy::new().off(&case.rule)), Some((0, false)), "{case:?}");
        assert_eq!(found(CheckPolicy::new().off(&here)), Some((0, false)), "{case:?}");
        assert_eq!(found(CheckPolicy::new().off(format!("x.y/{}", case.rule))).map(|(n, _)| n), Some(by_default));
        assert_eq!(found(CheckPolicy::new().warn(&here)), Some((by_default, false)), "{case:?}");
        assert_eq!(found(CheckPolicy::new().refuse(&case.rule)), Some((by_default, true)), "{case:?}");
        assert_eq!(found(CheckPolicy::nothing()), Some((0, false)), "{case:?}");
    }
    assert!(tried > 300, "{tried}");
}

/// A violation has the value, the allowed values, the source and a hint.
#[test]
fn a_violation_has_all_details() {
    fn all_said<O: Operation>(case: &Case) -> Option<()> {
        let request = O::from_json_in(&case.request, UNCHECKED).ok()?;
        let account = account(&case.account);
        let now = Some(Timestamp::from_millis(case.now));
        for violation in &request.inspect(CheckContext { account: &account, now, ..CheckContext::default() }) {
            assert!(!violation.allowed.is_empty() && !violation.hint.is_empty(), "{violation:?}");
            assert!(violation.source.starts_with(O::META.document), "{violation:?}");
            assert!(violation.parameter.is_empty() || !violation.given.is_empty(), "{violation:?}");
            assert!(matches!(violation.severity, Severity::Refuse | Severity::Warn));
        }
        Some(())
    }
    macro_rules! all {
        ($($operation:ty),+ $(,)?) => {
            [$((<$operation as Operation>::META.id, all_said::<$operation> as fn(&Case) -> Option<()>)),+]
        };
    }
    let all = BTreeMap::from(tradeapi::for_each_operation!(all));
    let said = CASES.iter().filter(|case| case.breaks).filter_map(|case| all[case.operation.as_str()](case)).count();
    assert!(said > 300, "{said}");
}

/// Requests near the bounds: a case with members removed or replaced by those of another case, and with another
/// account.
pub(crate) fn mixed() -> impl Strategy<Value = Case> {
    let change = (any::<Index>(), any::<Index>(), any::<bool>());
    let changes = proptest::collection::vec(change, 0..4);
    (any::<Index>(), any::<Index>(), changes).prop_map(|(case, other, changes)| {
        let mut case = case.get(&CASES).clone();
        let siblings: Vec<&Case> = CASES.iter().filter(|other| other.operation == case.operation).collect();
        let mut request: Value = serde_json::from_str(&case.request).unwrap();
        for (member, from, remove) in changes {
            let from: Value = serde_json::from_str(&from.get(&siblings).request).unwrap();
            change_member(&mut request, &from, &member, remove);
        }
        case.account.clone_from(&other.get(&siblings).account);
        case.request = request.to_string();
        case
    })
}

fn change_member(request: &mut Value, from: &Value, member: &Index, remove: bool) {
    match (request, from) {
        (Value::Array(items), Value::Array(others)) => {
            if let (Some(item), Some(other)) = (items.first_mut(), others.first()) {
                change_member(item, other, member, remove);
            }
        }
        (Value::Object(members), Value::Object(others)) if !members.is_empty() || !others.is_empty() => {
            let names: Vec<String> = members.keys().chain(others.keys()).cloned().collect();
            let name = member.get(&names);
            match others.get(name).filter(|_| !remove) {
                Some(value) => members.insert(name.clone(), value.clone()),
                None => members.remove(name),
            };
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// The emitted checks agree with the interpreter of the schema.
    #[test]
    fn emitted_checks_agree_with_the_schema(case in mixed()) {
        let found = inspections()[case.operation.as_str()](&case.request, &account(&case.account), case.now);
        if let Some(Found { rules, is_whole, .. }) = found {
            let evaluated = SCHEMA.evaluate(&case.operation, &case.request, &case.account, Some(case.now)).unwrap();
            let evaluated: BTreeSet<_> = evaluated.into_keys().collect();
            prop_assert!(rules == evaluated || (!is_whole && rules.is_subset(&evaluated)), "{rules:?} {evaluated:?} {case:?}");
        }
    }

    /// The emitted checks agree with the reference.
    #[test]
    fn emitted_checks_agree_with_the_documents(case in mixed()) {
        let found = inspections()[case.operation.as_str()](&case.request, &account(&case.account), case.now);
        if let Some(found) = found {
            let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            let expected = verdict(&case.operation, &json(&case.request), &json(&case.account), case.now);
            prop_assert_eq!(found.verdict, expected, "{:?} {:?}", found.rules, case);
        }
    }
}
