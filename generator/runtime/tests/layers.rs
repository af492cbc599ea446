//! Modules of the runtime import only from layers below their own. The layers stand in the documentation of the crate.
//! Modules and folders do not import each other in a circle: in the runtime, the command line, the local exchange, the
//! campaigns and the small worlds. Files within a module that is one thought may.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Tested = Result<(), Box<dyn std::error::Error>>;

/// The heading in the documentation of the crate under which the layers are listed, the lowest first.
const HEADING: &str = "//! # Layers";

/// A module that stands in a folder at the root of the crate.
struct Listed<'a> {
    folder: &'a str,
    layer: usize,
}

/// Returns the modules that the list names, from the lowest to the highest. An item begins with the name of a folder, and
/// each item within it with the names of modules of one layer.
fn layers(lib: &str) -> BTreeMap<&str, Listed<'_>> {
    let section = lib.split_once(HEADING).map_or("", |(_, rest)| rest);
    let section = section.split_once("//! # ").map_or(section, |(section, _)| section);
    let (mut folder, mut found) = ("", BTreeMap::new());
    for (layer, line) in section.lines().enumerate() {
        let names = |item: &'static str| Some(line.strip_prefix(item)?.split_once(':')?.0);
        if let Some(name) = names("//! - ") {
            folder = name.trim_matches('`');
        }
        let modules = names("//!   - ").into_iter().flat_map(|names| names.split(", "));
        found.extend(modules.map(|name| (name.trim_matches('`'), Listed { folder, layer })));
    }
    found
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Returns the Rust files below `folder`, those of tests aside.
fn files(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match (path.file_stem().and_then(|stem| stem.to_str()), path.is_dir()) {
            (Some("tests"), _) => {}
            (_, true) => files(&path, found)?,
            (_, false) if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the code of a file without its comments and its unit tests.
fn code(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut code = String::new();
    let (mut is_test, mut follows_attribute) = (false, false);
    for line in lines {
        is_test |= follows_attribute && line.trim_end().ends_with('{') && line.contains("mod ");
        follows_attribute = line == "#[cfg(test)]";
        if !is_test {
            code.extend([line, "\n"]);
        }
        is_test &= line != "}";
    }
    code
}

/// Returns the modules that `code` names by a path from the root of the crate or from a folder there, as `folder::module`.
/// The code stands `depth` modules below the root. A name that is re-exported at the root counts as one as well, so that no
/// import hides behind it.
fn imports(code: &str, depth: usize) -> Vec<String> {
    let (to_root, to_folder) = ("super::".repeat(depth), "super::".repeat(depth - 1));
    let mut found = Vec::new();
    for (prefix, segments) in [("crate::", 2), (&to_root, 2), (&to_folder, 1)] {
        for (at, _) in code.match_indices(prefix).filter(|_| !prefix.is_empty()) {
            let before = &code[..at];
            // `$crate::` is for the users of a macro; more of `super::` is found at its beginning.
            if before.ends_with('$') || before.ends_with("super::") {
                continue;
            }
            let rest = &code[at + prefix.len()..];
            if rest.starts_with("super::") {
                continue;
            }
            let is_part = |letter: &char| letter.is_alphanumeric() || "_:".contains(*letter);
            let path: String = rest.chars().take_while(is_part).collect();
            let is_macro = !path.contains(':') && rest[path.len()..].starts_with('!');
            if !is_macro {
                found.push(path.split("::").take(segments).collect::<Vec<_>>().join("::"));
            }
        }
    }
    found
}

#[test]
fn modules_import_only_from_layers_below() -> Tested {
    let lib = fs::read_to_string(source().join("lib.rs"))?;
    let layers = layers(&lib);
    let mut paths = Vec::new();
    files(&source(), &mut paths)?;
    let mut wrong = Vec::new();
    for path in &paths {
        let within = path.strip_prefix(source())?.with_extension("");
        let names: Vec<_> = within.iter().filter_map(|name| name.to_str()).collect();
        let [folder, own, ..] = names[..] else { continue };
        let layer = layers.get(own).filter(|listed| listed.folder == folder).map(|listed| listed.layer);
        let layer = layer.ok_or_else(|| format!("the layers do not name {own} in {folder}"))?;
        for import in imports(&code(&fs::read_to_string(path)?), names.len()) {
            let (within_folder, module) = import.split_once("::").unwrap_or((folder, &import));
            match layers.get(module).filter(|listed| listed.folder == within_folder) {
                Some(_) if module == own => {}
                Some(listed) if listed.layer < layer => {}
                _ => wrong.push(format!("{} imports {import}", within.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "not from a layer below:\n{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn every_module_has_a_layer() -> Tested {
    let lib = fs::read_to_string(source().join("lib.rs"))?;
    let listed: BTreeSet<_> =
        layers(&lib).into_iter().map(|(module, listed)| (listed.folder.to_owned(), module.to_owned())).collect();
    let mut declared = BTreeSet::new();
    for folder in modules_of(&lib) {
        let text = fs::read_to_string(source().join(&folder).with_extension("rs"))?;
        declared.extend(modules_of(&text).into_iter().map(|module| (folder.clone(), module)));
    }
    assert_eq!(listed, declared);
    Ok(())
}

/// Returns the modules that a file declares.
fn modules_of(text: &str) -> Vec<String> {
    let declared = |line: &str| {
        let line = line.trim_start_matches("pub(crate) ").trim_start_matches("pub ");
        Some(line.strip_prefix("mod ")?.trim_end_matches(';').to_owned())
    };
    text.lines().filter_map(declared).collect()
}

#[test]
fn an_import_is_found_however_it_is_written() {
    let text = "use crate::calls::client::ClientCore;\n// crate::calls::pages\n\
                fn f(a: crate::Error, b: super::super::super::network::limits::Plan) {}\n\
                macro_rules! m { () => { $crate::json::Reader } }\ncrate::identifier! {}\nuse super::super::retry::Policy;\n\
                #[cfg(test)]\nmod tests {\n    use crate::facade::blocking;\n}\nuse super::super::super::{calls::retry};\n";
    assert_eq!(imports(&code(text), 3), ["calls::client", "Error", "network::limits", "", "retry"]);
}

/// The source folders without circular imports, and how many imports each has at least.
const WITHOUT_CIRCLES: [(&str, usize); 5] = [
    ("src", 100),
    ("../cli/src", 40),
    ("../../tests/exchange/src", 100),
    ("../../tests/campaign/src", 100),
    ("../../tests/worlds/src", 30),
];

/// A module.
struct Module {
    code: String,
    /// The names that its `use` declarations bring into scope, each with its path from the root of the crate.
    names: BTreeMap<String, String>,
}

/// Returns the modules of a crate by their paths, such as `json::reader`; the root has an empty one.
fn modules(source: &Path) -> Result<BTreeMap<String, Module>, Box<dyn std::error::Error>> {
    let mut paths = Vec::new();
    files(source, &mut paths)?;
    let mut codes = BTreeMap::new();
    for path in paths {
        let within = path.strip_prefix(source)?.with_extension("");
        let parts: Vec<_> = within.iter().filter_map(|part| part.to_str()).filter(|part| *part != "lib").collect();
        codes.insert(parts.join("::"), code(&fs::read_to_string(&path)?));
    }
    Ok(linked(codes))
}

/// Returns the modules, each with the names that it imports.
fn linked(codes: BTreeMap<String, String>) -> BTreeMap<String, Module> {
    let known: BTreeSet<String> = codes.keys().cloned().collect();
    let mut exported = BTreeMap::new();
    let mut modules = BTreeMap::new();
    for (module, code) in codes {
        for (_, rest) in code.match_indices("macro_rules! ").map(|(at, start)| code.split_at(at + start.len())) {
            let name = identifier(rest);
            exported.insert(name.to_owned(), joined(&module, name));
        }
        let names =
            declared(&code).into_iter().filter_map(|(path, name)| Some((name, absolute(&module, &path, &known)?)));
        let names = names.collect();
        modules.insert(module, Module { code, names });
    }
    // An exported macro is at the root of its crate.
    if let Some(root) = modules.get_mut("") {
        exported.into_iter().for_each(|(name, path)| _ = root.names.entry(name).or_insert(path));
    }
    modules
}

fn identifier(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
    &text[..end]
}

fn joined(module: &str, rest: &str) -> String {
    if module.is_empty() { rest.to_owned() } else { format!("{module}::{rest}") }
}

/// Returns the paths of the `use` declarations of a module, each with its name there.
fn declared(code: &str) -> Vec<(String, String)> {
    let starts = code.match_indices("use ").filter(|(at, _)| {
        let line = code[..*at].rsplit('\n').next().unwrap_or_default().trim_start();
        line.is_empty() || line.starts_with("pub") && line.ends_with(' ')
    });
    let trees = starts.filter_map(|(at, start)| code[at + start.len()..].split(';').next());
    trees.flat_map(paths).map(named).collect()
}

/// Returns a path of a `use` declaration, and the name that it brings into scope.
fn named(path: String) -> (String, String) {
    let (path, name) = path.split_once(" as ").unwrap_or((&path, path.rsplit("::").next().unwrap_or_default()));
    match path.strip_suffix("::self") {
        Some(module) => (module.to_owned(), module.rsplit("::").next().unwrap_or_default().to_owned()),
        None => (path.to_owned(), name.to_owned()),
    }
}

/// Returns the paths that a text begins with: one, or each of a group in braces.
fn paths(text: &str) -> Vec<String> {
    let text = text.trim_start();
    let end = text.find(|letter: char| !letter.is_alphanumeric() && !"_:".contains(letter)).unwrap_or(text.len());
    let (path, rest) = text.split_at(end);
    match rest.strip_prefix('{').filter(|_| path.ends_with("::") || path.is_empty()) {
        Some(group) => members(group).into_iter().flat_map(paths).map(|member| format!("{path}{member}")).collect(),
        None => match rest.strip_prefix(" as ") {
            Some(name) => vec![format!("{path} as {}", identifier(name))],
            None => vec![path.to_owned()],
        },
    }
}

/// Returns the members of a group, whose text begins behind its brace.
fn members(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut members) = (0, 0, Vec::new());
    for (at, letter) in group.char_indices() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        if depth < 0 || (letter == ',' && depth == 0) {
            members.push(group[start..at].trim());
            start = at + 1;
        }
        if depth < 0 {
            break;
        }
    }
    members.retain(|member| !member.is_empty());
    members
}

/// Returns a path from the root of the crate; `None` if it leads to another crate.
fn absolute(module: &str, path: &str, known: &BTreeSet<String>) -> Option<String> {
    if let Some(rest) = path.strip_prefix("crate::") {
        return Some(rest.to_owned());
    }
    let mut base = module;
    let mut rest = path.strip_prefix("self::").unwrap_or(path);
    let is_relative = path.starts_with("self::") || path.starts_with("super::");
    while let Some(above) = rest.strip_prefix("super::") {
        base = base.rsplit_once("::").map_or("", |(base, _)| base);
        rest = above;
    }
    (is_relative || known.contains(&joined(base, identifier(rest)))).then(|| joined(base, rest))
}

/// Returns the module that declares the item of a path, even if other modules re-export it.
fn declaring(path: &str, modules: &BTreeMap<String, Module>) -> String {
    let mut path = path.to_owned();
    // No chain of exports is longer.
    for _ in 0..modules.len() {
        let mut module = path.as_str();
        while !modules.contains_key(module) {
            module = module.rsplit_once("::").map_or("", |(module, _)| module);
        }
        let rest = path[module.len()..].trim_start_matches("::");
        let name = identifier(rest);
        match modules.get(module).and_then(|found| found.names.get(name)).filter(|exported| **exported != path) {
            Some(exported) if !name.is_empty() => path = format!("{exported}{}", &rest[name.len()..]),
            _ => return module.to_owned(),
        }
    }
    path
}

/// Returns the modules whose items a module names in paths.
fn named_modules(module: &str, modules: &BTreeMap<String, Module>, known: &BTreeSet<String>) -> BTreeSet<String> {
    let Some(Module { code, .. }) = modules.get(module) else { return BTreeSet::new() };
    let starts = ["crate::", "self::", "super::"].into_iter().flat_map(|start| code.match_indices(start));
    // `$crate::` is for the users of a macro; more of `super::` is found at its beginning.
    let begins = |at: usize| !code[..at].ends_with(|before: char| before.is_alphanumeric() || "_$:".contains(before));
    let paths = starts.filter(|(at, _)| begins(*at)).flat_map(|(at, _)| paths(&code[at..]));
    let paths = paths.filter_map(|path| absolute(module, &named(path).0, known));
    paths.map(|path| declaring(&path, modules)).collect()
}

/// Returns the imports between modules of the same folder, each with an example.
fn between_siblings(modules: &BTreeMap<String, Module>) -> BTreeMap<(String, String), String> {
    let known: BTreeSet<String> = modules.keys().cloned().collect();
    let mut edges = BTreeMap::new();
    for module in modules.keys() {
        for other in named_modules(module, modules, &known) {
            let (own, others): (Vec<&str>, Vec<&str>) = (module.split("::").collect(), other.split("::").collect());
            let shared = own.iter().zip(&others).take_while(|(a, b)| a == b).count();
            // A module that contains the other one is not its sibling, and the root is the sibling of none.
            if shared < own.len() && shared < others.len() && !module.is_empty() && !other.is_empty() {
                let edge = (own[..=shared].join("::"), others[..=shared].join("::"));
                edges.insert(edge, format!("{module} names something of {other}"));
            }
        }
    }
    edges
}

/// Returns the imports that are in circles, or on a path from one circle to another.
fn circles(mut edges: BTreeMap<(String, String), String>) -> BTreeMap<(String, String), String> {
    let mut before = usize::MAX;
    while edges.len() < before {
        before = edges.len();
        let importers: BTreeSet<String> = edges.keys().map(|(module, _)| module.clone()).collect();
        let imported: BTreeSet<String> = edges.keys().map(|(_, other)| other.clone()).collect();
        edges.retain(|(module, other), _| importers.contains(other) && imported.contains(module));
    }
    edges
}

/// Returns whether a module is a file within another module, without modules of its own. Such files are one thought.
fn is_part(module: &str, modules: &BTreeMap<String, Module>) -> bool {
    let is_within = |other: &String| other.strip_prefix(module).is_some_and(|rest| rest.starts_with("::"));
    module.split("::").count() > 2 && !modules.keys().any(is_within)
}

#[test]
fn no_modules_import_each_other_in_a_circle() -> Tested {
    for (source, least) in WITHOUT_CIRCLES {
        let modules = modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join(source))?;
        let mut edges = between_siblings(&modules);
        assert!(edges.len() > least, "{source}: only {} imports were found", edges.len());
        edges.retain(|(module, other), _| !is_part(module, &modules) || !is_part(other, &modules));
        let found: Vec<String> = circles(edges).into_values().collect();
        assert!(found.is_empty(), "{source}: these imports form circles:\n{}", found.join("\n"));
    }
    Ok(())
}

/// The folders of the local exchange import only from those above them in the table of its documentation.
#[test]
fn the_folders_of_the_exchange_form_layers() -> Tested {
    let source = source().join("../../../tests/exchange/src");
    let lib = fs::read_to_string(source.join("lib.rs"))?;
    let rows = lib.lines().filter_map(|line| line.strip_prefix("//! | `")?.split_once('`'));
    let folders: Vec<&str> = rows.map(|(folder, _)| folder).collect();
    let declared: BTreeSet<String> = modules_of(&lib).into_iter().collect();
    assert_eq!(folders.iter().map(|folder| (*folder).to_owned()).collect::<BTreeSet<_>>(), declared);
    let height = |path: &str| folders.iter().position(|folder| Some(*folder) == path.split("::").next());
    for ((module, other), example) in between_siblings(&modules(&source)?) {
        let (Some(own), Some(lower)) = (height(&module), height(&other)) else { continue };
        assert!(lower <= own, "{example}, which stands above it");
    }
    Ok(())
}

#[test]
fn a_circle_is_found_behind_what_hides_it() {
    let found = |files: [(&str, &str); 3]| {
        let codes = files.iter().map(|(module, text)| ((*module).to_owned(), code(text)));
        circles(between_siblings(&linked(codes.collect()))).into_keys().map(|(module, _)| module).collect::<Vec<_>>()
    };
    let face = ("a", "mod x;\nmod y;\npub use x::{self, X};\npub use self::y::Y as Z;\n");
    let one_way = ("a::y", "struct Y;\n// super::X\n#[cfg(test)]\nmod tests {\n    use super::super::X;\n}\n");
    assert!(found([face, ("a::x", "use super::Z;\n"), one_way]).is_empty());
    for other_way in ["use super::{X};\n", "fn f(_: &crate::a::X) {}\n", "use super::super::a::x::{self};\n"] {
        assert_eq!(found([face, ("a::x", "use super::Z;\n"), ("a::y", other_way)]), ["a::x", "a::y"], "{other_way}");
    }
    let exports = "use super::y::Y;\n#[macro_export]\nmacro_rules! made { () => { $crate::a::Z } }\n";
    assert_eq!(found([("", ""), ("a::x", exports), ("a::y", "crate::made! {}\n")]), ["a::x", "a::y"]);
    let deep = [("", ""), ("a::x", "use crate::b::Y;\n"), ("b", "struct Y;\nuse crate::a::x::X;\n")];
    assert_eq!(found(deep), ["a", "b"]);
}
