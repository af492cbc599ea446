//! One line for each mistake: `file:line:column: error[code]: message`.

use std::fmt::Write as _;

use super::total;
use crate::compiler::diagnostics::{Diagnostics, Place, printable};

pub(super) fn render(all: &Diagnostics) -> String {
    let mut out = String::new();
    for item in all.iter() {
        if let Some(place) = &item.place {
            let _ = write!(out, "{}: ", place_text(all, place));
        }
        let _ = writeln!(out, "error[{}]: {}", item.code, printable(&item.message));
        for (place, why) in &item.related {
            let _ = writeln!(out, "  {}: {}", place_text(all, place), printable(why));
        }
        if let Some(help) = &item.help {
            let _ = writeln!(out, "  help: {}", printable(help));
        }
    }
    out + &total(all)
}

fn place_text(all: &Diagnostics, place: &Place) -> String {
    let file = all.path(place);
    if place.line == 0 {
        return file;
    }
    format!("{file}:{}:{}", place.line, place.column)
}
