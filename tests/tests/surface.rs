//! What users see of the emitted crate: every public item with its signature, without bodies and documentation.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

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
        syn::Item::Macro(item) => vec![format!("{}! {}", text(&item.mac.path), macro_arguments(&item.mac))],
        _ => Vec::new(),
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

/// The arguments of the runtime's macros, without the documentation among them.
fn macro_arguments(call: &syn::Macro) -> String {
    let tokens = call.tokens.to_string();
    tokens.rsplit("] ").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
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
