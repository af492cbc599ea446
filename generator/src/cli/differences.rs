//! Files that are not what they should be.

use std::process::ExitCode;

use tradeapi_gen::Difference;

use super::Output;

/// Prints how the files differ from what `command` would write, and whether that is a failure.
pub(crate) fn show(differences: &[Difference], command: &str, output: &Output) -> ExitCode {
    if differences.is_empty() {
        output.done(format_args!("the files are what `{command}` writes"));
        return ExitCode::SUCCESS;
    }
    let how_to_mend = format!("run `cargo run --release -- {command}` and commit the result");
    if output.is_json() {
        differences.iter().for_each(|difference| output.print(as_json(difference, &how_to_mend)));
        return ExitCode::FAILURE;
    }
    for difference in differences {
        eprintln!("{}: {}", difference.change, difference.path.display());
        if !difference.diff.is_empty() {
            eprintln!("{}", difference.diff);
        }
    }
    eprintln!("{} file(s) differ; {how_to_mend}", differences.len());
    ExitCode::FAILURE
}

fn as_json(difference: &Difference, how_to_mend: &str) -> serde_json::Value {
    serde_json::json!({
        "file": difference.path,
        "severity": "error",
        "change": difference.change.to_string(),
        "message": "the file is not what is generated",
        "help": how_to_mend,
    })
}
