//! The program of an API.

fn main() -> std::process::ExitCode {
    tradeapi_cli::main(&tradeapi_cli_tests::obstacles::cli::PROGRAM)
}
