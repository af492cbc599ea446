//! The commands of a program as tools of the Model Context Protocol, over standard input and output.
//!
//! Reads are called, and changes are checked and shown only; they are sent if the server is started with
//! `--allow-trading` and with a budget. Each tool says so by its annotations.

mod agreement;
mod exact;
mod input;
mod sent;
mod stdio;
mod tool;

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use clap::ArgMatches;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult, ErrorCode, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::tables::Effect;
use tradeapi_runtime::wire::BaseUrl;
use tradeapi_runtime::{Account, ClientCore, Timestamp};

use self::input::TWICE;
use self::sent::{Sent, UnderWay};
use self::stdio::Stdio;
use self::tool::{BODY, Choice, DAYS, DRY_RUN, Everyday, FIRST, LONGEST_TEXT, USUALLY_FIRST};
use crate::calls::{Called, StopOf};
use crate::command::Command;
use crate::dry_run::{DryRunOf, Header};
use crate::ending::{Ended, Ending};
use crate::options::{ALLOW_TRADING, BUDGET, MCP_DEADLINE, MOST_DAYS};
use crate::output::Report;
use crate::profile::Profile;
use crate::settings::{self, Purpose};
use crate::table::Program;
use crate::{everyday, request};

/// The longest time of the call of a change before its outcome is queried.
const CALL: Duration = Duration::from_secs(15);

/// Advice about a change that the server may not send.
const NOT_ALLOWED: &str = "Nothing was sent, because this server may not trade. Whoever starts it allows changes with \
                           `--budget FILE mcp --allow-trading`.";

/// Refuses to start a server that may trade without a bound.
const WITHOUT_BUDGET: &str = "`mcp --allow-trading` needs a budget: add `--budget FILE`, a JSON file such as \
                              {\"coins\": [\"USDT\"], \"order\": \"100\", \"day\": \"1000\"}";

/// Serves the tools until the input ends.
pub(crate) async fn serve(program: &'static Program, options: &ArgMatches) -> Ended {
    if options.get_flag(ALLOW_TRADING) && options.get_one::<String>(BUDGET).is_none() {
        return Ended::refused(WITHOUT_BUDGET.to_owned());
    }
    let (account, budget) =
        match settings::account(program, options).and_then(|account| Ok((account, settings::budget(options)?))) {
            Ok(stated) => stated,
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
    let sent = Sent::new();
    let server = Server {
        program,
        choice: Choice::of(options),
        sent: Arc::clone(&sent),
        account,
        client: settings::client_with(program, options, Purpose::Changes, budget.clone()),
        // The budget learns the last prices from what is public.
        public: settings::client_with(program, options, Purpose::Public, budget),
        policy: settings::policy(options, MCP_DEADLINE),
        flattening: settings::policy(options, ConfirmPolicy::DEADLINE),
        longest: settings::deadline(options).unwrap_or(MCP_DEADLINE) + CALL,
        address,
        headers,
        may_trade: options.get_flag(ALLOW_TRADING),
    };
    let running = match server.serve(Stdio::new(Arc::clone(&sent)).await).await {
        Ok(running) => running,
        Err(error) => return Ended::failed(Ending::NotDone, error.to_string()),
    };
    let ended = running.waiting().await;
    match (sent.under_way(), ended) {
        (under_way, _) if !under_way.is_empty() => Ended::failed(
            Ending::Unknown,
            format!("ended with changes under way, whose outcomes are not known:\n{}", under_way.join("\n")),
        ),
        (_, Ok(_)) => Ended::DONE,
        (_, Err(error)) => Ended::failed(Ending::NotDone, error.to_string()),
    }
}

struct Server {
    program: &'static Program,
    /// The tools that it has.
    choice: Choice,
    /// The changes that it sent.
    sent: Arc<Sent>,
    account: Account,
    /// The client, or why there is none; dry runs need none.
    client: Result<ClientCore, String>,
    /// A client of the public operations, which need no keys.
    public: Result<ClientCore, String>,
    policy: ConfirmPolicy,
    /// The policy of `flatten`, whose proof takes longer than a call may otherwise.
    flattening: ConfirmPolicy,
    /// The longest time of a change.
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
    /// True if the request is an array, which has no name but that of the argument.
    names_body: bool,
    results: Vec<Value>,
    are_more: bool,
    notes: Vec<String>,
    /// The part of the budget that is left.
    budget: Option<String>,
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
        Self {
            first,
            is_dry_run: false,
            names_body: false,
            results: Vec::new(),
            are_more: false,
            notes: Vec::new(),
            budget: None,
            progress: None,
        }
    }

    /// Returns the same, which tells the client of a call of its progress.
    fn telling(self, context: &RequestContext<RoleServer>) -> Self {
        Self { progress: Progress::of(context), ..self }
    }

    /// Returns the result of a tool of a server that may trade, which says what is left of the budget.
    fn finish_with_budget(mut self, ended: &Ended, client: &ClientCore) -> CallToolResult {
        self.budget = match client.budget_left() {
            Ok(left) => left.map(|left| left.to_string()),
            Err(error) => Some(format!("it is not known what is left of the budget: {error}")),
        };
        self.finish(ended)
    }

    /// Returns the result of a tool.
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
        if let Some(budget) = self.budget {
            value["budget"] = budget.into();
        }
        if let Some(failure) = &ended.failure {
            let mut out = tradeapi_runtime::json::JsonWriter::new();
            out.begin_object();
            failure.write(&mut out);
            out.end_object();
            value["failure"] = exact::value(&out.finish());
            if self.names_body {
                tool::name_body(&mut value["failure"]);
            }
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
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(self.program.name, self.program.version))
            .with_instructions(self.instructions())
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
        if let Some(Value::String(name)) = arguments.get(TWICE) {
            let refused = Ended::refused(format!("{name} is there twice; leave out all but one"));
            return Ok(Collector::new(None).finish(&refused).into());
        }
        let called = if let Some(everyday) = self.everyday().find(|one| one.name() == request.name) {
            self.call_everyday(everyday, arguments, &context).await
        } else if let Some((name, command)) = self.commands().find(|(name, _)| *name == request.name) {
            self.call_command(&name, command, arguments, &context).await
        } else {
            return Err(ErrorData::invalid_params(format!("there is no tool {:?}", request.name), None));
        };
        // An assistant reads the result of a tool, and corrects the arguments; an error of the protocol ends there.
        Ok(called.unwrap_or_else(|why| Collector::new(None).finish(&Ended::refused(why))).into())
    }

    /// Refuses what is not a request of the protocol: an unknown method, or one whose parameters are malformed.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let expected = match request.method.as_str() {
            "tools/call" => r#"{"name": a text, "arguments": an object}"#,
            "tools/list" => r#"nothing, or {"cursor": a text}"#,
            "ping" => "nothing",
            method => return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None)),
        };
        let message = format!("malformed parameters: {} takes {expected}", request.method);
        Err(ErrorData::invalid_params(message, None))
    }
}

