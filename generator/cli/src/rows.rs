//! Results as tables for people: a row for each of several results, a line for each member of a single one.

use tradeapi_runtime::json::{Json, Map, read_json};
use unicode_width::UnicodeWidthStr as _;

/// A value on a terminal is not wider than this.
const WIDEST: usize = 44;
/// The space between columns.
const GAP: &str = "  ";

/// The members of a result as texts.
pub(crate) type Row = Vec<(String, String)>;

/// The layout of results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// True if the command lists results, so that they are rows, whatever their number.
    pub(crate) is_list: bool,
    /// The columns that are wanted; all of them if none is named.
    pub(crate) columns: Vec<String>,
    /// The columns that are shown first if a result has them, also if others are wanted.
    pub(crate) always: &'static [&'static str],
    /// The columns that come next unless some are wanted: of these groups, that of which results have most.
    pub(crate) leading: Vec<Vec<String>>,
    /// The width of the terminal. Without one, a program reads the table, and nothing is shortened.
    pub(crate) width: Option<usize>,
}

/// Returns the members of an object, and those of objects within it; of anything else, a single one.
pub(crate) fn row(json: &str) -> Row {
    let mut row = Row::new();
    add_members(String::new(), json, &mut row);
    row
}

fn add_members(name: String, json: &str, to: &mut Row) {
    match read_json::<Map<Json>>(json) {
        Ok(map) if json.starts_with('{') => {
            for (member, value) in map.entries {
                let name = if name.is_empty() { member } else { format!("{name}.{member}") };
                add_members(name, value.as_str(), to);
            }
        }
        _ => to.push((if name.is_empty() { "value".to_owned() } else { printable(&name) }, cell(json))),
    }
}

/// Returns a value without quotes; a list as JSON.
fn cell(json: &str) -> String {
    let text =
        if json.starts_with('"') { read_json(json).unwrap_or_else(|_| json.to_owned()) } else { json.to_owned() };
    printable(&text)
}

/// Returns a text whose characters without a shape of their own are escaped: with them, an answer could rewrite the
/// terminal, or show its parts in another order.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() || is_invisible(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Returns whether a character changes the direction of others, joins them, or is not seen.
fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

impl Layout {
    /// Returns the table of these results.
    pub(crate) fn table(&self, rows: &[Row]) -> String {
        let columns = self.columns_of(rows);
        match rows {
            [row] if !self.is_list => members(row, &columns),
            _ => self.grid(rows, &columns),
        }
    }

    /// Returns the wanted columns that no result has, and those that there are.
    pub(crate) fn missing<'a>(&'a self, rows: &'a [Row]) -> (Vec<&'a str>, Vec<&'a str>) {
        let mut known: Vec<&str> = rows.iter().flatten().map(|(name, _)| name.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        let wanted = self.columns.iter().map(String::as_str);
        (wanted.filter(|column| !known.contains(column)).collect(), known)
    }

    /// Returns the columns in their order: what a person looks for first, and columns without any value last.
    fn columns_of<'a>(&'a self, rows: &'a [Row]) -> Vec<&'a str> {
        let mut known: Vec<(&str, bool)> = Vec::new();
        for (name, value) in rows.iter().flatten() {
            match known.iter_mut().find(|(other, _)| other == name) {
                Some((_, has_value)) => *has_value |= !value.is_empty(),
                None => known.push((name, !value.is_empty())),
            }
        }
        let is_known = |name: &str| known.iter().any(|(other, _)| *other == name);
        let mut columns: Vec<&str> = self.always.iter().copied().filter(|name| is_known(name)).collect();
        let mut add = |name: &'a str| {
            if !columns.contains(&name) {
                columns.push(name);
            }
        };
        if !self.columns.is_empty() {
            let are_known = self.columns.iter().any(|name| is_known(name));
            self.columns.iter().filter(|name| is_known(name) || !are_known).for_each(|name| add(name));
            return columns;
        }
        let filled = |name: &str| known.iter().any(|(other, has_value)| *other == name && *has_value);
        let filled_of = |group: &'a [String]| group.iter().filter(|name| filled(name));
        // The first of several groups that are alike.
        let group = self.leading.iter().rev().max_by_key(|group| filled_of(group).count());
        group.into_iter().filter(|_| self.is_list).flat_map(|group| filled_of(group)).for_each(|name| add(name));
        known.iter().filter(|(_, has_value)| *has_value).for_each(|(name, _)| add(name));
        known.iter().for_each(|(name, _)| add(name));
        columns
    }

    /// Returns a line for each row, below the names of the columns.
    fn grid(&self, rows: &[Row], columns: &[&str]) -> String {
        let value = |row: &Row, column: &str| {
            let found = row.iter().find(|(name, _)| name == column);
            self.shortened(found.map_or("", |(_, value)| value))
        };
        let (mut total, mut shown) = (0, Vec::new());
        for column in columns {
            let widest = rows.iter().map(|row| value(row, column).width()).max().unwrap_or_default();
            let widest = widest.max(column.width());
            total += widest + GAP.len();
            if self.width.is_some_and(|width| total - GAP.len() > width) && !shown.is_empty() {
                break;
            }
            shown.push((*column, widest));
        }
        let line = |cell: &dyn Fn(&str) -> String| {
            let cells = shown.iter().map(|(column, width)| padded(&cell(column), *width));
            cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned() + "\n"
        };
        let mut text = line(&|column| column.to_owned());
        for row in rows {
            text += &line(&|column| value(row, column));
        }
        let left_out = columns.get(shown.len()..).unwrap_or_default();
        if !left_out.is_empty() {
            text += &format!("(left out: {}; --columns or --format json shows them)\n", left_out.join(", "));
        }
        text
    }

    /// Returns a value as wide as a terminal has room for.
    fn shortened(&self, text: &str) -> String {
        if self.width.is_none() || text.width() <= WIDEST {
            return text.to_owned();
        }
        let mut short = String::new();
        for letter in text.chars() {
            if short.width() + letter.to_string().width() >= WIDEST {
                break;
            }
            short.push(letter);
        }
        short + "…"
    }
}

