//! The statements of the schema about operations and parameters, as text of the help.

use tradeapi_runtime::tables::{Access, Rule, Window};

use crate::command::Command;
use crate::ending::Ending;
use crate::limits;
use crate::parameter::{Kind, Parameter, Required};
use crate::times;

/// Returns the text of a parameter; `window` is the range of times of its request.
pub(crate) fn parameter(parameter: &Parameter, window: Option<Window>) -> String {
    let mut parts = vec![sentence(&parameter.doc), times::help(parameter, window)];
    match &parameter.required {
        Required::Always => parts.push("Required.".to_owned()),
        Required::Sometimes(when) => parts.push(sentence(&capitalized(when))),
        Required::No => {}
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

/// Returns the parameters of objects within a parameter, a line each.
pub(crate) fn members(kind: &Kind) -> String {
    let (Kind::Object(members) | Kind::Objects(members)) = kind else { return String::new() };
    let line =
        |member: &Parameter| format!("\n  {} ({}): {}", member.name, type_name(&member.kind), parameter(member, None));
    let many = matches!(kind, Kind::Objects(_));
    let intro = if many { "A JSON list of objects, or @FILE with it:" } else { "A JSON object, or @FILE with it:" };
    intro.to_owned() + &members.iter().map(line).collect::<String>()
}

/// Returns the name of a kind of values.
pub(crate) fn type_name(kind: &Kind) -> String {
    match kind {
        Kind::Text(name) => (*name).to_owned(),
        Kind::Truth => "boolean".to_owned(),
        Kind::Words(words) => words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join("|"),
        Kind::List(of) => format!("list of {}", type_name(of)),
        Kind::Object(_) => "object".to_owned(),
        Kind::Objects(_) => "list of objects".to_owned(),
        Kind::Json => "JSON".to_owned(),
    }
}

/// The heading before the rules of an operation.
pub(crate) const RULES: &str = "\n\nRules, checked before it is sent:";

/// Returns the text below the flags of an operation: its facts and its rules.
pub(crate) fn below(command: &Command) -> String {
    let mut text = facts(command);
    if !command.meta.rules.is_empty() {
        text += RULES;
    }
    text.extend(command.meta.rules.iter().map(rule));
    text
}

/// Returns the line of a rule.
pub(crate) fn rule(rule: &Rule) -> String {
    format!("\n  {}: {}", rule.id, rule.says)
}

/// Returns the facts of an operation, a line each.
pub(crate) fn facts(command: &Command) -> String {
    let meta = command.meta;
    let mut text = format!("{} {}\nEffect: {}", meta.method.as_str(), meta.path, meta.effect.as_str());
    if meta.access == Access::Public {
        text += "\nAccess: public";
    }
    if let Some(permission) = meta.permission {
        text += &format!("\nPermission: {permission}");
    }
    if !meta.limits.is_empty() {
        text += &format!("\nRate limit: {}", limits::text(meta));
    }
    if !meta.source().is_empty() {
        text += &format!("\nSource: {}", meta.source());
    }
    if command.mint.is_some() {
        text += "\nA request without a client id gets a new one, so that its outcome can be queried.";
    }
    text
}

/// Returns what stands below the commands.
pub(crate) fn exit_statuses() -> String {
    let line = |ending: &Ending| format!("\n  {}  {}", ending.status(), ending.meaning());
    "Exit status:".to_owned() + &Ending::ALL.iter().map(line).collect::<String>()
}

fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', '?', '!']) { text.to_owned() } else { format!("{text}.") }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
