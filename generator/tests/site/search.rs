//! The search, as the script of the pages does it.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::sites;

/// Runs the script without a page, and prints what it finds.
const HARNESS: &str = r#"
const fs = require("fs"), vm = require("vm");
const nothing = { addEventListener() {}, querySelector: () => null, documentElement: { dataset: {} } };
const context = vm.createContext({ window: {}, document: nothing, localStorage: { getItem: () => null } });
for (const file of ["search.js", "site.js"]) vm.runInContext(fs.readFileSync(`${process.argv[2]}/${file}`, "utf8"), context);
const queries = JSON.parse(process.argv[3]);
const found = queries.map((query) => context.lookUp(query).map(({ kind, title, place }) => [kind, title, place]));
const says = context.lookUp("websockets").find(({ title }) => title === "Websockets").text;
const states = [context.state("balance", 0), context.state("balance", 3)];
delete context.window.siteIndex;
const loading = context.state("balance", 0);
nothing.querySelector = () => ({});
console.log(JSON.stringify([...found, [...states, loading, context.state("balance", 0), says]]));
"#;

#[test]
fn people_find_what_they_mean_however_they_write_it() {
    if Command::new("node").arg("--version").output().is_err() {
        println!("SKIPPED: there is no node");
        return;
    }
    let wanted: [(&str, &str, &str); 46] = [
        ("place order", "operation", "Place Order"),
        ("placeorder", "operation", "Place Order"),
        ("plce order", "operation", "Place Order"),
        ("palce ordr", "operation", "Place Order"),
        ("cancelorder", "operation", "Cancel Order"),
        ("modfy order", "operation", "Modify Order"),
        ("new order", "operation", "Place Order"),
        ("hmac", "concept", "Signing"),
        ("base64", "concept", "Signing"),
        ("signature", "concept", "Signing"),
        ("permission", "concept", "Permissions"),
        ("batch size", "concept", "Batch sizes"),
        ("40725", "code", "40725"),
        ("clientOid", "parameter", "clientOid"),
        ("client oid", "parameter", "clientOid"),
        ("unfilled orders", "operation", "Get Open Orders"),
        ("fill history", "operation", "Get Fill History"),
        ("units", "concept", "Quantities and units"),
        ("sell", "operation", "Place Order"),
        ("close position", "operation", "Flash Close Position"),
        ("rate limit", "concept", "Rate limits"),
        ("balance", "operation", "Get Account Assets"),
        ("retry", "concept", "Unknown outcomes"),
        ("idempotency", "concept", "Unknown outcomes"),
        ("pagination", "concept", "Paging and batches"),
        ("maximum batch cancel", "operation", "Batch Cancel"),
        ("how often open orders", "operation", "Get Open Orders"),
        ("hedge mode", "concept", "Account"),
        ("postonly", "values", "TimeInForce"),
        ("openordrs", "operation", "Get Open Orders"),
        ("fils rate limit", "operation", "Get Fill History"),
        ("rate limit of fills", "operation", "Get Fill History"),
        ("how many orders may a batch have", "concept", "Batch sizes"),
        ("how long are fills kept", "operation", "Get Fill History"),
        ("transfer permission", "concept", "Permissions"),
        ("take profit when amending", "parameter", "takeProfit"),
        ("what to do after 40725", "code", "40725"),
        ("timestamp window", "concept", "Signing"),
        ("closeposition", "operation", "Flash Close Position"),
        ("hedgemode", "concept", "Account"),
        ("sandbox", "concept", "The market demo"),
        ("demo trading", "concept", "The market demo"),
        ("websockets", "concept", "Websockets"),
        ("streaming", "concept", "Websockets"),
        ("futures balance", "operation", "Get Contract Accounts"),
        ("only-non-zero-balances", "rule", "only-non-zero-balances"),
    ];
    let site = sites().next().unwrap().1;
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [("search.js", &site.files["search.js"]), ("site.js", &site.files["site.js"])] {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let harness = folder.path().join("harness.js");
    fs::write(&harness, HARNESS).unwrap();
    let queries: Value = wanted.iter().map(|(query, ..)| Value::from(*query)).collect();
    let output = Command::new("node").arg(&harness).arg(folder.path()).arg(queries.to_string()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut missed = Vec::new();
    for ((query, kind, title), found) in wanted.iter().zip(found.as_array().unwrap()) {
        let first: Vec<_> = found.as_array().unwrap().iter().take(3).collect();
        if !first.iter().any(|one| one[0] == *kind && one[1] == *title) {
            missed.push(format!("{query:?} finds {first:?}"));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    // Operations come before the rules about them.
    assert_eq!(found[21][0], serde_json::json!(["operation", "Get Account Assets", "Unified account"]));
    // The title of an operation may be that of several families.
    assert_eq!(found[45][0][2], "Get Account Assets, Unified account");
    let states = found[46].as_array().unwrap();
    assert_eq!(states[..2], ["Nothing has these words.", "3 results"]);
    assert!(states[2].as_str().unwrap().starts_with("Loading"), "{states:?}");
    assert!(states[3].as_str().unwrap().contains("reload"), "{states:?}");
    assert!(states[4].as_str().unwrap().starts_with("Not supported"), "{states:?}");
    // Where families share a code, the one with the most operations comes first.
    let shared = &found[12];
    assert!(shared[0][0] == "code" && shared[0][2] == "Unified account", "{shared}");
}
