//! Tools: their names, descriptions, annotations, and the JSON Schema of their arguments.

use std::sync::Arc;

use clap::ArgMatches;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use tradeapi_runtime::reconcile::Listing;
use tradeapi_runtime::tables::{Effect, Window};

use crate::command::{Command, EVERYDAY};
use crate::ending::Ending;
use crate::help;
use crate::options::{FAMILIES, GROUPS, MOST_DAYS, USUAL_DAYS};
use crate::parameter::{Kind, Parameter, Required};
use crate::table::Program;

/// The arguments besides the parameters of a request.
pub(super) const DRY_RUN: &str = "dryRun";
pub(super) const FIRST: &str = "first";
pub(super) const DAYS: &str = "days";
/// The number of results that a tool returns at most, unless it is asked for another number.
pub(super) const USUALLY_FIRST: usize = 100;
/// The outcome of what was only shown.
pub(super) const DRY_RUN_OUTCOME: &str = "dry run";
/// The name of a body that is an array.
pub(super) const BODY: &str = "items";

/// The longest text that clients show an assistant as a whole, in bytes.
pub(super) const LONGEST_TEXT: usize = 1990;

/// The tools that a server has: those of some families and groups, or all.
pub(super) struct Choice {
    families: Vec<String>,
    groups: Vec<String>,
}

impl Choice {
    /// Returns the choice that the options of a server state.
    pub(super) fn of(options: &ArgMatches) -> Self {
        let names = |option: &str| options.get_many::<String>(option).into_iter().flatten().cloned().collect();
        Self { families: names(FAMILIES), groups: names(GROUPS) }
    }

    pub(super) fn has_everyday(&self) -> bool {
        Self::names(&self.groups, EVERYDAY)
    }

    fn has(&self, family: &str, command: &Command) -> bool {
        Self::names(&self.families, family) && Self::names(&self.groups, command.group())
    }

    fn names(chosen: &[String], name: &str) -> bool {
        chosen.is_empty() || chosen.iter().any(|one| one == name)
    }
}

/// A tool that consists of several operations, or of none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Everyday {
    Orders,
    Positions,
    Flatten,
    Sent,
}

impl Everyday {
    pub(super) const ALL: [Self; 4] = [Self::Orders, Self::Positions, Self::Flatten, Self::Sent];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Positions => "positions",
            Self::Flatten => "flatten",
            Self::Sent => "sent",
        }
    }

    pub(super) const fn is_read(self) -> bool {
        !matches!(self, Self::Flatten)
    }

    pub(super) fn is_supported_by(self, program: &Program) -> bool {
        match self {
            Self::Orders => program.listings.iter().any(Listing::shows_open_orders),
            Self::Positions => program.listings.iter().any(Listing::shows_trades),
            Self::Flatten => !program.flats.is_empty(),
            Self::Sent => true,
        }
    }

    pub(super) fn tool(self) -> Tool {
        let first = (FIRST, first());
        let (doc, properties) = match self {
            Self::Orders => ("Lists the open orders of the families that serve the key.", vec![first]),
            Self::Positions => {
                let days = json!({ "type": ["integer", "string"], "minimum": 1, "maximum": MOST_DAYS, "description": format!("The days of fills that positions follow from. Left out: the positions that the exchange lists, or those of {USUAL_DAYS} days if it lists none.") });
                (
                    "Lists the open positions: as the exchange lists them, or as they follow from the fills of `days`.",
                    vec![first, (DAYS, days)],
                )
            }
            Self::Flatten => (
                "Cancels all orders and closes all positions, until reading shows that none is left; otherwise lists what is.",
                Vec::new(),
            ),
            Self::Sent => (
                "Lists the changes that this server sent since it was started, the newest first: the tool, the request, \
                 when, and what became of it, or that it is under way. It sends nothing. It tells the outcome of a change \
                 whose call was cancelled or got no answer.",
                vec![first],
            ),
        };
        let properties = properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
        Tool::new(self.name(), doc, schema(properties, &[]))
            .with_raw_output_schema(output())
            .with_annotations(annotations(self.is_read(), true))
    }
}

/// Returns each chosen operation with the name of its tool.
pub(super) fn commands(program: &'static Program, choice: &Choice) -> impl Iterator<Item = (String, &'static Command)> {
    let name = |family: &str, command: &Command| format!("{family}_{}", command.name).replace('-', "_");
    program.families.iter().flat_map(move |family| {
        let chosen = family.commands.iter().filter(|command| choice.has(family.name, command));
        chosen.map(move |command| (name(family.name, command), command))
    })
}

/// Returns whether a request has a parameter of this name, which is then not an argument of the tool itself.
pub(super) fn has(command: &Command, name: &str) -> bool {
    (command.parameters)().iter().any(|parameter| parameter.name == name)
}

/// Returns the tool of an operation.
pub(super) fn of(name: String, command: &Command, may_trade: bool) -> Tool {
    let meta = command.meta;
    let is_read = meta.effect == Effect::Read;
    let parameters = (command.parameters)();
    let mut properties: JsonObject = parameters.iter().map(|one| property(one, meta.window)).collect();
    if command.is_listing && !has(command, FIRST) {
        properties.insert(FIRST.to_owned(), first());
    }
    if !is_read && may_trade && !has(command, DRY_RUN) {
        let doc = "Checks the request and shows it, and sends nothing.";
        properties.insert(DRY_RUN.to_owned(), json!({ "type": "boolean", "description": doc }));
    }
    let is_repeatable = meta.repeat.is_some() && meta.repeat_key.is_none();
    Tool::new(name, description(command, may_trade), schema(properties, &parameters))
        .with_title(meta.title)
        .with_raw_output_schema(output())
        .with_annotations(annotations(is_read || !may_trade, is_read || is_repeatable))
}

