//! Nothing that the program prints contains a key, a secret or a passphrase.

use crate::fixture::{Local, order, run, write_profile};

#[test]
fn no_output_contains_a_credential() {
    let local = Local::start();
    let canaries = ["canary-key-6f1", "canary-secret-9c2", "canary-passphrase-3d7"];
    write_profile(local.profiles.path(), "wrong", &local.url, canaries);
    write_profile(local.profiles.path(), "nowhere", "http://127.0.0.1:1", canaries);
    std::fs::write(local.profiles.path().join("broken.env"), format!("{}\n", canaries[1])).unwrap();
    crate::fixture::set_mode(&local.profiles.path().join("broken.env"), 0o600);
    let place = [&["unified", "place-order"][..], &order("a")].concat();
    let commands: [&[&str]; 5] =
        [&["orders"], &["positions"], &place, &["unified", "cancel-order", "--client-oid", "a"], &["mcp"]];
    let mut ran = 0;
    for profile in ["wrong", "nowhere", "broken"] {
        for format in ["json", "table"] {
            for command in commands {
                let given = [&["--profile", profile, "--format", format][..], command].concat();
                let output = run(local.profiles.path(), &given, "");
                for canary in canaries {
                    assert!(!output.out.contains(canary) && !output.err.contains(canary), "{given:?}: {output:?}");
                }
                ran += 1;
            }
        }
    }
    assert_eq!(ran, 30);
    let keys = local.exchange.keys();
    for command in [&place[..], &["--format", "table", "unified", "place-order", "--side", "buy"], &["catalogue"]] {
        let output = local.run(command);
        for secret in [&keys.key, &keys.secret, &keys.passphrase] {
            assert!(!output.out.contains(secret.as_str()) && !output.err.contains(secret.as_str()), "{output:?}");
        }
    }
}
