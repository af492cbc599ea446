//! The client of a command: its address, keys, account and journal.

use std::time::Duration;

use clap::ArgMatches;
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::tables::{Access, Effect, Meta};
use tradeapi_runtime::wire::HeaderValues;
use tradeapi_runtime::{Account, ClientBuilder, ClientCore, Credentials};

use crate::dry_run::Header;
use crate::options as names;
use crate::profile::{self, Profile};
use crate::table::Program;

/// The account that the options state: the properties in a file, or none.
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

/// How long unknown outcomes are queried, if the options say so.
pub(crate) fn deadline(options: &ArgMatches) -> Option<Duration> {
    seconds(options, names::DEADLINE)
}

fn seconds(options: &ArgMatches, name: &str) -> Option<Duration> {
    options.get_one::<u64>(name).copied().map(Duration::from_secs)
}

/// How unknown outcomes are queried: for this long, unless the options say otherwise.
pub(crate) fn policy(options: &ArgMatches, usual: Duration) -> ConfirmPolicy {
    let policy = ConfirmPolicy::new().deadline(deadline(options).unwrap_or(usual));
    match seconds(options, names::LAG) {
        Some(lag) => policy.lag(lag),
        None => policy,
    }
}

/// The headers of the API that a profile and the options set; the options win.
///
/// # Errors
///
/// Fails if one is not `NAME=VALUE`, or not a header of the API.
pub(crate) fn headers(
    program: &'static Program,
    profile: Option<&Profile>,
    options: &ArgMatches,
) -> Result<Vec<Header>, String> {
    let stored = profile.and_then(|profile| profile.get(&format!("{}_HEADERS", program.prefix())));
    let stored = stored.as_ref().map(|all| all.split(',')).into_iter().flatten();
    let given = options.get_many::<String>(names::HEADER).into_iter().flatten().map(String::as_str);
    let headers: Vec<Header> = stored.chain(given).map(header).collect::<Result<_, _>>()?;
    HeaderValues::new(program.api, &headers).map_err(|error| error.to_string())?;
    Ok(headers)
}

fn header(text: &str) -> Result<Header, String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("the header {text:?} is not NAME=VALUE"))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// What a command does with its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It reads what is public, without keys.
    Public,
    /// It reads.
    Reads,
    /// It may change something, which a journal stores.
    Changes,
}

impl Purpose {
    /// What a call of an operation does.
    pub(crate) fn of(meta: &Meta) -> Self {
        match (meta.effect, meta.access) {
            (Effect::Read, Access::Public) => Self::Public,
            (Effect::Read, Access::Signed) => Self::Reads,
            _ => Self::Changes,
        }
    }
}

/// The client for a command.
///
/// # Errors
///
/// Fails if the address, the keys or the account are missing or wrong, or if another process has the journal open.
pub(crate) fn client(program: &'static Program, options: &ArgMatches, purpose: Purpose) -> Result<ClientCore, String> {
    let profile = match options.get_one::<String>(names::PROFILE) {
        Some(name) => Profile::read(program, name)?,
        None if options.get_flag(names::LOCAL) => Profile::read(program, profile::LOCAL)?,
        None => Profile::Environment,
    };
    let name = |part: &str| format!("{}_{part}", program.prefix());
    let url = profile.get(&name("URL")).ok_or_else(|| profile.lacks(&name("URL")))?;
    if options.get_flag(names::LOCAL) && !is_loopback(&url) {
        return Err(format!("--{} is for an exchange on this machine", names::LOCAL));
    }
    let mut builder = ClientBuilder::<ClientCore>::new(program.api, url.as_str()).account(account(program, options)?);
    for (name, value) in headers(program, Some(&profile), options)? {
        builder = builder.header(name, value);
    }
    let builder = match credentials(program, &profile)? {
        Some(credentials) => builder.credentials(credentials),
        None if program.api.credentials.is_none() || purpose == Purpose::Public => builder,
        None => return Err(profile.lacks(&name("KEY"))),
    };
    // A process that only reads does not keep others from a journal.
    let builder = if purpose == Purpose::Changes { with_journal(builder, options)? } else { builder };
    builder.build().map_err(|error| error.to_string())
}

/// The keys of a profile, if it has some and the API takes them.
fn credentials(program: &Program, profile: &Profile) -> Result<Option<Credentials>, String> {
    let name = |part: &str| format!("{}_{part}", program.prefix());
    let Some(key) = profile.get(&name("KEY")).filter(|_| program.api.credentials.is_some()) else { return Ok(None) };
    if matches!(profile, Profile::Environment) {
        return Credentials::from_env(&program.prefix()).map(Some).map_err(|error| error.to_string());
    }
    let part = |part: &str| profile.get(&name(part)).map(|value| value.to_string()).unwrap_or_default();
    Ok(Some(Credentials::new(key.to_string(), part("SECRET"), part("PASSPHRASE"))))
}

/// Whether an address is on this machine.
fn is_loopback(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host).trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(feature = "journal")]
fn with_journal(builder: ClientBuilder<ClientCore>, options: &ArgMatches) -> Result<ClientBuilder<ClientCore>, String> {
    use tradeapi_runtime::journal::{Durability, FileJournal};

    match options.get_one::<String>(names::JOURNAL) {
        Some(folder) => {
            let journal = FileJournal::open(folder, Durability::default()).map_err(|error| error.to_string())?;
            Ok(builder.journal(std::sync::Arc::new(journal)))
        }
        None => Ok(builder),
    }
}

#[cfg(not(feature = "journal"))]
fn with_journal(builder: ClientBuilder<ClientCore>, _: &ArgMatches) -> Result<ClientBuilder<ClientCore>, String> {
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
