//! Which known name an unknown one may stand for.

/// Returns the most similar of the `known` names, if one is similar enough.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = given.chars().count().clamp(3, 12) / 3;
    let near = known.into_iter().map(|name| (distance(given, name), name)).filter(|(distance, _)| *distance <= limit);
    near.min().map(|(_, name)| name)
}

/// Returns the edit distance (insert, remove, replace, swap neighbours) between two names, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().take(64).flat_map(char::to_lowercase).collect();
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_names_that_are_near() {
        let known = ["required", "default", "max_items"];
        assert_eq!(nearest("requird", known), Some("required"));
        assert_eq!(nearest("max_itmes", known), Some("max_items"));
        assert_eq!(nearest("colour", known), None);
    }
}
