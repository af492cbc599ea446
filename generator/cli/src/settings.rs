//! The client of a command: its address, keys, account and journal.

use std::sync::Arc;
use std::time::Duration;

use clap::ArgMatches;
use tradeapi_runtime::budget::Budget;
use tradeapi_runtime::client::Assumptions;
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::error::BuildError;
use tradeapi_runtime::limits::{FileLimits, LimitSettings};
use tradeapi_runtime::tables::{Access, Effect, Meta};
use tradeapi_runtime::wire::{BaseUrl, HeaderValues};
use tradeapi_runtime::{Account, ClientBuilder, ClientCore, Credentials};

use crate::dry_run::Header;
use crate::options as names;
use crate::profile::Profile;
use crate::table::Program;

/// Returns the account that the options state: the properties in a file, or none.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub(crate) fn account(program: &Program, options: &ArgMatches) -> Result<Account, String> {
    match options.get_one::<String>(names::ACCOUNT) {
        Some(path) => Account::from_file(&program.api.account, path).map_err(|error| error.to_string()),
        None => Ok(Account::new()),
    }
}

/// Returns how long unknown outcomes are queried, if the options say so.
pub(crate) fn deadline(options: &ArgMatches) -> Option<Duration> {
    seconds(options, names::DEADLINE)
}

fn seconds(options: &ArgMatches, name: &str) -> Option<Duration> {
    options.get_one::<u64>(name).copied().map(Duration::from_secs)
}

/// Returns how unknown outcomes are queried: for this long, unless the options say otherwise.
pub(crate) fn policy(options: &ArgMatches, usual: Duration) -> ConfirmPolicy {
    ConfirmPolicy::new().assume(assumptions(options)).deadline(deadline(options).unwrap_or(usual))
}

/// Returns what is assumed of the exchange: the usual, unless the options say otherwise.
fn assumptions(options: &ArgMatches) -> Assumptions {
    let usual = Assumptions::DEFAULT;
    Assumptions { lag: seconds(options, names::LAG).unwrap_or(usual.lag), ..usual }
}

/// Returns the headers of the API that a profile and the options set; the options win.
///
/// # Errors
///
/// Fails if one is not `NAME=VALUE`, is set twice, or is not a header of the API, or if the variable is empty. Beside a
/// profile that sets none, those of the environment are refused: a header can choose the market, so none is left out in
/// silence.
pub(crate) fn headers(
    program: &'static Program,
    profile: &Profile,
    options: &ArgMatches,
) -> Result<Vec<Header>, String> {
    let variable = format!("{}_HEADERS", program.prefix());
    let stored = profile.stated(&variable)?;
    if stored.is_none() && Profile::Environment.get(&variable).is_some() {
        return Err(format!(
            "the environment sets {variable}, which does not apply beside a profile; move it into the profile, or unset it"
        ));
    }
    let text = |error: BuildError| error.to_string();
    let stored = stored.as_ref().map(|all| all.split(',')).into_iter().flatten();
    let stored = HeaderValues::pairs(stored).map_err(text)?;
    let given = options.get_many::<String>(names::HEADER).into_iter().flatten().map(String::as_str);
    let given = HeaderValues::pairs(given).map_err(text)?;
    let is_given = |name: &str| given.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
    let mut headers: Vec<Header> = stored.into_iter().filter(|(name, _)| !is_given(name)).collect();
    headers.extend(given);
    HeaderValues::new(program.api, &headers).map_err(text)?;
    Ok(headers)
}

/// Returns the address of a profile, if it has one.
///
/// # Errors
///
/// Fails if it is no address, or one on another machine although the local exchange is asked for.
pub(crate) fn address(program: &Program, profile: &Profile, options: &ArgMatches) -> Result<Option<BaseUrl>, String> {
    let Some(url) = profile.get(&format!("{}_URL", program.prefix())) else { return Ok(None) };
    if options.get_flag(names::LOCAL) && !is_loopback(&url) {
        return Err(format!("--{} is for an exchange on this machine", names::LOCAL));
    }
    BaseUrl::parse(&url, false).map(Some).map_err(|error| error.to_string())
}

/// The purpose for which a command needs its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The command reads what is public, without keys.
    Public,
    /// The command reads.
    Reads,
    /// The command may change something, which a journal stores.
    Changes,
    /// The command asks what became of the changes that a journal has.
    Recovers,
}

impl Purpose {
    /// Returns what a call of an operation does.
    pub(crate) fn of(meta: &Meta) -> Self {
        match (meta.effect, meta.access) {
            (Effect::Read, Access::Public) => Self::Public,
            (Effect::Read, Access::Signed) => Self::Reads,
            _ => Self::Changes,
        }
    }
}

