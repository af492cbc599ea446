//! The commands of a program as tools of the Model Context Protocol, over standard input and output.
//!
//! Reads are called, and changes are checked and shown only; they are sent if the server is started with
//! `--allow-trading`. Each tool says so by its annotations.

mod exact;
mod tool;

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::ArgMatches;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::tables::Effect;
use tradeapi_runtime::wire::BaseUrl;
use tradeapi_runtime::{Account, ClientCore, Timestamp};

use self::tool::{BODY, DAYS, DRY_RUN, Everyday, FIRST, USUALLY_FIRST};
use crate::calls::Called;
use crate::command::Command;
use crate::dry_run::{DryRunOf, Header};
use crate::ending::{Ended, Ending};
use crate::options::{ALLOW_TRADING, MCP_DEADLINE, MOST_DAYS};
use crate::output::Report;
use crate::profile::Profile;
use crate::settings::{self, Purpose};
use crate::table::Program;
use crate::{everyday, request};

/// How long the call of a change may take before its outcome is queried.
const CALL: Duration = Duration::from_secs(15);

/// What to do about a change that the server may not send.
const NOT_ALLOWED: &str = "Nothing was sent, because this server may not trade. Whoever starts it allows changes with \
                           `mcp --allow-trading`.";

/// Serves the tools until the input ends.
pub(crate) async fn serve(program: &'static Program, options: &ArgMatches) -> Ended {
    let account = match settings::account(program, options) {
        Ok(account) => account,
        Err(why) => return Ended::refused(why),
    };
    let profile = Profile::of(program, options);
    let known = profile.and_then(|profile| {
        let address = settings::address(program, &profile, options)?;
        Ok((address, settings::headers(program, &profile, options)?))
    });
    let (address, headers) = match known {
        Ok(known) => known,
        Err(why) => return Ended::refused(why),
    };
    let server = Server {
        program,
        account,
        client: settings::client(program, options, Purpose::Changes),
        public: settings::client(program, options, Purpose::Public),
        policy: settings::policy(options, MCP_DEADLINE),
        flattening: settings::policy(options, ConfirmPolicy::DEADLINE),
        longest: settings::deadline(options).unwrap_or(MCP_DEADLINE) + CALL,
        address,
        headers,
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
    /// That of `flatten`, whose proof takes longer than a call may otherwise.
    flattening: ConfirmPolicy,
    /// How long a change may take.
    longest: Duration,
    /// The address and the headers that dry runs show.
    address: Option<BaseUrl>,
    headers: Vec<Header>,
    may_trade: bool,
}

/// Keeps results: those of a listing up to a number, those of a change all.
struct Collector {
    first: Option<usize>,
    is_dry_run: bool,
    results: Vec<Value>,
    are_more: bool,
    notes: Vec<String>,
    progress: Option<Progress>,
}

/// Tells the client of a call what happens while it runs, if the client asks for its progress.
struct Progress {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    steps: u32,
}

impl Progress {
    fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let token = context.meta.get_progress_token()?;
        Some(Self { peer: context.peer.clone(), token, steps: 0 })
    }

    fn tell(&mut self, text: &str) {
        self.steps += 1;
        let step = ProgressNotificationParam::new(self.token.clone(), self.steps.into()).with_message(text);
        let peer = self.peer.clone();
        tokio::spawn(async move { peer.notify_progress(step).await });
    }
}

impl Collector {
    fn new(first: Option<usize>) -> Self {
        Self { first, is_dry_run: false, results: Vec::new(), are_more: false, notes: Vec::new(), progress: None }
    }

    /// The same, which tells the client of a call of its progress.
    fn telling(self, context: &RequestContext<RoleServer>) -> Self {
        Self { progress: Progress::of(context), ..self }
    }

    /// The result of a tool.
    fn finish(mut self, ended: &Ended) -> CallToolResult {
        // What was only shown is not done, so that nobody takes it for a change.
        let outcome = match ended.ending {
            Ending::Done if self.is_dry_run => tool::DRY_RUN_OUTCOME,
            ending => ending.as_str(),
        };
        let mut value = json!({ "outcome": outcome, "results": self.results });
        if let Some(first) = self.first.filter(|_| self.are_more) {
            value["more"] = true.into();
            self.notes.push(format!("There are more than {first} results: raise `{FIRST}`, or ask for less."));
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
            Ending::NotDone | Ending::Refused | Ending::Unknown | Ending::Partly | Ending::Unwritten => {
                CallToolResult::structured_error(value)
            }
        }
    }
}

impl Report for Collector {
    fn item(&mut self, json: &str, _id: Option<&str>) -> bool {
        self.are_more = self.first.is_some_and(|first| self.results.len() >= first);
        if !self.are_more {
            self.results.push(exact::value(json));
        }
        !self.are_more
    }

    fn step(&mut self, text: &str) {
        self.progress.iter_mut().for_each(|progress| progress.tell(text));
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
                "{} {trading} An outcome is done, not done (there was no effect), refused (nothing was sent), partly done \
                 (some items were done and the others were not; each result has its own outcome) or unknown; a change \
                 with an unknown outcome must not be repeated before its outcome is known: look for the ids of \
                 `failure.request`. A change may take {} seconds, and goes on if the call of its tool is cancelled: send \
                 a client id of your own where there is one, to find what it did. Numbers are strings, so that they are \
                 exact.",
                self.program.about,
                self.longest.as_secs()
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
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let called = if let Some(everyday) = self.everyday().find(|one| one.name() == request.name) {
            self.call_everyday(everyday, arguments, &context).await
        } else if let Some((_, command)) = tool::commands(self.program).find(|(name, _)| *name == request.name) {
            self.call_command(command, arguments, &context).await
        } else {
            return Err(ErrorData::invalid_params(format!("there is no tool {:?}", request.name), None));
        };
        // An assistant reads the result of a tool, and corrects the arguments; an error of the protocol ends there.
        Ok(called.unwrap_or_else(|why| Collector::new(None).finish(&Ended::refused(why))).into())
    }
}

