//! Serves an exchange until a signal ends it, and prints how to reach it.

use std::fs::{self, File};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use tradeapi_exchange::{
    Accounts, Docs, Exchange, Fault, FaultKind, FaultTarget, Keys, Mode, PairName, Profile, Recording, Seed, Setup,
    SignedQuery, Time, per_mille, server,
};

use crate::local_profile::LocalProfile;
use crate::{print, restored, warn};

/// The exchange that is served, and where.
#[derive(Args, Debug)]
pub(crate) struct ServeArguments {
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

fn recorded(text: &str) -> Result<(PairName, PathBuf), String> {
    let (pair, file) = text.split_once('=').filter(|(_, file)| !file.is_empty()).ok_or("expected PAIR=FILE")?;
    Ok((pair.parse()?, file.into()))
}

impl ServeArguments {
    /// Serves the exchange that the arguments describe, until a signal ends it.
    pub(crate) async fn serve(&self) -> io::Result<()> {
        let docs = self.docs.as_deref().map(Docs::read).transpose()?;
        let exchange = self.exchange()?;
        let listener = server::listen_at((self.bind, self.port).into()).await?;
        let mut journal = self.journal.as_deref().map(|path| self.open(path, &exchange)).transpose()?;
        let variables = variables(&exchange, listener.local_addr()?);
        let profile = LocalProfile::write(&variables).unwrap_or_else(|error| {
            warn(&format!(
                "cannot write the profile for `tradeapi --local`: {error}; export the four variables instead"
            ));
            None
        });
        // Whoever reads the address may end the program at once.
        let ended = ended()?;
        print(&greeting(&exchange, listener.local_addr()?, &variables, docs.is_some()))?;
        let mut site = server::Site::default();
        (site.docs, site.hosts) = (docs.unwrap_or_default(), self.host.clone());
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

    /// Returns the exchange, with a running clock.
    fn exchange(&self) -> io::Result<Exchange> {
        let Some(journal) = &self.load else {
            return Ok(Exchange::of(self.setup()?, Time::running(self.speed.unwrap_or(1))));
        };
        let exchange = restored(journal, |text| Exchange::load(text, self.speed))?;
        self.fault().into_iter().for_each(|fault| exchange.add_fault(fault));
        Ok(exchange)
    }

    fn setup(&self) -> io::Result<Setup> {
        let mut setup = match &self.setup {
            Some(file) => Setup::read(file)?,
            None => self.default_setup(),
        };
        if let Some(seed) = self.seed {
            setup.settings.seed = Seed(seed);
        }
        setup.settings.signed_query = self.signed_query.or(setup.settings.signed_query);
        setup.settings.tolerant &= !self.strict;
        setup.settings.lively &= !self.quiet;
        setup.settings.journal |= self.journal.is_some();
        setup.faults.extend(self.fault());
        let mut recording = Recording::default();
        self.prices.iter().try_for_each(|(pair, file)| recording.prices(pair.clone(), file))?;
        self.candles.iter().try_for_each(|(pair, file)| recording.candles(pair.clone(), file))?;
        self.trades.iter().try_for_each(|(pair, file)| recording.trades(pair.clone(), file))?;
        self.depth.iter().try_for_each(|(pair, file)| recording.books(pair.clone(), file))?;
        recording.play_in(&mut setup)?;
        setup.check().map_err(io::Error::other)?;
        Ok(setup)
    }

    /// Returns the setup of an exchange that no file describes: one user, in a market that moves.
    fn default_setup(&self) -> Setup {
        let mode = if self.hedge { Mode::Hedge } else { Mode::OneWay };
        let accounts = match (self.classic, self.both) {
            (true, _) => Accounts::Classic,
            (_, true) => Accounts::Both,
            _ => Accounts::Unified,
        };
        let mut setup = Setup::default();
        (setup.settings.seed, setup.settings.lively, setup.settings.tolerant) = (Seed(7), true, true);
        setup.users.push(Profile::new().mode(mode).accounts(accounts).whitelisted());
        setup
    }

    /// Returns the fault of requests that fail at random.
    fn fault(&self) -> Option<Fault> {
        self.faults.map(|share| Fault::new(FaultKind::Any).target(FaultTarget::All).per_mille(share))
    }

    /// Opens the file of a journal. Nothing that it already has is lost: it is empty, or it is continued.
    fn open(&self, path: &Path, exchange: &Exchange) -> io::Result<JournalFile> {
        if self.load.as_deref() == Some(path) {
            return JournalFile::replace(path, exchange);
        }
        if fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0) {
            let path = path.display();
            let why = format!("{path} has content; name another file, or continue its journal with `--load {path}`");
            return Err(io::Error::other(why));
        }
        JournalFile::create(path)
    }
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
    /// Writes a file anew. Until the new file has all of the old one, the old one stays.
    fn replace(path: &Path, exchange: &Exchange) -> io::Result<Self> {
        let beside = PathBuf::from(format!("{}.new", path.display()));
        let mut journal = Self::create(&beside)?;
        journal.write(exchange)?;
        fs::rename(&beside, path).map_err(|error| named(path, &error))?;
        Ok(Self { path: path.to_owned(), ..journal })
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
