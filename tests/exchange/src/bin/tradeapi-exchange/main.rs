//! Starts the exchange and prints how to reach it, also into the profile by which `tradeapi --local` finds it.

mod judge;
mod watch;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use std::{env, process};

use clap::builder::NonEmptyStringValueParser;
use clap::{Parser, Subcommand};
use judge::JudgeArguments;
use tradeapi_exchange::{
    Accounts, Docs, Exchange, Fault, FaultKind, FaultTarget, Keys, Mode, PairName, Profile, Recording, Seed, Setup,
    SignedQuery, Time, per_mille, server, torn_line,
};

/// A local exchange for tests and for trying out the client. It serves all documented operations over HTTP, in a market
/// with simulated participants. It stores nothing but the journal, if there is one.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The port; 0 chooses a free one.
    #[arg(long, default_value_t = 8090)]
    port: u16,
    /// The address to listen at. `0.0.0.0` accepts connections from other machines, for example to a container.
    #[arg(long, default_value = "127.0.0.1")]
    bind: IpAddr,
    /// Another name of this machine, under which its page may be opened.
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    host: Vec<String>,
    /// The seed of prices, of other participants' orders, of random faults and of the keys.
    #[arg(long)]
    seed: Option<u64>,
    /// The speed of the exchange's clock, as a multiple of the system's; 0 makes it stand still. By default 1, or that of a
    /// loaded journal.
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=i64::from(Time::MAX_SPEED)))]
    speed: Option<u32>,
    /// Keeps a long and a short position per pair, side by side.
    #[arg(long)]
    hedge: bool,
    /// Gives the user a unified account, as every new key has. This is the default.
    #[arg(long, group = "accounts", conflicts_with_all = ["setup", "load"])]
    unified: bool,
    /// Gives the user a classic account.
    #[arg(long, group = "accounts", conflicts_with_all = ["setup", "load"])]
    classic: bool,
    /// Gives the user an account of each family behind one key, as no real exchange does.
    #[arg(long, group = "accounts", conflicts_with_all = ["setup", "load"])]
    both: bool,
    /// Other participants only quote; prices do not move.
    #[arg(long)]
    quiet: bool,
    /// Refuses what the documents do not list: unknown parameters, values in other letters, JSON numbers and booleans in
    /// place of texts, and `null`. Otherwise, they are taken as real exchanges take them, and unknown parameters are
    /// counted on the page.
    #[arg(long, conflicts_with = "load")]
    strict: bool,
    /// Folder of the reference that `tradeapi-gen export site` wrote, to be served at `/docs/`.
    #[arg(long, value_name = "FOLDER")]
    docs: Option<PathBuf>,
    /// The share of requests that fail at random, such as 0.4.
    #[arg(long, value_name = "SHARE", value_parser = per_mille)]
    faults: Option<u32>,
    /// The text of a query that signatures are verified over, where it has percent-escapes: `sent`, with them, or
    /// `decoded`, without. By default, that which the schema states.
    #[arg(long, value_name = "TEXT", conflicts_with = "load")]
    signed_query: Option<SignedQuery>,
    /// A YAML file with settings, users, instruments, prices and conditions.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["hedge", "load"])]
    setup: Option<PathBuf>,
    /// Plays back the prices of a pair from a CSV file: a Unix time and a price on each line. The pair is a
    /// symbol in all business lines, or one as in `SPOT:BTCUSDT`.
    #[arg(long, value_name = "PAIR=FILE", value_parser = recorded)]
    prices: Vec<(PairName, PathBuf)>,
    /// Plays back candles of a pair from a CSV file: when each opens, at a whole minute, and its open, highest, lowest and
    /// closing price.
    #[arg(long, value_name = "PAIR=FILE", value_parser = recorded)]
    candles: Vec<(PairName, PathBuf)>,
    /// Plays back trades of a pair from a CSV file: a time, a price, a quantity, and `buy` or `sell` for the taker.
    #[arg(long, value_name = "PAIR=FILE", value_parser = recorded)]
    trades: Vec<(PairName, PathBuf)>,
    /// Plays back books of a pair from a CSV file: a time, `bid` or `ask`, a price and a quantity. The lines with one time
    /// are a whole book.
    #[arg(long, value_name = "PAIR=FILE", value_parser = recorded)]
    depth: Vec<(PairName, PathBuf)>,
    /// Writes all requests and answers to a file, as JSON lines.
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Continues from the state at the end of the journal in this file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "hedge", "quiet", "prices", "candles", "trades", "depth"])]
    load: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Shows the state of a running exchange in this terminal, refreshed each second.
    Watch {
        /// The address that the exchange printed.
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        url: String,
        /// Prints the state once.
        #[arg(long)]
        once: bool,
    },
    Judge(Box<JudgeArguments>),
    /// Replays a journal, and fails if an answer differs. Serves nothing.
    Replay {
        /// The journal.
        file: PathBuf,
    },
}

