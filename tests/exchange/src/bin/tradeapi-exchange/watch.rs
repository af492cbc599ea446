//! The data of the page in a terminal: `tradeapi-exchange watch`.

use std::io::{self, Write};
use std::time::Duration;

use bytes::Bytes;
use http::uri::InvalidUri;
use http::{Request, Uri, header};
use serde_json::{Value, json};
use tradeapi::runtime::transport::{HyperTransport, Transport, TransportLimits};

/// The refresh interval.
const PAUSE: Duration = Duration::from_secs(1);

/// The most rows of a list, and the most characters of a text.
const MAX_ROWS: usize = 12;
const MAX_LETTERS: usize = 48;

/// Moves the cursor to the first line and clears the screen.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// The lists that are shown, with their columns.
const LISTS: &[(&str, &[&str])] = &[
    ("orders", &["id", "account", "symbol", "line", "side", "price", "qty", "filled", "client"]),
    ("positions", &["account", "symbol", "line", "side", "qty", "entry", "mark", "liquidation", "profit", "coin"]),
    ("ended", &["id", "account", "symbol", "line", "side", "price", "qty", "filled", "state"]),
    ("fills", &["symbol", "line", "side", "price", "qty", "fee", "coin", "profit"]),
    ("balances", &["account", "coin", "total", "available", "frozen", "margin", "debt"]),
    ("faults", &["kind", "code", "aim", "permille", "times", "delay"]),
    ("violations", &["rule", "count"]),
    ("ignored", &["rule", "count"]),
    ("requests", &["number", "method", "path", "code", "rule", "wrong", "odd"]),
];

/// The conditions of the network and the nodes, which are shown unless they are the defaults.
const CONDITIONS: &[&str] = &["latency", "clocks", "lag", "maintenance"];

/// The data of a hostile exchange.
const HOSTILITY: &[&str] = &["faults", "quirks", "seed", "nodes", "wrong", "odd"];

/// Shows the state of the exchange at `url`, once or each second until an error.
pub(crate) async fn watch(url: &str, is_once: bool) -> io::Result<()> {
    let transport = HyperTransport::new(TransportLimits::default()).map_err(io::Error::other)?;
    loop {
        let text = screen(&state(&transport, url).await?);
        let text = if is_once { text } else { format!("{CLEAR}{text}") };
        io::stdout().write_all(text.as_bytes())?;
        io::stdout().flush()?;
        if is_once {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn state(transport: &HyperTransport, url: &str) -> io::Result<Value> {
    let target = format!("{}/-/state", url.trim_end_matches('/'));
    let failed = |why: String| io::Error::other(format!("{target}: {why}"));
    let uri: Uri = target.parse().map_err(|error: InvalidUri| failed(error.to_string()))?;
    let host = uri.authority().map(|authority| authority.as_str().to_owned()).unwrap_or_default();
    let request = Request::get(uri).header(header::HOST, host).body(Bytes::new());
    let request = request.map_err(|error| failed(error.to_string()))?;
    let answer = transport.send(request).await.map_err(|error| failed(error.to_string()))?;
    if !answer.status().is_success() {
        return Err(failed(format!("status {}, expected the address of a local exchange", answer.status())));
    }
    serde_json::from_slice(answer.body()).map_err(|error| failed(error.to_string()))
}

/// Returns the lists of a state as tables, without empty ones.
fn screen(state: &Value) -> String {
    let mut out = format!("{}, speed {}\n", time(&state["now"]), cell(&state["speed"]));
    let market = &state["market"];
    if market.is_object() {
        let best = |side: &str| cell(&market[side][0]["price"]);
        let [symbol, line, last, mark] = ["symbol", "line", "last", "mark"].map(|name| cell(&market[name]));
        out += &format!("{symbol} {line}: last {last}, mark {mark}, bid {}, ask {}\n", best("bids"), best("asks"));
    }
    let is_ordinary = |value: &Value| [json!([]), json!(0), json!(false), Value::Null].contains(value);
    let conditions = CONDITIONS.iter().map(|name| (name, &state["conditions"][*name]));
    let conditions: Vec<_> = conditions
        .filter(|(_, value)| !is_ordinary(value))
        .map(|(name, value)| format!("{name} {}", cell(value)))
        .collect();
    if !conditions.is_empty() {
        out += &format!("conditions: {}\n", conditions.join(", "));
    }
    if state["hostility"].is_object() {
        let words = |name: &&str| format!("{name} {}", cell(&state["hostility"][*name]));
        out += &format!("hostile: {}\n", HOSTILITY.iter().map(words).collect::<Vec<_>>().join(", "));
    }
    for (name, columns) in LISTS {
        let rows = state[*name]["list"].as_array().map(Vec::as_slice).unwrap_or_default();
        if rows.is_empty() {
            continue;
        }
        out += &format!("\n{name}: {}\n", cell(&state[*name]["count"]));
        out += &table(columns, rows);
    }
    out
}

fn table(columns: &[&str], rows: &[Value]) -> String {
    let head = columns.iter().map(|column| (*column).to_owned()).collect();
    let cells = |row: &Value| columns.iter().map(|column| cell(&row[*column])).collect();
    let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows.iter().take(MAX_ROWS).map(cells)).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let padded = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("  {cell:<width$}"));
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    lines.iter().map(padded).collect()
}

/// Returns a time in UTC, such as `2026-11-26 06:11:09`.
fn time(millis: &Value) -> String {
    let seconds = millis.as_u64().unwrap_or_default() / 1000;
    let stamp = tradeapi::Timestamp::from_millis(seconds * 1000);
    let text = tradeapi::runtime::value::IsoTime::from(stamp).to_string();
    text.get(..19).unwrap_or(&text).replace('T', " ")
}

/// Returns a value without control characters, shortened if it is long.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let is_long = text.chars().count() > MAX_LETTERS;
    let shown = text.chars().take(MAX_LETTERS).map(|letter| if letter.is_control() { '\u{fffd}' } else { letter });
    shown.chain(is_long.then_some('…')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_become_tables_and_texts_steer_no_terminal() {
        let request =
            json!({"number": 7, "method": "POST", "path": "/\u{1b}[2J", "code": "40762", "rule": "x".repeat(99)});
        let state = json!({
            "now": 5, "speed": 1,
            "conditions": {"latency": [5, 20], "clocks": [], "lag": 500, "maintenance": false},
            "hostility": {"faults": 40, "quirks": 8, "seed": "7", "nodes": "2,1:lag=2500", "wrong": 3, "odd": 1},
            "orders": {"count": 0, "list": []},
            "balances": {"count": 20, "list": vec![json!({"account": "unified 1", "coin": "BTC", "total": "2"}); 20]},
            "requests": {"count": 9, "list": [request]},
        });
        let text = screen(&state);
        assert!(!text.contains('\u{1b}') && !text.contains("orders"), "{text}");
        assert_eq!(text.matches("  unified 1  BTC   2").count(), MAX_ROWS, "{text}");
        assert!(text.contains("conditions: latency [5,20], lag 500\n"), "{text}");
        let hostile = "hostile: faults 40, quirks 8, seed 7, nodes 2,1:lag=2500, wrong 3, odd 1\n";
        assert!(text.contains(hostile), "{text}");
        assert!(text.contains("balances: 20") && text.contains("/\u{fffd}[2J") && text.contains("x…"), "{text}");
    }
}
