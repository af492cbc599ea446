//! The public interface of the emitted crate: every public item with its signature.

use std::fs;
use std::path::Path;

use quote::ToTokens;
use tradeapi_gen::{Generator, Layout};

/// Returns the public items of a file, a line each.
fn surface(file: &str) -> String {
    let file = syn::parse_file(file).unwrap();
    file.items.iter().flat_map(item).collect::<Vec<_>>().join("\n")
}

fn item(item: &syn::Item) -> Vec<String> {
    match item {
        syn::Item::Struct(item) if is_public(&item.vis) => {
            let fields = item.fields.iter().filter(|field| is_public(&field.vis));
            let fields = fields.map(|field| format!("    pub {}: {}", text(&field.ident), text(&field.ty)));
            std::iter::once(format!("struct {}", item.ident)).chain(fields).collect()
        }
        syn::Item::Enum(item) if is_public(&item.vis) => {
            let variants = item.variants.iter().map(|variant| format!("{}{}", variant.ident, text(&variant.fields)));
            vec![format!("enum {} {{ {} }}", item.ident, variants.collect::<Vec<_>>().join(", "))]
        }
        syn::Item::Const(item) if is_public(&item.vis) => vec![format!("const {}: {}", item.ident, text(&item.ty))],
        syn::Item::Static(item) if is_public(&item.vis) => vec![format!("static {}: {}", item.ident, text(&item.ty))],
        syn::Item::Fn(item) if is_public(&item.vis) => vec![text(&item.sig)],
        syn::Item::Type(item) if is_public(&item.vis) => vec![format!("type {} = {}", item.ident, text(&item.ty))],
        syn::Item::Trait(item) if is_public(&item.vis) => declaration(item),
        syn::Item::Impl(item) => implementation(item),
        syn::Item::Macro(item) => macro_call(&item.mac),
        _ => Vec::new(),
    }
}

/// Returns a macro that declares a type counts as this type.
fn macro_call(call: &syn::Macro) -> Vec<String> {
    let path = text(&call.path);
    match path.as_str() {
        "runtime::open_enum" | "runtime::record" | "runtime::one_of" | "runtime::by_value" | "runtime::parameters" => {
            let declared: syn::File = call.parse_body().unwrap();
            let has_rows = ["runtime::one_of", "runtime::by_value", "runtime::parameters"].contains(&path.as_str());
            let rows = declared.items.first().filter(|_| has_rows).map(rows).unwrap_or_default();
            let items = declared.items.iter().flat_map(item);
            std::iter::once(format!("{path}!")).chain(items).chain(rows).collect()
        }
        "runtime::codes" | "runtime::refusals" => {
            vec![text(&call.tokens).split(" ;").next().unwrap().rsplit("pub ").next().unwrap().to_owned()]
        }
        _ => vec![format!("{path}! {}", macro_arguments(call))],
    }
}

