//! Additions of the exporter to OpenAPI: its `x-` keys, read back.

use super::reading::{Cursor, Mark};
use crate::compiler::model::{Api, Effect, Need};
use crate::compiler::words::{Lists, Objects};
use crate::tools::draft::{Answer, ByValue, Draft, OneOf, Rule};

/// The text of a key that the exporter adds.
const REQUIRED: &str = "x-required";
pub(super) const DATA: &str = "x-data";
/// The default of a parameter that may not always be sent.
pub(super) const DEFAULT: &str = "x-default";
/// The format of a text that may also be blank.
pub(super) const FORMAT: &str = "x-format";

/// Returns how far a parameter is required, where the exporter says more than `required` can.
pub(super) fn need_of(parameter: &Cursor<'_>) -> Need {
    match parameter.text(REQUIRED) {
        Some("conditional") => Need::Conditional,
        Some("unstated") => Need::Unstated,
        _ => Need::No,
    }
}

/// Returns whether a pattern only repeats that a text is a decimal.
pub(super) fn is_pattern_of_decimals(schema: &Cursor<'_>) -> bool {
    schema.value["pattern"] == r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"
}

/// Returns the credentials, for a schema that has none. An exported value is written as the language has it.
pub(super) fn credentials(api: &Api, root: &Cursor<'_>) -> Option<String> {
    let credentials = root.get("x-credentials").filter(|_| api.credentials.is_none())?;
    credentials.mark_all(Mark::Read);
    Some(credentials.value.to_string())
}

/// Returns whether a member of a request is a credential of the file, which its `x-credentials` put there.
pub(super) fn is_credential(root: &Cursor<'_>, name: &str) -> bool {
    let places = ["parameters", "after_parameters", "query"];
    places.iter().filter_map(|place| root.value["x-credentials"][*place].as_object()).any(|carried| {
        let is_own = |(kind, value): (&String, &serde_json::Value)| kind != "others" && value == name;
        carried.iter().any(is_own) || carried.get("others").is_some_and(|others| others.get(name).is_some())
    })
}

/// Returns the field that has the name of each item, where a list is an object on the wire.
pub(super) fn key_of_items(schema: &Cursor<'_>) -> Option<String> {
    schema.text("x-key").map(str::to_owned)
}

/// Returns the values of an enum that the documents advise against.
pub(super) fn deprecated_values(schema: &Cursor<'_>) -> Vec<(String, Vec<(&'static str, String)>)> {
    let values = schema.get("x-enum-values").map(|all| all.members()).unwrap_or_default();
    let deprecated = values.into_iter().filter(|(_, value)| value.is_true("deprecated"));
    deprecated.map(|(name, value)| (name.to_owned(), deprecation(&value))).collect()
}

/// Returns what is said of something that is deprecated.
pub(super) fn deprecation(of: &Cursor<'_>) -> Vec<(&'static str, String)> {
    let Some(said) = of.get("x-deprecated") else { return Vec::new() };
    ["since", "use"].iter().filter_map(|key| Some((*key, said.text(key)?.to_owned()))).collect()
}

/// Returns the name of the only field of a record that travels as its value.
pub(super) fn name_of_value(data: &Cursor<'_>) -> Option<String> {
    data.text("x-value").map(str::to_owned)
}

/// Returns the documented form of a list that was also seen inside a member, and that member.
pub(super) fn observed_form<'a>(data: &Cursor<'a>) -> Option<(Cursor<'a>, String)> {
    let under = data.text("x-observed-under")?.to_owned();
    let forms = data.get("oneOf")?.items();
    let (documented, seen) = forms.split_first()?;
    seen.iter().for_each(|form| form.mark_all(Mark::Read));
    Some((documented.clone(), under))
}

/// Adds what the keys of an operation state.
pub(super) fn add(operation: &Cursor<'_>, draft: &mut Draft) {
    draft.effect = operation.text("x-effect").and_then(Effect::parse);
    draft.permission = operation.text("x-permission").map(str::to_owned);
    draft.is_whitelisted = operation.is_true("x-whitelisted");
    draft.rates = rates(operation);
    draft.lists = operation.text("x-lists").and_then(Lists::parse).or(draft.lists);
    draft.objects = operation.text("x-objects").and_then(Objects::parse).or(draft.objects);
    draft.data = operation.text(DATA).map(str::to_owned);
    draft.history = operation.text("x-history").map(str::to_owned);
    window(operation, draft);
    page(operation, draft);
    draft.rules = rules(operation);
    choices(operation, draft);
    draft.deprecation = deprecation(operation);
}

