//! Completions for shells and manual pages.

use clap::Command;
use clap_complete::Shell;

/// The completions for a shell.
pub(crate) fn completions(mut command: Command, shell: Shell) -> String {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The manual page of a command in roff; without a command, or with an unknown one, the page that lists them all.
pub(crate) fn manual(mut command: Command, of: Option<&str>) -> String {
    command.build();
    let chosen = of.and_then(|name| command.find_subcommand(name)).unwrap_or(&command);
    let mut page = Vec::new();
    // Writing to a `Vec` cannot fail.
    let _ = clap_mangen::Man::new(chosen.clone()).render(&mut page);
    String::from_utf8_lossy(&page).into_owned()
}
