//! All operations as JSON, for programs that choose by themselves.

use tradeapi_runtime::json::JsonWriter;
use tradeapi_runtime::tables::Access;

use crate::command::Command;
use crate::parameter::{Kind, Parameter, Required};
use crate::table::Program;

/// Returns a line for each operation.
pub(crate) fn lines(program: &'static Program) -> Vec<String> {
    let families = program.families.iter();
    families.flat_map(|family| family.commands.iter().map(|command| line(family.name, command))).collect()
}

fn line(family: &str, command: &Command) -> String {
    let meta = command.meta;
    let mut out = JsonWriter::new();
    out.begin_object();
    out.member("command").begin_array();
    out.element().string(family);
    out.element().string(command.name);
    out.end_array();
    for (name, text) in [
        ("operation", meta.id),
        ("title", meta.title),
        ("doc", meta.doc),
        ("method", meta.method.as_str()),
        ("path", meta.path),
        ("effect", meta.effect.as_str()),
        ("source", &meta.source()),
    ] {
        out.member(name).string(text);
    }
    out.member("signed").boolean(meta.access == Access::Signed);
    out.member("whitelisted").boolean(meta.whitelisted);
    out.member("pages").boolean(command.has_pages);
    if let Some(permission) = meta.permission {
        out.member("permission").string(permission);
    }
    out.member("limits").begin_array();
    for limit in meta.limits {
        let out = out.element();
        out.begin_object();
        out.member("calls").raw(&limit.calls.to_string());
        out.member("perMilliseconds").raw(&limit.per_millis.to_string());
        out.member("per").string(limit.scope.as_str());
        out.member("class").string(limit.class);
        if let Some(pool) = limit.pool {
            out.member("pool").string(pool);
            out.member("weight").raw(&limit.weight.to_string());
        }
        out.end_object();
    }
    out.end_array();
    parameters(&(command.parameters)(), out.member("parameters"));
    out.member("rules").begin_array();
    for rule in meta.rules {
        let out = out.element();
        out.begin_object();
        for (name, text) in [("id", rule.id), ("at", rule.at), ("says", rule.says), ("hint", rule.hint)] {
            out.member(name).string(text);
        }
        out.end_object();
    }
    out.end_array();
    out.end_object();
    out.finish()
}

fn parameters(all: &[Parameter], out: &mut JsonWriter) {
    out.begin_array();
    for parameter in all {
        let out = out.element();
        out.begin_object();
        out.member("name").string(parameter.name);
        out.member("flag").string(&parameter.flag);
        kind(&parameter.kind, out);
        match &parameter.required {
            Required::Always => out.member("required").boolean(true),
            Required::Sometimes(when) => out.member("required").string(when),
            Required::No => out.member("required").boolean(false),
        }
        out.member("doc").string(&parameter.doc);
        out.end_object();
    }
    out.end_array();
}

/// Writes the members that state the values.
fn kind(kind: &Kind, out: &mut JsonWriter) {
    match kind {
        Kind::Text(name) => out.member("type").string(name),
        Kind::Truth => out.member("type").string("boolean"),
        Kind::Words(words) => {
            out.member("type").string("word");
            out.member("values").begin_array();
            words.iter().for_each(|(word, _)| out.element().string(word));
            out.end_array();
        }
        Kind::List(of) => {
            out.member("type").string("list");
            out.member("of").begin_object();
            self::kind(of, out);
            out.end_object();
        }
        Kind::Object(members) => {
            out.member("type").string("object");
            parameters(members, out.member("members"));
        }
        Kind::Objects(members) => {
            out.member("type").string("list of objects");
            parameters(members, out.member("members"));
        }
        Kind::Json => out.member("type").string("JSON"),
    }
}
