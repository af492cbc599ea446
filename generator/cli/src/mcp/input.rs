//! Standard input as the library of the protocol answers it rightly.
//!
//! Arguments have no name twice: a reader of JSON keeps the last one and drops the other in silence. Parameters are an
//! object or null: with others, the library answers without the id of the request, and its caller waits for ever.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncBufRead as _, AsyncRead, BufReader, ReadBuf};
use tradeapi_runtime::json::{Json, JsonWriter, Map, read_json};

/// The argument in whose place a tool gets the name that it was given twice.
pub(super) const TWICE: &str = "name that is there twice";

/// Messages, one a line, of which the arguments of tools have no name twice.
pub(super) struct Input<R> {
    from: BufReader<R>,
    line: Vec<u8>,
    /// A line that was read to its end, as far as it is not taken yet.
    checked: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Input<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from: BufReader::new(from), line: Vec::new(), checked: Vec::new() }
    }

    /// Reads the next line, unless one is left; what comes before the end of the input is one, too.
    fn poll_line(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.checked.is_empty() {
            let bytes = ready!(Pin::new(&mut self.from).poll_fill_buf(context))?;
            let end = bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
            let (count, is_last) = (end.unwrap_or(bytes.len()), bytes.is_empty());
            self.line.extend(bytes.iter().take(count));
            Pin::new(&mut self.from).consume(count);
            if end.is_some() || is_last {
                self.checked = checked(std::mem::take(&mut self.line));
            }
            if is_last {
                break;
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Input<R> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_line(context))?;
        let count = self.checked.len().min(to.remaining());
        let taken: Vec<u8> = self.checked.drain(..count).collect();
        to.put_slice(&taken);
        Poll::Ready(Ok(()))
    }
}

/// Returns the message, in which arguments with a name twice are replaced by that name, and parameters without names by
/// null.
fn checked(line: Vec<u8>) -> Vec<u8> {
    let text = std::str::from_utf8(&line).ok().map(str::trim);
    let replaced = text.and_then(|text| within(text, &["params", "arguments"]).or_else(|| with_named(text)));
    replaced.map_or(line, |message| (message + "\n").into_bytes())
}

/// Returns the message with null in place of its parameters, if they have no names.
fn with_named(json: &str) -> Option<String> {
    let members = read_json::<Map<Json>>(json).ok()?.entries;
    let has_names = |value: &Json| value.as_str().starts_with('{') || value.as_str() == "null";
    members.iter().find(|(name, value)| name == "params" && !has_names(value))?;
    let mut out = JsonWriter::new();
    out.begin_object();
    for (name, value) in &members {
        out.member(name).raw(if name == "params" { "null" } else { value.as_str() });
    }
    out.end_object();
    Some(out.finish())
}

/// Returns the object with another value at the end of the path, if there is a name twice.
fn within(json: &str, path: &[&str]) -> Option<String> {
    let Some((step, rest)) = path.split_first() else {
        let mut out = JsonWriter::new();
        out.begin_object();
        out.member(TWICE).string(&twice(json, "")?);
        out.end_object();
        return Some(out.finish());
    };
    let members = read_json::<Map<Json>>(json).ok()?.entries;
    let replaced = members.iter().find(|(name, _)| name == step).and_then(|(_, value)| within(value.as_str(), rest))?;
    let mut out = JsonWriter::new();
    out.begin_object();
    for (name, value) in &members {
        out.member(name).raw(if name == step { &replaced } else { value.as_str() });
    }
    out.end_object();
    Some(out.finish())
}

/// Returns the path to the first name that an object in a JSON text has twice.
fn twice(json: &str, path: &str) -> Option<String> {
    match json.trim_start().as_bytes().first() {
        Some(b'{') => {
            let members = read_json::<Map<Json>>(json).ok()?.entries;
            members.iter().enumerate().find_map(|(at, (name, value))| {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let is_twice = members.iter().take(at).any(|(other, _)| other == name);
                if is_twice { Some(path) } else { twice(value.as_str(), &path) }
            })
        }
        Some(b'[') => {
            let items = read_json::<Vec<Json>>(json).ok()?;
            items.iter().enumerate().find_map(|(at, item)| twice(item.as_str(), &format!("{path}[{at}]")))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn only_arguments_with_a_name_twice_and_parameters_without_names_are_replaced() {
        let call = |arguments: &str| format!(r#"{{"id":1,"params":{{"name":"x","arguments":{arguments}}}}}"#);
        let twice = |path: &str| call(&format!(r#"{{"{TWICE}":"{path}"}}"#));
        let same = [call(r#"{"a":1,"b":{"a":[{"a":2}]}}"#), "{".to_owned(), r#"{"id":1,"id":2}"#.to_owned()];
        let mut given = vec![call(r#"{"a":1,"b":2,"a":1}"#), call(r#"{"a":[{},{"b":{"c":1,"c":2}}]}"#)];
        given.extend([r#"["x", {}]"#, r#""x""#, "7"].map(|params| format!(r#"{{"id":1,"params":{params}}}"#)));
        let input = [&same[..], &given].concat().join("\n") + "\nlast";
        let mut read = String::new();
        Input::new(input.as_bytes()).read_to_string(&mut read).await.unwrap_or_default();
        let unnamed = r#"{"id":1,"params":null}"#.to_owned();
        let replaced = [twice("a"), twice("a[1].b.c"), unnamed.clone(), unnamed.clone(), unnamed];
        let wanted = [&same[..], &replaced, &["last".to_owned()]].concat().join("\n");
        assert_eq!(read, wanted);
    }
}
