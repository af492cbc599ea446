//! The commands of a program as tools of the Model Context Protocol, over standard input and output.
//!
//! Reads are called, and changes are checked and shown only; they are sent if the server is started with
//! `--allow-trading`. Each tool says so by its annotations.

mod exact;
mod tool;

use clap::ArgMatches;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::tables::{Access, Effect};
use tradeapi_runtime::{Account, ClientCore, Timestamp};

use self::tool::{BODY, DAYS, DRY_RUN, Everyday, FIRST};
use crate::calls::Called;
use crate::command::Command;
use crate::dry_run::DryRunOf;
use crate::ending::{Ended, Ending};
use crate::options::{ALLOW_TRADING, USUAL_DAYS};
use crate::output::Report;
use crate::table::Program;
use crate::{everyday, request, settings};

/// How many results a tool returns at most, unless it is asked for another number.
const USUALLY_FIRST: usize = 100;

/// Serves the tools until the input ends.
pub(crate) async fn serve(program: &'static Program, options: &ArgMatches) -> Ended {
    let account = match settings::account(program, options) {
        Ok(account) => account,
        Err(why) => return Ended::refused(why),
    };
    let server = Server {
        program,
        account,
        client: settings::client(program, options, None),
        public: public_client(program, options),
        policy: settings::policy(options),
        may_trade: options.get_flag(ALLOW_TRADING),
    };
    let running = match server.serve(rmcp::transport::stdio()).await {
        Ok(running) => running,
        Err(error) => return Ended::failed(Ending::NotDone, error.to_string()),
    };
    match running.waiting().await {
        Ok(_) => Ended::DONE,
        Err(error) => Ended::failed(Ending::NotDone, error.to_string()),
    }
}

struct Server {
    program: &'static Program,
    account: Account,
    /// The client, or why there is none; dry runs need none.
    client: Result<ClientCore, String>,
    /// A client of the public operations, which need no keys.
    public: Result<ClientCore, String>,
    policy: ConfirmPolicy,
    may_trade: bool,
}

/// The client for public operations.
fn public_client(program: &'static Program, options: &ArgMatches) -> Result<ClientCore, String> {
    let public = program.commands().find(|command| command.meta.access == Access::Public);
    match public {
        Some(command) => settings::client(program, options, Some(command.meta)),
        None => Err("no operation is public".to_owned()),
    }
}

/// Keeps results up to a number.
struct Collector {
    first: usize,
    results: Vec<Value>,
    are_more: bool,
    notes: Vec<String>,
}

impl Collector {
    fn new(first: usize) -> Self {
        Self { first, results: Vec::new(), are_more: false, notes: Vec::new() }
    }

    /// The result of a tool.
    fn finish(self, ended: &Ended) -> CallToolResult {
        let mut value = json!({ "outcome": ended.ending.as_str(), "results": self.results });
        if self.are_more {
            value["more"] = true.into();
        }
        if !self.notes.is_empty() {
            value["notes"] = self.notes.into();
        }
        if let Some(failure) = &ended.failure {
            let mut out = tradeapi_runtime::json::JsonWriter::new();
            out.begin_object();
            failure.write(&mut out);
            out.end_object();
            value["failure"] = exact::value(&out.finish());
        }
        match ended.ending {
            Ending::Done => CallToolResult::structured(value),
            Ending::NotDone | Ending::Refused | Ending::Unknown => CallToolResult::structured_error(value),
        }
    }
}

impl Report for Collector {
    fn item(&mut self, json: &str, _id: Option<&str>) -> bool {
        self.are_more = self.results.len() >= self.first;
        if !self.are_more {
            self.results.push(exact::value(json));
        }
        !self.are_more
    }

    fn note(&mut self, text: &str) {
        self.notes.push(text.to_owned());
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let trading = match self.may_trade {
            true => "Changes are sent, unless dryRun is true.",
            false => "Changes are checked and shown, and never sent.",
        };
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(self.program.name, self.program.version))
            .with_instructions(format!(
                "{} {trading} An outcome is done, not done, refused (nothing was sent) or unknown; a change with an unknown \
                 outcome must not be repeated before its outcome is known. Numbers are strings, so that they are exact.",
                self.program.about
            ))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        if let Some(everyday) = self.everyday().find(|one| one.name() == request.name) {
            return Ok(self.call_everyday(everyday, arguments).await?.into());
        }
        let (_, command) = tool::commands(self.program)
            .find(|(name, _)| *name == request.name)
            .ok_or_else(|| ErrorData::invalid_params(format!("there is no tool {:?}", request.name), None))?;
        Ok(self.call_command(command, arguments).await?.into())
    }
}