/// Returns the documented rates. Those that were only observed stay unread, because a draft has no classes with sources.
fn rates(operation: &Cursor<'_>) -> Option<Vec<String>> {
    let rates = operation.get("x-rate-limits")?;
    let rate = |rate: Cursor<'_>| {
        if rate.value.get("observed").is_some() {
            return None;
        }
        let (calls, per) = (rate.scalar("calls")?, rate.text("per")?);
        if let Some(pool) = rate.text("pool") {
            let when = rate.text("when").map(|when| format!(" {when}")).unwrap_or_default();
            rate.mark("by", Mark::Read);
            return Some(format!("{} of {pool}{when}", rate.scalar("weight")?));
        }
        let per = if per == "second" { "s" } else { per };
        let class = rate.text("class").map(|class| format!(" for {class}")).unwrap_or_default();
        Some(format!("{calls}/{per} per {}{class}", rate.text("by")?))
    };
    Some(rates.items().into_iter().filter_map(rate).collect())
}

fn window(operation: &Cursor<'_>, draft: &mut Draft) {
    let Some(window) = operation.get("x-window") else { return };
    for key in ["from", "to", "span", "access", "access_of", "default", "days"] {
        draft.window.extend(window.text(key).map(|text| (key, text.to_owned())));
    }
    draft.is_both_or_neither = window.is_true("both_or_neither");
}

/// Drafts a page of records with a cursor; the keys of other listings are not read.
fn page(operation: &Cursor<'_>, draft: &mut Draft) {
    let Some(page) = operation.get("x-page") else { return };
    let Answer::Object(data) = &draft.response else { return };
    let text = |key: &str| page.value.get(key).and_then(serde_json::Value::as_str);
    let (Some(list), Some(cursor), Some(next)) = (text("list"), text("cursor"), text("next")) else { return };
    let Some(records) = data.fields.iter().find(|field| field.name == list) else { return };
    let data = records.clone().into_data();
    draft.response =
        Answer::Page { list: list.to_owned(), cursor: cursor.to_owned(), next: Some(next.to_owned()), data };
    ["list", "cursor", "next"].iter().for_each(|key| page.mark(key, Mark::Read));
}

/// Drafts the choices among the parameters of a query, which no schema covers together.
fn choices(operation: &Cursor<'_>, draft: &mut Draft) {
    for choice in operation.get("x-choices").map(|all| all.items()).unwrap_or_default() {
        let need = if choice.is_true("required") { Need::Always } else { need_of(&choice) };
        let names = |list: &Cursor<'_>| -> Vec<String> {
            list.items().iter().filter_map(|one| Some(one.value.as_str()?.to_owned())).collect()
        };
        if let Some(members) = choice.get("one_of") {
            members.mark_all(Mark::Read);
            let wins = choice.text("wins").filter(|wins| *wins != "unstated").map(str::to_owned);
            draft.choices.push(OneOf { members: names(&members), wins, need });
        }
        let (Some(decider), Some(cases)) = (choice.text("choose_by"), choice.get("cases")) else { continue };
        let fields = draft.request.get_or_insert_default();
        let cases: Vec<_> = cases
            .members()
            .into_iter()
            .map(|(value, members)| {
                members.mark_all(Mark::Read);
                let names = names(&members);
                (
                    value.to_owned(),
                    fields.iter().filter(|field| names.contains(&field.name)).cloned().collect::<Vec<_>>(),
                )
            })
            .collect();
        let Some(decider) = fields.iter().find(|field| field.name == decider).cloned() else { continue };
        let is_chosen = |name: &String| {
            *name == decider.name || cases.iter().any(|(_, members)| members.iter().any(|one| one.name == *name))
        };
        fields.retain(|field| !is_chosen(&field.name));
        draft.by_value.push((String::new(), ByValue { decider, cases, need }));
    }
}

/// Returns the parameters of which a rule always requires one, and the list whose items have them.
fn any_of(rule: &Cursor<'_>) -> Option<(Option<String>, Vec<String>)> {
    let required =
        rule.value["require"].as_object().filter(|all| all.len() == 1 && rule.value.get("when").is_none())?;
    let names = required.get("any_given")?.as_array()?;
    let names = names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect();
    Some((rule.value["in"].as_str().map(str::to_owned), names))
}

/// Returns the rules as sentences; how each is enforced is left to a person.
fn rules(operation: &Cursor<'_>) -> Vec<Rule> {
    let rule = |rule: Cursor<'_>| {
        let says = rule.text_beside_gap("says")?.to_owned();
        let at = rule.text_beside_gap("at").unwrap_or("The description").to_owned();
        rule.mark_all(Mark::LeftEmpty);
        Some(Rule { at, says, any_of: any_of(&rule), remark: rule.value.to_string() })
    };
    operation.get("x-rules").map(|all| all.items()).unwrap_or_default().into_iter().filter_map(rule).collect()
}