/// Returns what the runtime's macros make of the rows of a declaration: setters of parameters, and conversions into a
/// choice.
fn rows(item: &syn::Item) -> Vec<String> {
    let wire = |attributes: &[syn::Attribute]| {
        attributes.iter().find(|attribute| attribute.path().is_ident("wire")).map(|attribute| text(&attribute.meta))
    };
    let is_parameters = |name: &syn::Ident| format!("impl runtime::parameters::Parameters for {name}");
    match item {
        syn::Item::Struct(item) => {
            let setters = item.fields.iter().filter_map(|field| {
                let (name, wire) = (field.ident.as_ref()?, wire(&field.attrs)?);
                let ty = text(&field.ty);
                let inner = ty.strip_prefix("Option<").or_else(|| ty.strip_prefix("runtime::Edit<"))?;
                let inner = inner.strip_suffix('>')?;
                let taken = match wire.split_once("from impl ").map(|(_, conversion)| conversion.trim_end_matches(')'))
                {
                    Some(conversion) if conversion.starts_with("IntoDecimal") => {
                        "impl runtime::value::IntoDecimal".to_owned()
                    }
                    Some(conversion) if conversion.starts_with("IntoEdit") => {
                        "impl runtime::value::IntoEdit".to_owned()
                    }
                    Some(_) if ty.starts_with("Option") => format!("impl Into<{inner}>"),
                    Some(_) => format!("impl Into<{ty}>"),
                    None => inner.to_owned(),
                };
                Some(format!("{}::fn {name}(mut self, {name}: {taken}) -> Self", item.ident))
            });
            std::iter::once(is_parameters(&item.ident)).chain(setters).collect()
        }
        syn::Item::Enum(item) => {
            // A choice by value states the enum that decides, and each of its sets converts into it.
            let decider = wire(&item.attrs).map(|wire| wire.split([' ', ',', ')']).nth(2).unwrap().to_owned());
            let converts = |variant: &&syn::Variant| {
                decider.is_some() || wire(&variant.attrs).is_some_and(|wire| wire.contains("impl From"))
            };
            let kind = decider.iter().map(|decider| format!("{}::fn kind(&self) -> {decider}", item.ident));
            let from = item
                .variants
                .iter()
                .filter(converts)
                .flat_map(|variant| &variant.fields)
                .map(|field| format!("impl From<{}> for {}", text(&field.ty), item.ident));
            std::iter::once(is_parameters(&item.ident)).chain(kind).chain(from).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns a trait with its members, and whether each has a default.
fn declaration(item: &syn::ItemTrait) -> Vec<String> {
    let members = item.items.iter().map(|member| match member {
        syn::TraitItem::Fn(function) if function.default.is_some() => format!("    {} {{ .. }}", text(&function.sig)),
        syn::TraitItem::Fn(function) => format!("    {}", text(&function.sig)),
        syn::TraitItem::Const(one) => {
            format!("    const {}: {}{}", one.ident, text(&one.ty), if one.default.is_some() { " = .." } else { "" })
        }
        syn::TraitItem::Type(one) => format!("    type {}: {}", one.ident, text(&one.bounds)),
        _ => String::new(),
    });
    std::iter::once(format!("trait {}: {}", item.ident, text(&item.supertraits))).chain(members).collect()
}

fn implementation(item: &syn::ItemImpl) -> Vec<String> {
    let target = text(&item.self_ty);
    if let Some((path, _)) = &item.trait_ {
        return vec![format!("impl {} for {target}", text(path))];
    }
    let functions = item.items.iter().filter_map(|member| match member {
        syn::ImplItem::Fn(function) if is_public(&function.vis) => Some(format!("{target}::{}", text(&function.sig))),
        _ => None,
    });
    functions.collect()
}

/// Returns the arguments of the runtime's macros, without the documentation among them, a line for each row.
fn macro_arguments(call: &syn::Macro) -> String {
    let mut tokens = call.tokens.clone().into_iter().peekable();
    let mut without_docs = quote::quote!();
    while let Some(token) = tokens.next() {
        if token.to_string() != "#" || tokens.next_if(|next| next.to_string().starts_with("[doc")).is_none() {
            without_docs.extend([token]);
        }
    }
    text(&without_docs).split_whitespace().collect::<Vec<_>>().join(" ").replace("; ", ";\n    ")
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

fn text(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    let tight = [
        (" :: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        ("& ", "&"),
        (" , ", ", "),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" : ", ": "),
    ];
    tight.iter().fold(text, |text, (loose, tight)| text.replace(loose, tight))
}

#[test]
fn the_surface_of_the_thirty_operations() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
    let files = Generator::new().schema_dir(schema).read().unwrap().emit(Layout::Crate);
    for family in ["broker", "classic", "unified"] {
        let of_family = files.iter().filter(|(name, _)| name.starts_with(&format!("{family}/")));
        let text: String = of_family.map(|(name, text)| format!("=== {name}\n{}\n\n", surface(text))).collect();
        insta::assert_snapshot!(format!("surface_{family}"), text);
    }
    insta::assert_snapshot!("surface_root", surface(&files["lib.rs"]));
}

/// The functions that the macros of the runtime declare, which are the same for every API.
#[test]
fn the_surface_of_clients_and_families() {
    let macros = ["client", "operations"].map(|file| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generator/runtime/src/facade/emitted");
        fs::read_to_string(folder.join(file).with_extension("rs")).unwrap()
    });
    let macros = macros.concat();
    let after_pub = macros.split("pub ").skip(1).filter_map(|text| text.split_once(" {"));
    let signatures = after_pub.map(|(signature, _)| signature.split_whitespace().collect::<Vec<_>>().join(" "));
    insta::assert_snapshot!(signatures.collect::<Vec<_>>().join("\n"));
}

/// The public items of the runtime, each with the file that declares it. What is removed or changed here breaks crates
/// that use it, and needs another version.
#[test]
fn the_surface_of_the_runtime() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generator/runtime/src");
    let mut paths = Vec::new();
    rust_files(&source, &mut paths);
    paths.sort();
    assert!(paths.len() > 100);
    let files = paths.iter().filter_map(|path| {
        let surface = surface(&fs::read_to_string(path).unwrap());
        // Which traits a type implements follows from macros and derives, too, which are not seen here.
        let lines: Vec<_> = surface.lines().filter(|line| !line.starts_with("impl ")).collect();
        let name = path.strip_prefix(&source).unwrap().display().to_string().replace('\\', "/");
        (!lines.is_empty()).then(|| format!("=== {name}\n{}\n\n", lines.join("\n")))
    });
    insta::assert_snapshot!(files.collect::<String>());
}

/// Lists the sources below a folder, without tests.
fn rust_files(folder: &Path, to: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_test = path.file_stem().is_some_and(|stem| stem == "tests");
        match (path.is_dir(), is_test) {
            (_, true) => {}
            (true, false) => rust_files(&path, to),
            (false, false) => to.extend((path.extension().is_some_and(|end| end == "rs")).then_some(path)),
        }
    }
}
