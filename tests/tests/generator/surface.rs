//! The public interface of the emitted crate: every public item with its signature.

use std::fs;
use std::path::Path;

use quote::ToTokens;
use tradeapi_gen::{Generator, Layout};

/// The public items of a file, a line each.
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
        syn::Item::Impl(item) => implementation(item),
        syn::Item::Macro(item) => macro_call(&item.mac),
        _ => Vec::new(),
    }
}

/// A macro that declares a type counts as this type.
fn macro_call(call: &syn::Macro) -> Vec<String> {
    let path = text(&call.path);
    match path.as_str() {
        "runtime::open_enum" | "runtime::record" | "runtime::parameters" => {
            let declared: syn::Item = call.parse_body().unwrap();
            std::iter::once(format!("{path}!")).chain(item(&declared)).collect()
        }
        _ => vec![format!("{path}! {}", macro_arguments(call))],
    }
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

/// The arguments of the runtime's macros, without the documentation among them, a line for each row.
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
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generator/runtime/src/emitted");
        fs::read_to_string(folder.join(file).with_extension("rs")).unwrap()
    });
    let macros = macros.concat();
    let after_pub = macros.split("pub ").skip(1).filter_map(|text| text.split_once(" {"));
    let signatures = after_pub.map(|(signature, _)| signature.split_whitespace().collect::<Vec<_>>().join(" "));
    insta::assert_snapshot!(signatures.collect::<Vec<_>>().join("\n"));
}
