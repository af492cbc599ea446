//! The last prices that the budget of a command needs: the client of a command has made no call that showed them.

use std::sync::Arc;

use tradeapi_runtime::budget::BudgetObstacle;
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::json::JsonWriter;
use tradeapi_runtime::tables::Meta;
use tradeapi_runtime::{ClientCore, Error};

use crate::calls::Called;
use crate::command::Command;
use crate::output::Report;
use crate::parameter::Required;
use crate::signals::told_to_end;
use crate::table::Program;

/// The most business lines whose prices are read for one request.
const MOST_LINES: usize = 4;

/// Reads the prices without which the budget of a client refuses a request. One that cannot be read is missing, and the
/// request is refused.
pub(crate) async fn read(
    program: &'static Program,
    client: &ClientCore,
    (meta, json): (&'static Meta, &str),
    policy: &ConfirmPolicy,
) {
    for _ in 0..MOST_LINES {
        let Err(Error::OverBudget(over)) = client.worth_of(meta, json) else { return };
        let line = over.obstacles.iter().find_map(|obstacle| match obstacle {
            BudgetObstacle::NoPrice { line, .. } => Some(line),
            _ => None,
        });
        let (Some(line), Some((command, parameter))) = (line, reader(program, meta.family)) else { return };
        let mut request = JsonWriter::new();
        request.begin_object();
        request.member(parameter).string(line);
        request.end_object();
        let called = Called {
            client,
            json: &request.finish(),
            policy,
            to: &mut Silent,
            stop: Arc::new(|| Box::pin(told_to_end())),
            goes_on: false,
        };
        command.call(called).await;
    }
}

/// Returns the operation that lists the prices of the instruments of a family by their business line alone, and the
/// parameter with the line.
fn reader(program: &'static Program, family: &str) -> Option<(&'static Command, &'static str)> {
    let commands = program.families.iter().flat_map(|family| family.commands);
    let line = |command: &'static Command| {
        let prices = command.meta.prices.as_ref().filter(|prices| prices.family == family)?;
        let parameters = (command.parameters)();
        let mut needed = parameters.iter().filter(|parameter| parameter.required != Required::No);
        needed.all(|parameter| parameter.name == prices.line).then_some((command, prices.line))
    };
    commands.filter_map(line).next()
}

/// Drops the prices, which the client has learned.
struct Silent;

impl Report for Silent {
    fn item(&mut self, _: &str, _: Option<&str>) -> bool {
        true
    }

    fn note(&mut self, _: &str) {}
}
