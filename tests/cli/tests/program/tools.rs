//! Help, completions, manual pages and the catalogue.

use std::process::Stdio;

use tempfile::TempDir;
use tradeapi::runtime::Operation;

use crate::fixture::{command, run};

#[test]
fn the_catalogue_has_every_operation_with_its_parameters() {
    let folder = TempDir::new().unwrap();
    let lines = run(folder.path(), &["catalogue"], "").ended(0).lines();
    macro_rules! each {
        ($($operation:ty),*) => { $({
            let meta = <$operation as Operation>::META;
            let line = lines.iter().find(|line| line["operation"] == meta.id).unwrap_or_else(|| panic!("no {}", meta.id));
            assert_eq!(line["limits"].as_array().unwrap().len(), meta.limits.len(), "{}", meta.id);
            let names: Vec<_> =
                line["parameters"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
            for name in tradeapi_tests::schema::parameters(meta) {
                assert!(names.contains(&name.as_str()) || names == [""], "{}: no {name}", meta.id);
            }
        })* };
    }
    tradeapi::for_each_operation!(each);
    let place = lines.iter().find(|line| line["operation"] == "unified.place-order").unwrap();
    let of =
        |name: &str| place["parameters"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone();
    assert_eq!(
        (of("price")["required"].as_str(), of("side")["values"][0].as_str()),
        (Some("required with orderType limit"), Some("buy"))
    );
    assert_eq!((place["limits"][0]["per"].as_str(), of("qty")["type"].as_str()), (Some("UID"), Some("decimal")));
    assert_eq!((place["effect"].as_str(), of("qty")["required"].as_bool()), (Some("create"), Some(true)));
}

#[test]
fn help_states_what_the_schema_states() {
    let folder = TempDir::new().unwrap();
    let help = run(folder.path(), &["unified", "place-order", "--help"], "").ended(0).out;
    for part in [
        "--client-oid <CLIENTOID>",
        "- sell: Sells the base coin.",
        "Unit: quote coin when category is SPOT or MARGIN",
        "With orderType limit: How long the order may wait. The exchange defaults to gtc.",
        "With orderType market: Has no effect: a market order always executes as ioc.",
        "Rate limit: 10 calls a second per user",
        "hedge-mode-needs-pos-side: In hedge mode posSide must be sent.",
        "Source: unified-v3, Place Order",
        "Permission: UTA trade",
    ] {
        assert!(help.contains(part), "no {part:?} in\n{help}");
    }
    let batch = run(folder.path(), &["classic", "batch-place-order", "--help"], "").ended(0).out;
    assert!(
        batch.contains("A JSON list of objects, or @FILE with it:") && batch.contains("  side (buy|sell): "),
        "{batch}"
    );
    assert!(run(folder.path(), &["--help"], "").ended(0).out.contains("3  unknown"));
}

#[test]
fn completions_have_the_values_of_enums() {
    let folder = TempDir::new().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(folder.path(), &["completions", shell], "").ended(0).out;
        assert!(script.contains("place-order") && script.contains("client-oid"), "{shell}");
        assert!(["elvish", "powershell"].contains(&shell) || script.contains("USDT-FUTURES"), "{shell}");
    }
}

#[test]
fn nothing_panics_if_nobody_reads_on() {
    let folder = TempDir::new().unwrap();
    for arguments in [&["completions", "bash"][..], &["man"], &["catalogue"], &["--help"]] {
        let mut command = command(folder.path());
        let mut child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.code() == Some(0) && errors.is_empty(), "{arguments:?}: {} {errors}", ended.status);
    }
}

#[test]
fn each_command_has_a_page_of_the_manual() {
    let folder = TempDir::new().unwrap();
    assert!(run(folder.path(), &["man"], "").ended(0).out.contains(".TH tradeapi"));
    run(folder.path(), &["man", "--out", folder.path().join("man").to_str().unwrap()], "").ended(0);
    let page = std::fs::read_to_string(folder.path().join("man/tradeapi-unified-place-order.1")).unwrap();
    assert!(page.contains("hedge\\-mode\\-needs\\-pos\\-side"), "{page}");
}