impl Server {
    fn tools(&self) -> Vec<Tool> {
        let commands = tool::commands(self.program).map(|(name, command)| tool::of(name, command, self.may_trade));
        commands.chain(self.everyday().map(Everyday::tool)).collect()
    }

    /// The tools that consist of several operations.
    fn everyday(&self) -> impl Iterator<Item = Everyday> {
        let (program, may_trade) = (self.program, self.may_trade);
        Everyday::ALL.into_iter().filter(move |one| one.is_supported_by(program) && (may_trade || one.is_read()))
    }

    async fn call_command(
        &self,
        command: &'static Command,
        mut arguments: JsonObject,
    ) -> Result<CallToolResult, ErrorData> {
        let is_read = command.meta.effect == Effect::Read;
        let first = if tool::has(command, FIRST) { None } else { number(&mut arguments, FIRST)? };
        let first = first.unwrap_or(USUALLY_FIRST);
        let is_asked = !tool::has(command, DRY_RUN) && truth(&mut arguments, DRY_RUN)?;
        let only_shown = is_asked || (!is_read && !self.may_trade);
        let given = match arguments.remove(BODY) {
            Some(body) if tool::has(command, "") => body,
            Some(other) => {
                arguments.insert(BODY.to_owned(), other);
                Value::Object(arguments)
            }
            None => Value::Object(arguments),
        };
        exact::check(&given).map_err(|path| {
            ErrorData::invalid_params(format!("{path}: write the number as a string, so that it stays exact"), None)
        })?;
        let json = match request::completed(command, &given.to_string()) {
            Ok(json) => json,
            Err(why) => return Ok(Collector::new(first).finish(&Ended::refused(why))),
        };
        if only_shown {
            return Ok(self.shown(command, &json));
        }
        let client = match command.meta.access {
            Access::Public => &self.public,
            Access::Signed => &self.client,
        };
        let mut to = Collector::new(first);
        let ended = match client {
            Ok(client) => (command.call)(Called { client, json: &json, policy: &self.policy, to: &mut to }).await,
            Err(why) => Ended::refused(why.clone()),
        };
        Ok(to.finish(&ended))
    }

    /// The request as it would be sent, and its checks.
    fn shown(&self, command: &Command, json: &str) -> CallToolResult {
        let now = Timestamp::from(std::time::SystemTime::now());
        let mut to = Collector::new(1);
        match (command.dry_run)(DryRunOf { api: self.program.api, json, account: &self.account, now }) {
            Ok(shown) => {
                to.item(&shown.json(), None);
                let ended = match shown.ending() {
                    Ending::Done => Ended::DONE,
                    _ => shown.violations.into(),
                };
                to.finish(&ended)
            }
            Err(violations) => to.finish(&violations.into()),
        }
    }

    async fn call_everyday(&self, everyday: Everyday, mut arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        let first = number(&mut arguments, FIRST)?.unwrap_or(USUALLY_FIRST);
        let days = number(&mut arguments, DAYS)?.and_then(|days| u32::try_from(days).ok()).unwrap_or(USUAL_DAYS);
        let mut to = Collector::new(first);
        let ended = match (&self.client, everyday) {
            (Err(why), _) => Ended::refused(why.clone()),
            (Ok(client), Everyday::Orders) => everyday::orders(self.program, client, &self.policy, &mut to).await,
            (Ok(client), Everyday::Positions) => everyday::positions(self.program, client, days, &mut to).await,
            (Ok(client), Everyday::Flatten) => everyday::flatten(self.program, client, &self.policy, &mut to).await,
        };
        Ok(to.finish(&ended))
    }
}

/// Takes a count out of the arguments.
fn number(arguments: &mut JsonObject, name: &str) -> Result<Option<usize>, ErrorData> {
    let wrong = || ErrorData::invalid_params(format!("{name} has to be a whole number"), None);
    let count = |value: Value| value.as_u64().and_then(|count| usize::try_from(count).ok()).ok_or_else(wrong);
    arguments.remove(name).map(count).transpose()
}

/// Takes a flag out of the arguments.
fn truth(arguments: &mut JsonObject, name: &str) -> Result<bool, ErrorData> {
    let wrong = || ErrorData::invalid_params(format!("{name} has to be true or false"), None);
    arguments.remove(name).map_or(Ok(false), |value| value.as_bool().ok_or_else(wrong))
}
