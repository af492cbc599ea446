//! The table of a program. Emitted.

use std::fmt;

use tradeapi_runtime::confirm::Recovery;
use tradeapi_runtime::flatten::Flat;
use tradeapi_runtime::reconcile::Listing;
use tradeapi_runtime::tables::Api;

use crate::command::Command;

/// The table of a program.
pub struct Program {
    /// The name of the API and of the program. Its letters in capitals begin the names of variables of the environment.
    pub name: &'static str,
    /// The version of the crate with the table.
    pub version: &'static str,
    /// What the API is.
    pub about: &'static str,
    /// The properties that all operations share.
    pub api: &'static Api,
    /// The families of operations.
    pub families: &'static [Family],
    /// The operations whose changes a journal can recover.
    pub recoveries: &'static [Recovery],
    /// The listings of orders and fills.
    pub listings: &'static [Listing],
    /// How the account becomes flat.
    pub flats: &'static [Flat],
}

/// A family of operations.
#[derive(Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Its operations.
    pub commands: &'static [Command],
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("name", &self.name).field("families", &self.families).finish_non_exhaustive()
    }
}

impl Program {
    /// The commands of all families.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &'static Command> {
        self.families.iter().flat_map(|family| family.commands)
    }

    /// The beginning of the names of its variables: `TRADEAPI`.
    pub(crate) fn prefix(&self) -> String {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        self.name.chars().map(letter).collect()
    }
}
