//! The operations and the rules as tables, for reading in a terminal.

use crate::load::raw::RuleKind;
use crate::model::{Api, Rule};

/// One line an operation: id, method, path, limits, effect.
pub(crate) fn table(api: &Api) -> String {
    let heading = ["operation", "method", "path", "limits", "effect"].map(str::to_owned);
    let rows = api.operations().map(|(_, operation)| {
        let rates: Vec<_> = operation
            .rates
            .iter()
            .map(|rate| {
                let class = if rate.class == "default" { String::new() } else { format!(" {}", rate.class) };
                format!("{}/s/{}{class}", rate.calls, rate.scope.as_str())
            })
            .collect();
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

/// One line a rule: what it is about, its id, what is made of it, where the document says it; then how many of each.
pub(crate) fn rules(api: &Api) -> String {
    let of_families =
        api.families.iter().flat_map(|family| family.statements.rules.iter().map(|rule| (family.name.as_str(), rule)));
    let of_operations = api
        .operations()
        .flat_map(|(_, operation)| operation.statements.rules.iter().map(|rule| (operation.id.as_str(), rule)));
    let rules: Vec<(&str, &Rule)> = of_families.chain(of_operations).collect();
    let heading = ["about", "rule", "kind", "place in the document"].map(str::to_owned);
    let rows = rules
        .iter()
        .map(|(about, rule)| [(*about).to_owned(), rule.id.clone(), rule.kind.as_str().to_owned(), rule.at.clone()]);
    let count = |kind: RuleKind| rules.iter().filter(|(_, rule)| rule.kind == kind).count();
    let kinds = [RuleKind::Type, RuleKind::Checked, RuleKind::Limit, RuleKind::Simulated, RuleKind::Stated];
    let totals: Vec<_> = kinds.iter().map(|kind| format!("{} {}", count(*kind), kind.as_str())).collect();
    format!("{}\n{} rules: {}\n", align(std::iter::once(heading).chain(rows).collect()), rules.len(), totals.join(", "))
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
