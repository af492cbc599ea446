//! Completions for shells and manual pages.

use clap::Command;
use clap::error::ErrorKind;
use clap_complete::Shell;

/// The completions for a shell.
pub(crate) fn completions(mut command: Command, shell: Shell) -> String {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The manual page in roff of the command with these names, such as `export site`; without names, the page that lists
/// all commands. Ends the program with a message about wrong usage if there is no such command.
pub(crate) fn manual(mut command: Command, names: &[String]) -> String {
    command.build();
    let mut chosen = &command;
    for name in names {
        let Some(found) = chosen.find_subcommand(name) else { unknown_command(chosen.clone(), name) };
        chosen = found;
    }
    let mut page = Vec::new();
    // Writing to a `Vec` cannot fail.
    let _ = clap_mangen::Man::new(chosen.clone()).render(&mut page);
    String::from_utf8_lossy(&page).into_owned()
}

fn unknown_command(mut within: Command, name: &str) -> ! {
    let known: Vec<_> = within.get_subcommands().map(|command| format!("`{}`", command.get_name())).collect();
    let expected = match known.len() {
        0 => "it has no commands".to_owned(),
        _ => format!("its commands are {}", known.join(", ")),
    };
    let message =
        format!("`{}` has no command `{name}`; {expected}", within.get_bin_name().unwrap_or(within.get_name()));
    within.error(ErrorKind::InvalidSubcommand, message).exit()
}
