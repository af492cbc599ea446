//! The operations as a table.

use crate::model::Api;

/// One line an operation: id, method, path, limits, effect.
pub(crate) fn table(api: &Api) -> String {
    let heading = ["operation", "method", "path", "limits", "effect"].map(str::to_owned);
    let rows = api.operations().map(|(_, operation)| {
        let rates: Vec<_> = operation.rates.iter().map(|rate| {
            let class = if rate.class == "default" { String::new() } else { format!(" {}", rate.class) };
            format!("{}/s/{}{class}", rate.calls, rate.scope.as_str())
        }).collect();
        [
            operation.id.clone(),
            operation.method.as_str().to_owned(),
            operation.path.text.clone(),
            rates.join(", "),
            operation.effect.as_str().to_owned(),
        ]
    });
    align(std::iter::once(heading).chain(rows).collect())
}

/// Pads every column but the last to its widest cell.
fn align<const N: usize>(rows: Vec<[String; N]>) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        let cells: Vec<_> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}
