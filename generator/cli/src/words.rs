//! Commands besides the operations: for every day, and about the program itself.

use clap::{Arg, Command as Clap, value_parser};
use tradeapi_runtime::reconcile::Listing;

#[cfg(feature = "mcp")]
use crate::options::{ALLOW_TRADING, FAMILIES, GROUPS};
use crate::options::{DAYS, EVERY, MOST_DAYS, OUT, SHELL, USUAL_DAYS, first, stated};
use crate::table::Program;

/// A command that is not an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Orders,
    Watch,
    Positions,
    Flatten,
    #[cfg(feature = "journal")]
    Recover,
    #[cfg(feature = "mcp")]
    Mcp,
    Catalogue,
    Completions,
    Man,
}

impl Word {
    const ALL: &[Self] = &[
        Self::Orders,
        Self::Watch,
        Self::Positions,
        Self::Flatten,
        #[cfg(feature = "journal")]
        Self::Recover,
        #[cfg(feature = "mcp")]
        Self::Mcp,
        Self::Catalogue,
        Self::Completions,
        Self::Man,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Watch => "watch",
            Self::Positions => "positions",
            Self::Flatten => "flatten",
            #[cfg(feature = "journal")]
            Self::Recover => "recover",
            #[cfg(feature = "mcp")]
            Self::Mcp => "mcp",
            Self::Catalogue => "catalogue",
            Self::Completions => "completions",
            Self::Man => "man",
        }
    }

    /// Returns whether the command changes something, or says what became of a change.
    pub(crate) const fn changes(self) -> bool {
        match self {
            Self::Flatten => true,
            #[cfg(feature = "journal")]
            Self::Recover => true,
            #[cfg(feature = "mcp")]
            Self::Mcp => false,
            Self::Orders | Self::Watch | Self::Positions | Self::Catalogue | Self::Completions | Self::Man => false,
        }
    }

    /// Returns whether standard output is for the messages of a protocol alone.
    pub(crate) const fn owns_output(self) -> bool {
        match self {
            #[cfg(feature = "mcp")]
            Self::Mcp => true,
            #[cfg(feature = "journal")]
            Self::Recover => false,
            Self::Orders
            | Self::Watch
            | Self::Positions
            | Self::Flatten
            | Self::Catalogue
            | Self::Completions
            | Self::Man => false,
        }
    }

    /// Returns the name of the command: the word, or the word after the name of the program if a family has it.
    fn name(self, program: &Program) -> String {
        let word = self.as_str();
        let is_taken = program.families.iter().any(|family| family.name == word);
        if is_taken { format!("{}-{word}", program.name) } else { word.to_owned() }
    }

    /// Returns the word that a command stands for.
    pub(crate) fn of(program: &Program, command: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.name(program) == command)
    }
}

/// Returns the commands that the tables of a program support.
pub(crate) fn commands(program: &'static Program) -> Vec<Clap> {
    let word = |word: Word| Clap::new(word.name(program));
    let mut all = Vec::new();
    if program.listings.iter().any(Listing::shows_open_orders) {
        let every = Arg::new(EVERY)
            .long(EVERY)
            .help("How often they are read.")
            .value_name("SECONDS")
            .default_value("2")
            .value_parser(value_parser!(u64).range(1..));
        all.push(word(Word::Orders).about("Lists the open orders of all families.").arg(first()));
        all.push(
            word(Word::Watch)
                .about("Lists the open orders, and then each that is new, changed or gone.")
                .arg(every)
                .arg(first()),
        );
    }
    if program.listings.iter().any(Listing::shows_trades) {
        let usual = match program.positions {
            [] => USUAL_DAYS.to_string(),
            _ => "none: those that the exchange lists".to_owned(),
        };
        let days = Arg::new(DAYS)
            .long(DAYS)
            .help(format!("The days of fills that positions follow from; older ones are not known. [default: {usual}]"))
            .value_name("COUNT")
            .value_parser(value_parser!(u32).range(1..=MOST_DAYS.into()));
        all.push(
            word(Word::Positions)
                .about("Lists the open positions: as the exchange lists them, or as they follow from recent fills.")
                .arg(days),
        );
    }
    if !program.flats.is_empty() {
        all.push(word(Word::Flatten).about(
            "Cancels all orders and closes all positions, until none is left, or lists what is left. Does not ask for confirmation.",
        ));
    }
    #[cfg(feature = "journal")]
    if !program.recoveries.is_empty() {
        all.push(word(Word::Recover).about("Queries the outcomes of the changes that a journal has open."));
    }
    #[cfg(feature = "mcp")]
    all.push(
        word(Word::Mcp)
            .about("Serves the operations to assistants by the Model Context Protocol, over standard input and output. Changes are only checked and shown.")
            .args(of_mcp(program)),
    );
    all.push(word(Word::Catalogue).about("Prints all operations as JSON lines: parameters, effect, limits, rules."));
    let shell = Arg::new(SHELL).required(true).value_parser(value_parser!(clap_complete::Shell));
    all.push(word(Word::Completions).about("Prints completions for a shell.").arg(shell));
    let out = Arg::new(OUT)
        .long(OUT)
        .help("Writes a page for each command into this folder.")
        .value_name("FOLDER")
        .value_parser(stated);
    all.push(word(Word::Man).about("Prints the manual page.").arg(out));
    all
}

/// Returns the options of the server for assistants.
#[cfg(feature = "mcp")]
fn of_mcp(program: &'static Program) -> [Arg; 3] {
    use clap::builder::PossibleValuesParser;

    let names = |option: &'static str, names: Vec<&'static str>, help: &'static str| {
        let parser = PossibleValuesParser::new(names);
        Arg::new(option).long(option).help(help).value_name("NAMES").value_delimiter(',').value_parser(parser)
    };
    let families = program.families.iter().map(|family| family.name).collect();
    [
        Arg::new(ALLOW_TRADING)
            .long(ALLOW_TRADING)
            .help("Allows the assistant to send changes.")
            .action(clap::ArgAction::SetTrue),
        names(FAMILIES, families, "Serves the operations of these families alone, separated by commas."),
        names(
            GROUPS,
            crate::command::groups().collect(),
            "Serves the tools of these groups alone, separated by commas: reads and changes by their effect, reads that \
             need no keys, and those for every day, such as `orders` and `flatten`.",
        ),
    ]
}
