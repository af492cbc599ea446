//! The same program over the tables of other APIs.

use std::process::Command;

use crate::fixture::{Ran, ran};

fn run(program: &str, arguments: &[&str]) -> Ran {
    ran(Command::new(program).env_clear().args(arguments), "")
}

#[test]
fn requests_of_other_apis_are_shown_as_they_travel() {
    let kraken = env!("CARGO_BIN_EXE_kraken");
    let catalogue = run(kraken, &["catalogue"]).ended(0).lines();
    assert!(catalogue.iter().any(|line| line["effect"] == "create"), "{catalogue:?}");
    let order = catalogue.iter().find(|line| line["effect"] == "create").unwrap();
    let [family, name] = [0, 1].map(|at| order["command"][at].as_str().unwrap());
    let given = [family, name, "--dry-run"];
    // What is missing is listed for each parameter that is required.
    let refused = run(kraken, &given).ended(2).line();
    let required = order["parameters"].as_array().unwrap().iter().filter(|one| one["required"] == true).count();
    assert!(refused["violations"].as_array().unwrap().len() >= required && required > 0, "{refused}");
}

#[test]
fn hostile_names_and_texts_make_a_program_that_works() {
    // The library has a family of this name.
    let library = (env!("CARGO_BIN_EXE_library"), "library-catalogue");
    for (program, catalogue) in
        [library, (env!("CARGO_BIN_EXE_obstacles"), "catalogue"), (env!("CARGO_BIN_EXE_kraken"), "catalogue")]
    {
        let lines = run(program, &[catalogue]).ended(0).lines();
        for line in &lines {
            let [family, name] = [0, 1].map(|at| line["command"][at].as_str().unwrap());
            let help = run(program, &[family, name, "--help"]).ended(0).out;
            for parameter in line["parameters"].as_array().unwrap() {
                let flag = parameter["flag"].as_str().unwrap();
                assert!(flag.is_empty() || help.contains(&format!("--{flag}")), "{family} {name}: no --{flag}");
            }
        }
        assert!(!lines.is_empty());
        run(program, &["completions", "bash"]).ended(0);
    }
}
