//! The client of a command: its address, keys, account and journal.

use std::time::Duration;

use clap::ArgMatches;
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::tables::{Access, Meta};
use tradeapi_runtime::{Account, ClientBuilder, ClientCore, Credentials};

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

/// How unknown outcomes are queried.
pub(crate) fn policy(options: &ArgMatches) -> ConfirmPolicy {
    let seconds = |name: &str| options.get_one::<u64>(name).copied().map(Duration::from_secs);
    let policy = ConfirmPolicy::new();
    let policy = match seconds(names::DEADLINE) {
        Some(deadline) => policy.deadline(deadline),
        None => policy,
    };
    match seconds(names::LAG) {
        Some(lag) => policy.lag(lag),
        None => policy,
    }
}

/// The client for a command; `meta` is the operation that it calls, if there is a single one.
///
/// # Errors
///
/// Fails if an address or a key is missing or cannot be right. The error shows none.
pub(crate) fn client(
    program: &'static Program,
    options: &ArgMatches,
    meta: Option<&'static Meta>,
) -> Result<ClientCore, String> {
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
    let builder = ClientBuilder::<ClientCore>::new(program.api, url.as_str()).account(account(program, options)?);
    let builder = match credentials(program, &profile)? {
        Some(credentials) => builder.credentials(credentials),
        None if program.api.credentials.is_none() || meta.is_some_and(|meta| meta.access == Access::Public) => builder,
        None => return Err(profile.lacks(&name("KEY"))),
    };
    with_journal(builder, options)?.build().map_err(|error| error.to_string())
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