fn members(row: &Row, columns: &[&str]) -> String {
    let shown = || columns.iter().filter_map(|column| row.iter().find(|(name, _)| name == column));
    let width = shown().map(|(name, _)| name.width()).max().unwrap_or_default();
    shown().map(|(name, value)| format!("{}{GAP}{value}\n", padded(name, width))).collect()
}

/// Returns the text with blanks up to a width in columns of a terminal, of which some letters take two.
fn padded(text: &str, width: usize) -> String {
    text.to_owned() + &" ".repeat(width.saturating_sub(text.width()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(columns: &[&str], width: Option<usize>) -> Layout {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Layout { is_list: true, columns, width, ..Layout::default() }
    }

    #[test]
    fn a_listing_is_a_table_and_a_single_result_a_list_of_its_members() {
        let rows: Vec<Row> = [r#"{"a":"1","b":{"c":[2]}}"#, r#"{"b":{"c":"x\u001b[2J"}}"#].map(row).into();
        assert_eq!(list(&[], None).table(&rows), "a  b.c\n1  [2]\n   x\\u{1b}[2J\n");
        // Whoever reads the second line finds there the same, whatever the number of results.
        assert_eq!(list(&[], None).table(&rows[..1]), "a  b.c\n1  [2]\n");
        assert_eq!(Layout::default().table(&rows[..1]), "a    1\nb.c  [2]\n");
        assert_eq!(list(&["b.c"], Some(80)).table(&rows), "b.c\n[2]\nx\\u{1b}[2J\n");
        let left_out = "a\n1\n\n(left out: b.c; --columns or --format json shows them)\n";
        assert_eq!(list(&[], Some(3)).table(&rows), left_out);
    }

    #[test]
    fn only_a_terminal_gets_short_values() {
        let long = "x".repeat(100);
        let rows = [row(&format!(r#"{{"a":"{long}"}}"#))];
        assert_eq!(list(&[], None).table(&rows), format!("a\n{long}\n"));
        assert_eq!(list(&[], Some(20)).table(&rows), format!("a\n{}…\n", &long[..43]));
    }

    #[test]
    fn wide_letters_are_padded_and_invisible_ones_escaped() {
        let rows = [r#"{"a":"龙龙","b":"1"}"#, r#"{"a":"x\u202eyz","b":"2"}"#].map(row);
        assert_eq!(list(&[], None).table(&rows), "a            b\n龙龙         1\nx\\u{202e}yz  2\n");
        assert_eq!(printable("é龙\n\u{200f}"), "é龙\\n\\u{200f}");
    }

    #[test]
    fn outcomes_are_always_shown_and_what_was_asked_for_comes_first() {
        let rows = [r#"{"id":"7","empty":"","outcome":"done","price":"2"}"#, r#"{"id":"8","error":"no"}"#].map(row);
        let mut layout = Layout { always: &["outcome", "error"], ..list(&["price"], None) };
        assert_eq!(layout.table(&rows), "outcome  error  price\ndone            2\n         no\n");
        assert_eq!(layout.missing(&rows).0, Vec::<&str>::new());
        layout = Layout {
            columns: Vec::new(),
            leading: vec![vec!["id".to_owned(), "x".to_owned()], vec!["price".to_owned()]],
            always: &[],
            ..layout
        };
        assert_eq!(layout.table(&rows).lines().next(), Some("id  outcome  price  error  empty"));
        layout.leading.remove(0);
        assert_eq!(layout.table(&rows).lines().next(), Some("price  id  outcome  error  empty"));
    }
}
