//! The table of a program. Emitted.

use std::fmt;

use tradeapi_runtime::confirm::Recovery;
use tradeapi_runtime::flatten::Flat;
use tradeapi_runtime::json::JsonWriter;
use tradeapi_runtime::reconcile::Listing;
use tradeapi_runtime::tables::Api;

use crate::command::Command;

/// The table of a program.
pub struct Program {
    /// The name of the API and of the program. Its letters in capitals begin the names of variables of the environment.
    pub name: &'static str,
    /// The version of the crate with the table.
    pub version: &'static str,
    /// The API in a few words.
    pub about: &'static str,
    /// The properties that all operations share.
    pub api: &'static Api,
    /// The families of operations.
    pub families: &'static [Family],
    /// The operations whose changes a journal can recover.
    pub recoveries: &'static [Recovery],
    /// The listings of orders and fills.
    pub listings: &'static [Listing],
    /// The way the account becomes flat.
    pub flats: &'static [Flat],
    /// The listings of open positions.
    pub positions: &'static [PositionListing],
}

/// A read that lists the open positions of an account.
#[derive(Clone, Copy, Debug)]
pub struct PositionListing {
    /// The id of its operation.
    pub operation: &'static str,
    /// The family whose accounts it is about.
    pub account: &'static str,
    /// The field of its answer with the positions; none if the answer is the list.
    pub list: Option<&'static str>,
    /// The parameter with the business line, and the values for which it is read.
    pub over: Option<(&'static str, &'static [&'static str])>,
}

/// A family of operations.
#[derive(Debug)]
pub struct Family {
    /// The name.
    pub name: &'static str,
    /// The title.
    pub title: &'static str,
    /// The operations.
    pub commands: &'static [Command],
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("name", &self.name).field("families", &self.families).finish_non_exhaustive()
    }
}

impl PositionListing {
    /// Returns the parameters of each request that it takes, as JSON, each with the name and the value of its business
    /// line.
    pub(crate) fn requests(&self) -> Vec<(String, Option<(&'static str, &'static str)>)> {
        let Some((name, values)) = self.over else { return vec![("{}".to_owned(), None)] };
        let request = |value: &&'static str| {
            let mut out = JsonWriter::new();
            out.begin_object();
            out.member(name).string(value);
            out.end_object();
            (out.finish(), Some((name, *value)))
        };
        values.iter().map(request).collect()
    }
}

impl Program {
    /// Returns the commands of all families.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &'static Command> {
        self.families.iter().flat_map(|family| family.commands)
    }

    /// Returns the command of an operation, by its id.
    pub(crate) fn command(&self, operation: &str) -> Option<&'static Command> {
        self.commands().find(|command| command.meta.id == operation)
    }

    /// Returns the beginning of the names of its variables: `TRADEAPI`.
    pub(crate) fn prefix(&self) -> String {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        self.name.chars().map(letter).collect()
    }
}
