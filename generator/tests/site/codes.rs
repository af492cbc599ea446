//! Error codes and outcomes on pages.

use std::collections::BTreeSet;

use super::page::{Page, text, text_of, within};
use super::sites;

#[test]
fn no_page_advises_repeating_a_request_that_may_be_done() {
    let (_, site) = sites().next().unwrap();
    let row = |operation: &str, code: &str| {
        let page = Page::of(site, &format!("operations/unified/{operation}.html"));
        text(page.all(&format!("#code-{code}"))[0])
    };
    for (operation, code, verdict, advice) in [
        ("place-order", "40725", "Unknown", "Do not send it again before a query"),
        ("place-order", "40762", "Not done", "send the request again"),
        // It cancels one order after the other, so the refusal of one says nothing about the others.
        ("cancel-symbol-order", "40762", "Unknown", "Do not send it again before a query"),
        // It may cancel the order that it fails to modify, when it is asked to.
        ("modify-order", "40762", "Partly unknown", "do not send it again before a query"),
        ("fills", "40725", "Changes nothing", ""),
        ("place-order", "00000", "Done", ""),
    ] {
        let row = row(operation, code);
        assert!(row.contains(verdict) && row.contains(advice), "{operation} {code}: {row}");
        assert_eq!(row.contains("send the request again"), verdict == "Not done", "{operation} {code}: {row}");
        let markdown = &site.files[&format!("operations/unified/{operation}.md")];
        let line = markdown.lines().find(|line| line.starts_with(&format!("- **{code}**"))).unwrap();
        assert!(line.contains(&format!("{verdict}.")), "{operation} {code}: {line}");
    }
}

#[test]
fn every_observed_code_has_its_meaning_for_each_changing_operation() {
    let (_, site) = sites().next().unwrap();
    let page = Page::of(site, "operations/unified/place-order.html");
    let shown: BTreeSet<String> =
        page.texts(".groups .codes-of").iter().flat_map(|codes| codes.split(' ')).map(str::to_owned).collect();
    let documented: BTreeSet<String> = page.texts("table.codes th code").into_iter().collect();
    let errors = Page::of(site, "errors.html");
    let rows = errors.all("table.observed tbody tr").into_iter();
    let of_unified = rows.filter(|row| text(within(*row, "td")[2]).contains("unified"));
    let seen: BTreeSet<String> = of_unified.map(|row| text(within(row, "th")[0])).collect();
    assert_eq!(shown, seen.difference(&documented).cloned().collect());
    for group in page.all(".groups li") {
        let says = text(within(group, "span:not(.verdict)")[0]);
        assert!(!within(group, ".verdict").is_empty() && says.matches('.').count() == 2, "it says no advice: {says}");
    }
    let reads = Page::of(site, "operations/unified/fills.html");
    assert!(reads.all(".groups").is_empty() && text_of(&reads).contains("changes nothing, whatever the code"));
}

#[test]
fn markdown_has_the_outcomes_states_and_intents_of_the_page() {
    let (_, site) = sites().next().unwrap();
    for name in ["place-order", "modify-order", "cancel-order", "unfilled-orders"] {
        let page = Page::of(site, &format!("operations/unified/{name}.html"));
        let markdown = site.files[&format!("operations/unified/{name}.md")].replace('\\', "");
        let mut said = page.texts(".notice p");
        said.extend(page.texts("#states + ul li"));
        said.extend(page.texts(".groups .codes-of"));
        said.extend(page.texts(".intents strong"));
        assert!(name == "unfilled-orders" || !said.is_empty(), "{name} says nothing");
        for sentence in said {
            assert!(markdown.contains(sentence.trim_end()), "{name}: {sentence}\n{markdown}");
        }
    }
}
