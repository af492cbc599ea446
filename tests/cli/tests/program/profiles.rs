//! Addresses and keys come from the environment, or from a file that only its owner can read.

use std::fs;

use crate::fixture::{Local, command, ran, run, set_mode, write_profile};

#[test]
fn a_file_that_others_can_read_is_refused() {
    let local = Local::start();
    let file = local.profiles.path().join("local.env");
    for mode in [0o644, 0o640, 0o604, 0o602] {
        set_mode(&file, mode);
        let refused = local.run(&["orders"]).ended(2).line();
        let error = refused["error"].as_str().unwrap();
        assert!(error.contains(&format!("mode {mode:o}")) && error.ends_with("chmod 600 it"), "{error}");
    }
    set_mode(&file, 0o400);
    local.run(&["orders"]).ended(0);
}

#[test]
fn a_profile_is_a_name_or_a_path_or_the_environment() {
    let local = Local::start();
    let keys = local.exchange.keys();
    write_profile(local.profiles.path(), "desk", &local.url, [&keys.key, &keys.secret, &keys.passphrase]);
    let folder = local.profiles.path();
    run(folder, &["--profile", "desk", "orders"], "").ended(0);
    run(folder, &["--profile", folder.join("desk.env").to_str().unwrap(), "orders"], "").ended(0);
    let missing = run(folder, &["--profile", "other", "orders"], "").ended(2);
    assert!(missing.out.contains("other.env"), "{missing:?}");
    // The keys of one desk are not those of another.
    let missing = run(folder, &["--profile", "desk.2", "orders"], "").ended(2);
    assert!(missing.out.contains("desk.2.env"), "{missing:?}");
    let variables =
        [("URL", &local.url), ("KEY", &keys.key), ("SECRET", &keys.secret), ("PASSPHRASE", &keys.passphrase)];
    for left_out in 0..=variables.len() {
        let mut command = command(folder);
        for (at, (name, value)) in variables.iter().enumerate().filter(|(at, _)| *at != left_out) {
            let _ = at;
            command.env(format!("TRADEAPI_{name}"), value);
        }
        let status = if left_out == variables.len() { 0 } else { 2 };
        let ran = ran(command.arg("orders"), "").ended(status);
        if let Some((name, _)) = variables.get(left_out) {
            assert!(ran.out.contains(&format!("TRADEAPI_{name}")), "{ran:?}");
        }
    }
}

#[test]
fn local_is_this_machine_alone() {
    let folder = tempfile::TempDir::new().unwrap();
    write_profile(folder.path(), "local", "https://api.example.com", ["k", "s", "p"]);
    let refused = run(folder.path(), &["--local", "orders"], "").ended(2);
    assert!(refused.out.contains("on this machine"), "{refused:?}");
    fs::remove_file(folder.path().join("local.env")).unwrap();
    let missing = run(folder.path(), &["--local", "orders"], "").ended(2);
    assert!(missing.out.contains("start the local exchange"), "{missing:?}");
}

#[test]
fn profiles_are_below_the_home_folder_unless_a_variable_says_otherwise() {
    let local = Local::start();
    let home = tempfile::TempDir::new().unwrap();
    let folder = home.path().join(".config/tradeapi");
    fs::create_dir_all(&folder).unwrap();
    fs::rename(local.profiles.path().join("local.env"), folder.join("local.env")).unwrap();
    let at_home =
        |command: &mut std::process::Command| ran(command.env("HOME", home.path()).args(["--local", "orders"]), "");
    at_home(&mut std::process::Command::new(crate::fixture::PROGRAM)).ended(0);
    at_home(&mut local.command()).ended(2);
}