/// Returns what an operation does, its facts, and as many of its rules as there is room for.
fn description(command: &Command, may_trade: bool) -> String {
    let meta = command.meta;
    let mut text = meta.doc.to_owned();
    if meta.effect != Effect::Read && !may_trade {
        text += "\nThis tool only checks the request and shows it; nothing is sent.";
    }
    text = format!("{text}\n\n{}", help::facts(command));
    if !meta.rules.is_empty() {
        text += help::RULES;
    }
    for (at, rule) in meta.rules.iter().map(help::rule).enumerate() {
        let others = format!("\n  and {} more", meta.rules.len() - at);
        if text.len() + rule.len() + others.len() > LONGEST_TEXT {
            text += &others;
            break;
        }
        text += &rule;
    }
    shortened(text, LONGEST_TEXT)
}

/// Returns a text of at most so many bytes.
pub(super) fn shortened(mut text: String, most: usize) -> String {
    const ELLIPSIS: &str = "...";
    if text.len() > most {
        let end = (0..=most - ELLIPSIS.len()).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        text.truncate(end);
        text += ELLIPSIS;
    }
    text
}

/// Returns a message with the name of the argument before places in it, `[0].qty`.
pub(super) fn with_body_named(message: &str) -> String {
    let named = |line: &str| if line.starts_with('[') { format!("{BODY}{line}") } else { line.to_owned() };
    message.split('\n').map(named).collect::<Vec<_>>().join("\n")
}

/// Names the argument in each message and place of a failure.
pub(super) fn name_body(failure: &mut Value) {
    match failure {
        Value::String(text) => *text = with_body_named(text),
        Value::Array(items) => items.iter_mut().for_each(name_body),
        Value::Object(members) => {
            members.iter_mut().filter(|(name, _)| *name != "request").for_each(|(_, value)| name_body(value));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns what assistants are told of a tool: a change may cost money, so each is destructive.
fn annotations(is_read: bool, is_idempotent: bool) -> ToolAnnotations {
    ToolAnnotations::from_raw(None, Some(is_read), Some(!is_read), Some(is_idempotent), Some(true))
}

fn first() -> Value {
    let description = format!("The maximum number of results; {USUALLY_FIRST} by default.");
    json!({ "type": ["integer", "string"], "minimum": 1, "description": description })
}

/// Returns the schema of results, which all tools share.
fn output() -> Arc<JsonObject> {
    let endings = Ending::ALL.iter().filter(|ending| **ending != Ending::Unwritten);
    let outcomes: Vec<_> = endings.map(|ending| ending.as_str()).chain([DRY_RUN_OUTCOME]).collect();
    let properties = json!({
        "outcome": { "type": "string", "enum": outcomes },
        "results": { "type": "array" },
        "more": { "type": "boolean", "description": "Whether there are more results." },
        "notes": { "type": "array", "items": { "type": "string" } },
        "budget": { "type": "string", "description": "What is left of the budget." },
        "failure": { "type": "object", "description": "Why it is not done, and what to do." },
    });
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties);
    schema.insert("required".to_owned(), json!(["outcome", "results"]));
    Arc::new(schema)
}

/// Returns the schema of an object. Nothing else is allowed in it, so that a misspelt name is noticed.
fn schema(properties: JsonObject, parameters: &[Parameter]) -> Arc<JsonObject> {
    Arc::new(object(properties, parameters))
}

fn object(properties: JsonObject, parameters: &[Parameter]) -> JsonObject {
    let required = parameters.iter().filter(|parameter| parameter.required == Required::Always).map(name_of);
    let required: Vec<Value> = required.map(Value::from).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), required.into());
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

fn name_of(parameter: &Parameter) -> String {
    if parameter.name.is_empty() { BODY.to_owned() } else { parameter.name.to_owned() }
}

fn property(parameter: &Parameter, window: Option<Window>) -> (String, Value) {
    let mut schema = values(&parameter.kind);
    schema.insert("description".to_owned(), help::parameter(parameter, window).into());
    (name_of(parameter), schema.into())
}

fn values(kind: &Kind) -> JsonObject {
    let of = |value: Value| match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    };
    let members =
        |parameters: &[Parameter]| object(parameters.iter().map(|one| property(one, None)).collect(), parameters);
    match kind {
        // Numbers are strings, so that no digit is lost on the way; whole numbers are exact anyway.
        Kind::Text(_) => of(json!({ "type": ["string", "integer"] })),
        Kind::Truth => of(json!({ "type": "boolean" })),
        Kind::Words(words) => {
            let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            of(json!({ "type": "string", "enum": words }))
        }
        Kind::List(kind) => of(json!({ "type": "array", "items": values(kind) })),
        Kind::Object(parameters) => members(parameters),
        Kind::Objects(parameters) => of(json!({ "type": "array", "items": members(parameters) })),
        Kind::Json => JsonObject::new(),
    }
}