impl Server {
    fn instructions(&self) -> String {
        let trading = match self.may_trade {
            true => "Changes are sent within a budget, unless dryRun is true; `budget` of a result says what is left.",
            false => "Changes are checked and shown, and never sent.",
        };
        let text = format!(
            "{trading} An outcome is done, not done (there was no effect), refused (nothing was sent), partly done (some \
             items were done and the others were not; each result has its own outcome) or unknown; a change with an \
             unknown outcome must not be repeated before its outcome is known: look for the ids of `failure.request`. A \
             change may take {} seconds. If the call of its tool is cancelled after it was sent, or gets no answer, it goes on; one \
             that is cancelled while it waits for a rate limit is not sent. The tool `sent` lists the changes and what \
             became of them. Results have numbers as strings, so that they are exact. Write \
             numbers as strings, too; a whole number is taken, and one with a decimal point or an exponent is refused. A \
             date at the end of a range is that whole day in UTC. {}",
            self.longest.as_secs(),
            self.program.about,
        );
        tool::shortened(text, LONGEST_TEXT)
    }

    fn tools(&self) -> Vec<Tool> {
        let commands = self.commands().map(|(name, command)| tool::of(name, command, self.may_trade));
        let everyday = self.everyday().filter(|one| self.may_trade || one.is_read());
        commands.chain(everyday.map(Everyday::tool)).collect()
    }

    /// Returns the chosen operations with the names of their tools.
    fn commands(&self) -> impl Iterator<Item = (String, &'static Command)> {
        tool::commands(self.program, &self.choice)
    }

    /// Returns the tools that consist of several operations.
    fn everyday(&self) -> impl Iterator<Item = Everyday> {
        let is_served = |one: &Everyday| match one {
            Everyday::Sent => self.may_trade,
            _ => self.choice.has_everyday() && one.is_supported_by(self.program),
        };
        Everyday::ALL.into_iter().filter(is_served)
    }

