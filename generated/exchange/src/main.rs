//! Starts the exchange and prints how to reach it.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use tradeapi_exchange::{Exchange, Mode, Profile, Seed, Settings, Time, server};

/// An exchange on this machine, for trying out and for tests. It serves all operations of the documents over HTTP, with
/// a market in which others trade too. Nothing is stored: when the program ends, everything is gone.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// The port; 0 takes any that is free.
    #[arg(long, default_value_t = 8090)]
    port: u16,
    /// What prices, the orders of others and the keys follow from.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// How many times as fast as the system's clock the exchange's clock runs.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    speed: u32,
    /// Keeps a long and a short position a pair, side by side.
    #[arg(long)]
    hedge: bool,
    /// Others only quote; prices stand still.
    #[arg(long)]
    quiet: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &Arguments) -> std::io::Result<()> {
    let listener = server::listen(arguments.port).await?;
    let mode = if arguments.hedge { Mode::Hedge } else { Mode::OneWay };
    let mut settings = Settings::default();
    (settings.seed, settings.lively) = (Seed(arguments.seed), !arguments.quiet);
    let profile = Profile::new().mode(mode).whitelisted();
    let exchange = Exchange::with(settings, Time::running(arguments.speed), profile);
    let keys = exchange.keys();
    let address = listener.local_addr()?;
    let text = format!(
        "The exchange serves both families and the broker's. For the examples, in another terminal:\n\n\
         export TRADEAPI_URL=http://{}\n\
         export TRADEAPI_KEY={}\n\
         export TRADEAPI_SECRET={}\n\
         export TRADEAPI_PASSPHRASE={}\n\n\
         See what happens at http://{}/\n\
         Positions are kept in {mode}. Ctrl-C ends it.\n",
        address, keys.key, keys.secret, keys.passphrase, address
    );
    std::io::stdout().write_all(text.as_bytes())?;
    tokio::select! {
        () = server::serve(listener, exchange) => Ok(()),
        end = tokio::signal::ctrl_c() => end,
    }
}
