//! `cargo run --release -p tradeapi-campaign -- --seed 7 --placements 10000`

use std::io;
use std::process::ExitCode;

use tradeapi_campaign::{Settings, run};

fn main() -> io::Result<ExitCode> {
    let settings = match parse(std::env::args().skip(1)) {
        Ok(settings) => settings,
        Err(why) => {
            eprintln!(
                "{why}\n\nusage: tradeapi-campaign [--seed N] [--placements N] [--accounts N] [--tasks N] [--faults PERCENT] [--speed N]"
            );
            return Ok(ExitCode::FAILURE);
        }
    };
    println!("{settings:?}");
    let figures = run(settings)?;
    print!("{figures}");
    Ok(if figures.violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Settings, String> {
    let mut settings = Settings::default();
    while let Some(name) = arguments.next() {
        let number = || -> Result<u64, String> {
            let text = arguments.next().ok_or(format!("{name} needs a number"))?;
            text.parse().map_err(|_| format!("{name} needs a number, not {text:?}"))
        };
        let mut number = number;
        match name.as_str() {
            "--seed" => settings.seed = number()?,
            "--placements" => settings.placements = number()?,
            "--accounts" => settings.accounts = number()?.max(1),
            "--tasks" => settings.tasks = number()?.max(1),
            "--faults" => settings.faults = number()?.min(100),
            "--speed" => settings.speed = u32::try_from(number()?).unwrap_or(u32::MAX).max(1),
            _ => return Err(format!("there is no {name}")),
        }
    }
    Ok(settings)
}