impl Server {
    fn tools(&self) -> Vec<Tool> {
        let commands = tool::commands(self.program).map(|(name, command)| tool::of(name, command, self.may_trade));
        let everyday = self.everyday().filter(|one| self.may_trade || one.is_read());
        commands.chain(everyday.map(Everyday::tool)).collect()
    }

    /// The tools that consist of several operations.
    fn everyday(&self) -> impl Iterator<Item = Everyday> {
        Everyday::ALL.into_iter().filter(|one| one.is_supported_by(self.program))
    }

    async fn call_command(
        &self,
        command: &'static Command,
        mut arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, String> {
        let is_read = command.meta.effect == Effect::Read;
        let first = match command.is_listing {
            false => None,
            true if tool::has(command, FIRST) => Some(USUALLY_FIRST),
            true => Some(self::first(&mut arguments)?),
        };
        let is_asked = !tool::has(command, DRY_RUN) && truth(&mut arguments, DRY_RUN)?;
        let only_shown = is_asked || (!is_read && !self.may_trade);
        let given = match arguments.remove(BODY) {
            Some(body) if tool::has(command, "") => {
                nothing_else(command.name, &arguments)?;
                body
            }
            Some(other) => {
                arguments.insert(BODY.to_owned(), other);
                Value::Object(arguments)
            }
            None => Value::Object(arguments),
        };
        exact::check(&given).map_err(|path| format!("{path}: write the number as a string, so that it stays exact"))?;
        let json = request::completed(command, &given.to_string())?;
        if only_shown {
            return Ok(self.shown(command, &json, is_asked));
        }
        let client = match Purpose::of(command.meta) {
            Purpose::Public => &self.public,
            Purpose::Reads | Purpose::Changes | Purpose::Recovers => &self.client,
        };
        let mut to = Collector::new(first).telling(context);
        request::oddities(command, &json).iter().for_each(|oddity| to.note(oddity));
        let ended = match client {
            Ok(client) => command.call(Called { client, json: &json, policy: &self.policy, to: &mut to }).await,
            Err(why) => Ended::refused(why.clone()),
        };
        Ok(to.finish(&ended))
    }

    /// The request as it would be sent, and its checks.
    fn shown(&self, command: &Command, json: &str, is_asked: bool) -> CallToolResult {
        let now = Timestamp::from(std::time::SystemTime::now());
        let mut to = Collector::new(None);
        to.is_dry_run = true;
        request::oddities(command, json).iter().for_each(|oddity| to.note(oddity));
        to.note(if is_asked { "Nothing was sent, because dryRun is true." } else { NOT_ALLOWED });
        match (command.dry_run)(DryRunOf {
            api: self.program.api,
            json,
            account: &self.account,
            address: self.address.as_ref(),
            headers: &self.headers,
            now,
        }) {
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

    async fn call_everyday(
        &self,
        everyday: Everyday,
        mut arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, String> {
        if !self.may_trade && !everyday.is_read() {
            return Err(NOT_ALLOWED.to_owned());
        }
        let first = everyday.is_read().then(|| self::first(&mut arguments)).transpose()?;
        let days = match everyday {
            Everyday::Positions => number(&mut arguments, DAYS, 1..=MOST_DAYS)?,
            Everyday::Orders | Everyday::Flatten => None,
        };
        nothing_else(everyday.name(), &arguments)?;
        let mut to = Collector::new(first).telling(context);
        let ended = match (&self.client, everyday) {
            (Err(why), _) => Ended::refused(why.clone()),
            (Ok(client), Everyday::Orders) => everyday::orders(self.program, client, &self.policy, &mut to).await,
            (Ok(client), Everyday::Positions) => {
                everyday::positions(self.program, client, &self.policy, days, &mut to).await
            }
            (Ok(client), Everyday::Flatten) => everyday::flatten(self.program, client, &self.flattening, &mut to).await,
        };
        Ok(to.finish(&ended))
    }
}

/// Refuses arguments that nothing has taken.
fn nothing_else(tool: &str, arguments: &JsonObject) -> Result<(), String> {
    arguments.keys().next().map_or(Ok(()), |unknown| Err(format!("{tool} has no argument {unknown:?}")))
}

/// Takes the greatest number of results out of the arguments.
fn first(arguments: &mut JsonObject) -> Result<usize, String> {
    let first = number(arguments, FIRST, 1..=u32::MAX)?;
    Ok(first.and_then(|first| usize::try_from(first).ok()).unwrap_or(USUALLY_FIRST))
}

/// Takes a count out of the arguments.
fn number(arguments: &mut JsonObject, name: &str, range: RangeInclusive<u32>) -> Result<Option<u32>, String> {
    let wrong = || format!("{name} has to be a whole number from {} to {}", range.start(), range.end());
    let count = |value: Value| value.as_u64().and_then(|count| u32::try_from(count).ok());
    let Some(value) = arguments.remove(name) else { return Ok(None) };
    count(value).filter(|count| range.contains(count)).map(Some).ok_or_else(wrong)
}

/// Takes a flag out of the arguments.
fn truth(arguments: &mut JsonObject, name: &str) -> Result<bool, String> {
    let wrong = || format!("{name} has to be true or false");
    arguments.remove(name).map_or(Ok(false), |value| value.as_bool().ok_or_else(wrong))
}