fn recorded(text: &str) -> Result<(PairName, PathBuf), String> {
    let (pair, file) = text.split_once('=').filter(|(_, file)| !file.is_empty()).ok_or("expected PAIR=FILE")?;
    Ok((pair.parse()?, file.into()))
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.command {
        Some(Command::Watch { url, once }) => watch::watch(url, *once).await.or_else(unless_unread),
        Some(Command::Replay { file }) => {
            restored(file, Exchange::replay).and_then(|_| print("all answers are the same\n"))
        }
        Some(Command::Judge(arguments)) => return arguments.judge().await,
        None => run(&arguments).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            warn(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Restores an exchange from a journal.
fn restored(
    journal: &Path,
    restore: impl FnOnce(&str) -> Result<Exchange, tradeapi_exchange::ReplayError>,
) -> io::Result<Exchange> {
    let failed = |why: String| io::Error::other(format!("{}: {why}", journal.display()));
    let text = fs::read_to_string(journal).map_err(|error| failed(error.to_string()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if let Some(torn) = torn_line(text) {
        let bytes = torn.len();
        warn(&format!("warning: {}: the last line is torn, and its {bytes} bytes are left out", journal.display()));
    }
    restore(text).map_err(|error| failed(error.to_string()))
}

/// Returns the exchange that the arguments describe, with a running clock.
fn exchange(arguments: &Arguments) -> io::Result<Exchange> {
    let Some(journal) = &arguments.load else {
        return Ok(Exchange::of(setup(arguments)?, Time::running(arguments.speed.unwrap_or(1))));
    };
    let exchange = restored(journal, |text| Exchange::load(text, arguments.speed))?;
    arguments.fault().into_iter().for_each(|fault| exchange.add_fault(fault));
    Ok(exchange)
}

impl Arguments {
    /// Returns the accounts of the user.
    fn accounts(&self) -> Accounts {
        match (self.classic, self.both) {
            (true, _) => Accounts::Classic,
            (_, true) => Accounts::Both,
            _ => Accounts::Unified,
        }
    }

    /// Returns the fault of requests that fail at random.
    fn fault(&self) -> Option<Fault> {
        self.faults.map(|share| Fault::new(FaultKind::Any).target(FaultTarget::All).per_mille(share))
    }
}

fn setup(arguments: &Arguments) -> io::Result<Setup> {
    let mut setup = match &arguments.setup {
        Some(file) => Setup::read(file)?,
        None => {
            let mode = if arguments.hedge { Mode::Hedge } else { Mode::OneWay };
            let mut setup = Setup::default();
            (setup.settings.seed, setup.settings.lively, setup.settings.tolerant) = (Seed(7), true, true);
            setup.users.push(Profile::new().mode(mode).accounts(arguments.accounts()).whitelisted());
            setup
        }
    };
    if let Some(seed) = arguments.seed {
        setup.settings.seed = Seed(seed);
    }
    setup.settings.signed_query = arguments.signed_query.or(setup.settings.signed_query);
    setup.settings.tolerant &= !arguments.strict;
    setup.settings.lively &= !arguments.quiet;
    setup.settings.journal |= arguments.journal.is_some();
    setup.faults.extend(arguments.fault());
    let mut recording = Recording::default();
    arguments.prices.iter().try_for_each(|(pair, file)| recording.prices(pair.clone(), file))?;
    arguments.candles.iter().try_for_each(|(pair, file)| recording.candles(pair.clone(), file))?;
    arguments.trades.iter().try_for_each(|(pair, file)| recording.trades(pair.clone(), file))?;
    arguments.depth.iter().try_for_each(|(pair, file)| recording.books(pair.clone(), file))?;
    recording.play_in(&mut setup)?;
    setup.check().map_err(io::Error::other)?;
    Ok(setup)
}

async fn run(arguments: &Arguments) -> io::Result<()> {
    let docs = arguments.docs.as_deref().map(Docs::read).transpose()?;
    let exchange = exchange(arguments)?;
    let listener = server::listen_at((arguments.bind, arguments.port).into()).await?;
    let path = arguments.journal.as_deref();
    let mut journal = path.map(|path| JournalFile::open(path, arguments, &exchange)).transpose()?;
    let variables = variables(&exchange, listener.local_addr()?);
    let profile = LocalProfile::write(&variables).unwrap_or_else(|error| {
        warn(&format!("cannot write the profile for `tradeapi --local`: {error}; export the four variables instead"));
        None
    });
    // Whoever reads the address may end the program at once.
    let ended = ended()?;
    print(&greeting(&exchange, listener.local_addr()?, &variables, docs.is_some()))?;
    let mut site = server::Site::default();
    (site.docs, site.hosts) = (docs.unwrap_or_default(), arguments.host.clone());
    let end = tokio::select! {
        () = server::serve_with(listener, exchange.clone(), site) => Ok(()),
        failed = write(&exchange, journal.as_mut()) => failed,
        end = ended => end,
    };
    drop(profile);
    if let Some(journal) = &mut journal {
        journal.write(&exchange)?;
    }
    print_broken_rules(&exchange)?;
    end
}

/// Returns the address and the keys, as a shell and `tradeapi --local` read them.
fn variables(exchange: &Exchange, address: SocketAddr) -> String {
    let Keys { key, secret, passphrase } = exchange.keys();
    format!(
        "export TRADEAPI_URL=http://{address}\n\
         export TRADEAPI_KEY={key}\n\
         export TRADEAPI_SECRET={secret}\n\
         export TRADEAPI_PASSPHRASE={passphrase}\n"
    )
}

fn greeting(exchange: &Exchange, address: SocketAddr, variables: &str, has_docs: bool) -> String {
    let accounts = match exchange.accounts(exchange.keys()).unwrap_or_default() {
        Accounts::Both => "an account of each family, as no real key has".to_owned(),
        one => format!("a {one} account"),
    };
    let docs = if has_docs { ", and read the reference at /docs/" } else { "" };
    format!(
        "The exchange serves both families and the broker's; the key is of {accounts}. For the examples, in another terminal:\n\n\
         {variables}\n\
         See what happens at http://{address}/{docs}\n\
         Ctrl-C ends it.\n"
    )
}

fn print_broken_rules(exchange: &Exchange) -> io::Result<()> {
    let broken: Vec<String> =
        exchange.violations().into_iter().map(|(rule, count)| format!("{count:>8}  {rule}\n")).collect();
    if broken.is_empty() { Ok(()) } else { print(&format!("Broken rules:\n{}", broken.concat())) }
}

/// The file of a journal.
struct JournalFile {
    path: PathBuf,
    file: File,
}

impl JournalFile {
    /// Opens the file. Nothing that it already has is lost: it is empty, or it is continued.
    fn open(path: &Path, arguments: &Arguments, exchange: &Exchange) -> io::Result<Self> {
        if arguments.load.as_deref() == Some(path) {
            // Until the new file has all of the old one, the old one stays.
            let beside = PathBuf::from(format!("{}.new", path.display()));
            let mut journal = Self::create(&beside)?;
            journal.write(exchange)?;
            fs::rename(&beside, path).map_err(|error| named(path, &error))?;
            return Ok(Self { path: path.to_owned(), ..journal });
        }
        if fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0) {
            let path = path.display();
            let why = format!("{path} has content; name another file, or continue its journal with `--load {path}`");
            return Err(io::Error::other(why));
        }
        Self::create(path)
    }

    fn create(path: &Path) -> io::Result<Self> {
        let file = File::create(path).map_err(|error| named(path, &error))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes what is not written yet.
    fn write(&mut self, exchange: &Exchange) -> io::Result<()> {
        exchange.write_journal(&mut self.file).map_err(|error| named(&self.path, &error))
    }
}

/// Returns an error with the name of its file.
fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).or_else(unless_unread)
}

/// Ignores the error that nobody reads the output any more.
fn unless_unread(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

/// Prints a line for a person. If it cannot be printed, there is nobody to tell.
fn warn(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Listens from now on for the signals to end: Ctrl-C, and the one that supervisors and containers send.
fn ended() -> io::Result<impl Future<Output = io::Result<()>>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut interrupted, mut terminated) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(async move {
            tokio::select! {
                _ = interrupted.recv() => Ok(()),
                _ = terminated.recv() => Ok(()),
            }
        })
    }
    #[cfg(not(unix))]
    Ok(tokio::signal::ctrl_c())
}

/// Writes the journal as it grows. Returns only if it cannot be written.
async fn write(exchange: &Exchange, journal: Option<&mut JournalFile>) -> io::Result<()> {
    const PAUSE: Duration = Duration::from_millis(200);
    let Some(journal) = journal else { return std::future::pending().await };
    loop {
        journal.write(exchange)?;
        tokio::time::sleep(PAUSE).await;
    }
}

/// The file, which is removed at the end unless somebody has replaced it.
pub(crate) struct LocalProfile {
    path: PathBuf,
    lines: String,
    /// Held as long as the exchange runs, however it ends.
    _lock: File,
}

impl LocalProfile {
    /// Writes the file into `TRADEAPI_PROFILES` or `~/.config/tradeapi`; `None` if neither is known.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written, or is that of another exchange that is running: whoever trades there must not find
    /// this one in its place.
    pub(crate) fn write(lines: &str) -> io::Result<Option<Self>> {
        let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let own = variable("TRADEAPI_PROFILES");
        let Some(folder) = own.or_else(|| Some(variable("HOME")?.join(".config/tradeapi"))) else { return Ok(None) };
        fs::create_dir_all(&folder)?;
        let lock = locked(folder.join(".local.lock"))?;
        let path = folder.join("local.env");
        let draft = folder.join(format!(".local.env.{}", process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options.open(&draft).and_then(|mut file| file.write_all(lines.as_bytes()));
        if let Err(error) = written.and_then(|()| fs::rename(&draft, &path)) {
            let _ = fs::remove_file(&draft);
            return Err(error);
        }
        Ok(Some(Self { path, lines: lines.to_owned(), _lock: lock }))
    }
}

/// Returns the file that a running exchange holds a lock on. It stays, because another process may be about to lock it.
fn locked(path: PathBuf) -> io::Result<File> {
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::other("another exchange is running, and the profile is that of it"))
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}

impl Drop for LocalProfile {
    fn drop(&mut self) {
        if fs::read_to_string(&self.path).is_ok_and(|lines| lines == self.lines) {
            let _ = fs::remove_file(&self.path);
        }
    }
}