/// Returns the client for a command.
///
/// # Errors
///
/// Fails if the address, the keys or the account are missing or wrong, or if another process has the journal open.
pub(crate) fn client(program: &'static Program, options: &ArgMatches, purpose: Purpose) -> Result<ClientCore, String> {
    let budget = if purpose == Purpose::Public { None } else { budget(options)? };
    client_with(program, options, purpose, budget)
}

/// Returns the budget that the options state, if they do.
///
/// # Errors
///
/// Fails if the file cannot be read, or what was spent cannot be kept.
pub(crate) fn budget(options: &ArgMatches) -> Result<Option<Budget>, String> {
    let path = options.get_one::<String>(names::BUDGET);
    path.map(Budget::from_file).transpose().map_err(|error| error.to_string())
}

/// Returns the client for a command, with a budget that others may share.
///
/// # Errors
///
/// Fails like [`client`].
pub(crate) fn client_with(
    program: &'static Program,
    options: &ArgMatches,
    purpose: Purpose,
    budget: Option<Budget>,
) -> Result<ClientCore, String> {
    let profile = Profile::of(program, options)?;
    let name = |part: &str| format!("{}_{part}", program.prefix());
    let url = address(program, &profile, options)?.ok_or_else(|| profile.lacks(&name("URL")))?;
    // The client of a command has no later call that would be signed with the right time.
    let mut builder =
        ClientBuilder::<ClientCore>::new(program.api, url.to_string()).account(account(program, options)?).sign_again();
    builder = builder.assume(assumptions(options));
    for (name, value) in headers(program, &profile, options)? {
        builder = builder.header(name, value);
    }
    let builder = match credentials(program, &profile)? {
        Some(credentials) => builder.credentials(credentials),
        None if program.api.credentials.is_none() || purpose == Purpose::Public => builder,
        None => return Err(profile.lacks(&name("KEY"))),
    };
    let builder = with_limits(builder, options)?;
    // A process that only reads does not keep others from a journal.
    let builder = match purpose {
        Purpose::Public | Purpose::Reads => builder,
        Purpose::Changes | Purpose::Recovers => with_journal(builder, options, purpose)?,
    };
    let builder = match budget {
        Some(budget) => builder.budget(budget),
        None => builder,
    };
    builder.build().map_err(|error| error.to_string())
}

/// Lets the client share the limits of a folder, if the options name one.
fn with_limits(builder: ClientBuilder<ClientCore>, options: &ArgMatches) -> Result<ClientBuilder<ClientCore>, String> {
    let Some(folder) = options.get_one::<String>(names::LIMITS) else { return Ok(builder) };
    let limits = FileLimits::open(folder, LimitSettings::new())
        .map_err(|error| format!("the limits cannot be kept in {folder}: {error}"))?;
    Ok(builder.limiter(Arc::new(limits)))
}

/// Returns the keys of a profile, if it has some and the API takes them.
fn credentials(program: &Program, profile: &Profile) -> Result<Option<Credentials>, String> {
    let name = |part: &str| format!("{}_{part}", program.prefix());
    let Some(key) = profile.get(&name("KEY")).filter(|_| program.api.credentials.is_some()) else { return Ok(None) };
    if matches!(profile, Profile::Environment) {
        return Credentials::from_env(&program.prefix()).map(Some).map_err(|error| error.to_string());
    }
    let part = |part: &str| profile.get(&name(part)).map(|value| value.to_string()).unwrap_or_default();
    Ok(Some(Credentials::new(key.to_string(), part("SECRET"), part("PASSPHRASE"))))
}

/// Returns whether an address is on this machine.
fn is_loopback(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host).trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(feature = "journal")]
fn with_journal(
    builder: ClientBuilder<ClientCore>,
    options: &ArgMatches,
    purpose: Purpose,
) -> Result<ClientBuilder<ClientCore>, String> {
    use tradeapi_runtime::journal::{Durability, FileJournal};

    let Some(folder) = options.get_one::<String>(names::JOURNAL) else { return Ok(builder) };
    // A folder that is misspelt would become an empty journal, of which everything is known.
    if purpose == Purpose::Recovers && !FileJournal::exists(folder) {
        return Err(format!("there is no journal in {folder}"));
    }
    let journal = FileJournal::open(folder, Durability::default()).map_err(|error| error.to_string())?;
    Ok(builder.journal(Arc::new(journal)))
}

#[cfg(not(feature = "journal"))]
fn with_journal(
    builder: ClientBuilder<ClientCore>,
    _: &ArgMatches,
    _: Purpose,
) -> Result<ClientBuilder<ClientCore>, String> {
    Ok(builder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_local() {
        for url in ["http://127.0.0.1:8090", "http://localhost", "http://[::1]:8090/x", "http://127.1.2.3"] {
            assert!(is_loopback(url), "{url}");
        }
        for url in ["https://api.example.com", "http://localhost.example.com", "http://127.0.0.1@example.com", ""] {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