    async fn call_command(
        &self,
        name: &str,
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
        let is_array = tool::has(command, "");
        let given = match is_array {
            true => {
                let body = arguments.remove(BODY).unwrap_or_default();
                nothing_else(name, &arguments)?;
                exact::array(body).map_err(|why| format!("{BODY} {why}"))?
            }
            false => Value::Object(arguments),
        };
        let json = exact::check(&given)
            .map_err(|path| format!("{path}: write the number as a string, so that it stays exact"))
            .and_then(|()| request::completed(command, &given.to_string()))
            .map_err(|why| if is_array { tool::with_body_named(&why) } else { why })?;
        if only_shown {
            return Ok(self.shown(command, &json, is_asked));
        }
        let client = match Purpose::of(command.meta) {
            Purpose::Public => &self.public,
            Purpose::Reads | Purpose::Changes | Purpose::Recovers => &self.client,
        };
        let mut to = Collector::new(first).telling(context);
        to.names_body = is_array;
        request::oddities(command, &json).iter().for_each(|oddity| to.note(oddity));
        let client = match client {
            Ok(client) => client,
            Err(why) => return Ok(to.finish(&Ended::refused(why.clone()))),
        };
        // A cancelled call of a change is not sent, unless it was before.
        let cancelled = context.ct.clone();
        let stop: StopOf = Arc::new(move || {
            let cancelled = cancelled.clone();
            Box::pin(async move { cancelled.cancelled().await })
        });
        let policy = &self.policy;
        if !is_read && let Err(why) = agreement::with_orders(client, command.meta, &json, context).await {
            return Ok(to.finish_with_budget(&Ended::refused(why), client));
        }
        let called = command.call(Called { client, json: &json, policy, to: &mut to, stop, goes_on: true });
        if is_read {
            let ended = read(called, context).await;
            return Ok(to.finish_with_budget(&ended, client));
        }
        let under_way = self.sent.begin(name, exact::value(&json), client.now());
        let ended = change(called, &under_way, context).await;
        let result = to.finish_with_budget(&ended, client);
        self.sent.end(under_way, answer(&result), ended.ending == Ending::Refused, client.now());
        Ok(result)
    }

    /// Returns the request as it would be sent, and its checks.
    fn shown(&self, command: &Command, json: &str, is_asked: bool) -> CallToolResult {
        let now = Timestamp::from(std::time::SystemTime::now());
        let mut to = Collector::new(None);
        (to.is_dry_run, to.names_body) = (true, tool::has(command, ""));
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
            Everyday::Orders | Everyday::Flatten | Everyday::Sent => None,
        };
        nothing_else(everyday.name(), &arguments)?;
        let mut to = Collector::new(first).telling(context);
        if everyday == Everyday::Sent {
            let _ = self.sent.lines().iter().all(|line| to.item(&line.to_string(), None));
            return Ok(to.finish(&Ended::DONE));
        }
        let client = match &self.client {
            Ok(client) => client,
            Err(why) => return Ok(to.finish(&Ended::refused(why.clone()))),
        };
        let ended = match everyday {
            Everyday::Orders => read(everyday::orders(self.program, client, &self.policy, &mut to), context).await,
            Everyday::Positions => {
                read(everyday::positions(self.program, client, &self.policy, days, &mut to), context).await
            }
            Everyday::Flatten | Everyday::Sent => {
                let under_way = self.sent.begin(everyday.name(), json!({}), client.now());
                let called = everyday::flatten(self.program, client, &self.flattening, &mut to);
                let ended = change(called, &under_way, context).await;
                let result = to.finish_with_budget(&ended, client);
                self.sent.end(under_way, answer(&result), ended.ending == Ending::Refused, client.now());
                return Ok(result);
            }
        };
        Ok(to.finish_with_budget(&ended, client))
    }
}

/// Awaits a read, unless its client cancels the call.
async fn read(called: impl Future<Output = Ended>, context: &RequestContext<RoleServer>) -> Ended {
    tokio::select! {
        ended = called => ended,
        () = context.ct.cancelled() => Ended::failed(Ending::NotDone, "cancelled"),
    }
}

/// Awaits a change, which goes on if its client cancels the call after something of it was sent.
async fn change(
    called: impl Future<Output = Ended>,
    under_way: &UnderWay,
    context: &RequestContext<RoleServer>,
) -> Ended {
    let mut called = std::pin::pin!(called);
    tokio::select! {
        // First, because a change that is not sent ends at the same moment.
        biased;
        () = context.ct.cancelled() => under_way.cancel(),
        ended = &mut called => return ended,
    }
    called.await
}

/// Returns what a tool answers.
fn answer(result: &CallToolResult) -> &Value {
    result.structured_content.as_ref().unwrap_or(&Value::Null)
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
    let count = |value: Value| match value {
        // Other numbers are strings, too.
        Value::String(text) => text.parse().ok(),
        value => value.as_u64().and_then(|count| u32::try_from(count).ok()),
    };
    let Some(value) = arguments.remove(name) else { return Ok(None) };
    count(value).filter(|count| range.contains(count)).map(Some).ok_or_else(wrong)
}

/// Takes a flag out of the arguments.
fn truth(arguments: &mut JsonObject, name: &str) -> Result<bool, String> {
    let wrong = || format!("{name} has to be true or false");
    arguments.remove(name).map_or(Ok(false), |value| value.as_bool().ok_or_else(wrong))
}
