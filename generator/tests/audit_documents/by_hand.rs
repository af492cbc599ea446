//! Changes by hand: each is reported at its line, in its group, beside the file of the schema, and nothing else is.

mod cases;

use cases::{BOUNDS, CASES, CHANGED, CLASSIC, FORMS, GONE, NEW, TWICE, UNIFIED};

use crate::{DOCUMENTS, Subject, code, on_all_cores};

/// A change of one document. A place is a section and a text in it, so that it is found when lines move.
#[derive(Clone, Copy, Debug)]
enum Edit {
    Replace {
        section: &'static str,
        from: &'static str,
        to: &'static str,
    },
    /// A line after the one that has the text.
    Insert {
        section: &'static str,
        after: &'static str,
        line: &'static str,
    },
    Delete {
        section: &'static str,
        line_with: &'static str,
    },
    DeleteSection {
        section: &'static str,
    },
}

struct Case {
    document: usize,
    edit: Edit,
    /// The group it is reported in.
    group: &'static str,
    /// The name in the line on the schema's side.
    schema: &'static str,
}

/// Returns the section's bytes, from its heading to the next one.
fn section(text: &str, heading: &str) -> std::ops::Range<usize> {
    let start = text
        .match_indices('#')
        .map(|(at, _)| at)
        .find(|at| {
            let line = text[*at..].lines().next().unwrap();
            (*at == 0 || text.as_bytes()[*at - 1] == b'\n') && line.trim_start_matches('#').trim() == heading
        })
        .unwrap_or_else(|| panic!("no section {heading}"));
    let end = text[start + 1..].find("\n#").map_or(text.len(), |at| start + 1 + at);
    start..end
}

/// Returns the changed text, and the line of the change.
fn apply(text: &str, edit: Edit) -> (String, usize) {
    let find = |of: &str, what: &str| {
        let range = section(text, of);
        range.start + text[range.clone()].find(what).unwrap_or_else(|| panic!("`{what}` is not in {of}"))
    };
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    match edit {
        Edit::Replace { section, from, to } => {
            let at = find(section, from);
            (format!("{}{to}{}", &text[..at], &text[at + from.len()..]), line_of(at))
        }
        Edit::Insert { section, after, line } => {
            let at = line_end(find(section, after));
            let skipped = line.len() - line.trim_start().len() + 2 * usize::from(line.starts_with('\n'));
            (format!("{}{line}\n{}", &text[..at], &text[at..]), line_of(at) + skipped.min(3))
        }
        Edit::Delete { section: heading, line_with } => {
            let (at, section) = (find(heading, line_with), section(text, heading));
            let range = section.start + text[section.clone()].find('\n').unwrap()..section.end;
            let is_all = text[range].trim() == text[line_start(at)..line_end(at)].trim();
            // The section is empty then.
            let line = if is_all { line_of(section.start) } else { line_of(at) };
            (format!("{}{}", &text[..line_start(at)], &text[line_end(at)..]), line)
        }
        Edit::DeleteSection { section: heading } => {
            let range = section(text, heading);
            (format!("{}{}", &text[..range.start], &text[range.end + 1..]), line_of(range.start))
        }
    }
}

/// Returns the lines of a report with their groups.
fn reported(report: &str) -> Vec<(String, String)> {
    let mut group = String::new();
    let mut lines = Vec::new();
    for line in report.lines().take_while(|line| !line.is_empty()) {
        match line.strip_prefix("  ") {
            // What is set in further stands beside a line.
            Some(line) if line.starts_with(' ') => {}
            Some(line) => lines.push((group.clone(), line.to_owned())),
            None => group = line.trim_end_matches(':').to_owned(),
        }
    }
    if DOCUMENTS.iter().any(|id| report.starts_with(id)) { Vec::new() } else { lines }
}

#[test]
fn every_change_is_reported_at_its_line_and_only_there() {
    let Some(subject) = Subject::read() else { return };
    let cases: Vec<&Case> = CASES.iter().chain(BOUNDS).chain(FORMS).collect();
    let failures = on_all_cores(&cases, |case| {
        let (text, line) = apply(&subject.texts[case.document], case.edit);
        let report = subject.audit(case.document, &text).to_string();
        let found = reported(&report);
        let place = format!("{}.md:{line}:", DOCUMENTS[case.document]);
        let is_reported = found
            .iter()
            .any(|(group, line)| group == case.group && line.contains(&place) && line.contains(case.schema));
        let others: Vec<_> = found.iter().filter(|(_, line)| !line.contains(&place)).collect();
        let lines: Vec<String> = found.iter().map(|(group, line)| format!("  [{group}] {line}")).collect();
        (!is_reported || !others.is_empty()).then(|| {
            let (edit, group, schema, lines) = (case.edit, case.group, case.schema, lines.join("\n"));
            format!("{edit:?}\n  expected [{group}] at {place} with {schema}\n{lines}")
        })
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(cases.len() >= 180);
    assert!(failures.is_empty(), "{} of {} cases:\n{}", failures.len(), cases.len(), failures.join("\n\n"));
}

#[test]
fn changed_words_are_shown_with_the_parameters_that_they_name() {
    let Some(subject) = Subject::read() else { return };
    let named = |section, from, to| {
        let (text, _) = apply(&subject.texts[UNIFIED], Edit::Replace { section, from, to });
        let documents = |text: &str| tradeapi_gen::Documents::one(DOCUMENTS[UNIFIED], text);
        let report = subject.auditor.audit(&documents(&text), &documents(&subject.texts[UNIFIED])).to_string();
        let line = report.lines().find_map(|line| line.trim().strip_prefix("names: ")).map(str::to_owned);
        line.unwrap_or_else(|| panic!("{report}"))
    };
    // A row counts by its subject, a sentence by its changed part; other sections name operations and codes.
    let row = named("Place Order", "required in hedge mode; futures only", "required in one-way mode; futures only");
    assert!(row.starts_with("parameter posSide of unified.place-order · "), "{row}");
    let part = named("Get Open Orders", "maximum 100)", "maximum 100, such as 200)");
    assert!(part.starts_with("parameter limit of unified.unfilled-orders · ") && !part.contains(';'), "{part}");
    let code = named("Errors", "45001 on order", "45001 at order");
    assert!(code.contains("error 45001") && code.contains("unified/family.yaml:"), "{code}");
}

#[test]
fn a_fact_that_is_no_longer_stated_is_shown_beside_the_words() {
    let Some(subject) = Subject::read() else { return };
    let edit = Edit::Replace { section: "Modify Order", from: " Rate limit 10/s.", to: "" };
    let (text, _) = apply(&subject.texts[CLASSIC], edit);
    let report = subject.audit(CLASSIC, &text).to_string();
    let silent: Vec<&str> = report.lines().filter(|line| line.contains("in the schema, but not read there")).collect();
    assert!(matches!(silent.as_slice(), [only] if only.contains("rate 10/s per UID · ")), "{report}");
}

/// Returns where the lines of a report stand, with their groups.
fn placed(subject: &Subject, edit: Edit) -> Vec<(String, String)> {
    let (text, _) = apply(&subject.texts[CLASSIC], edit);
    reported(&subject.audit(CLASSIC, &text).to_string())
}

/// A row that points to the one before it is another only with another subject there.
#[test]
fn a_row_that_points_to_a_changed_one_is_not_reported() {
    let Some(subject) = Subject::read() else { return };
    for (section, from, to) in [
        ("Place Order", "| size | yes |", "| size | no |"),
        ("Get Order Fill Details", "| startTime | no |", "| startTime | yes |"),
    ] {
        let lines = placed(&subject, Edit::Replace { section, from, to });
        assert!(matches!(lines.as_slice(), [(group, _)] if group == "changed"), "{lines:#?}");
    }
}

#[test]
fn an_operation_that_is_gone_is_reported_once_where_it_stood_last() {
    let Some(subject) = Subject::read() else { return };
    let lines = placed(&subject, Edit::DeleteSection { section: "Cancel All Orders" });
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0].0, GONE);
}

#[test]
fn an_inserted_rule_is_new_and_those_below_have_another_number() {
    let Some(subject) = Subject::read() else { return };
    let to = "2. size is required when productType is COIN-FUTURES.\n3. One-way mode without";
    let edit = Edit::Replace { section: "Reversal", from: "2. One-way mode without", to };
    let (text, line) = apply(&subject.texts[CLASSIC], edit);
    let renumbered = text
        .replace("\n3. Hedge", "\n4. Hedge")
        .replace("\n4. Hedge mode with size equal", "\n5. Hedge mode with size equal");
    let renumbered =
        renumbered.replace("\n5. Header X-CHANNEL-API-CODE applies as", "\n6. Header X-CHANNEL-API-CODE applies as");
    let documents = |text: &str| tradeapi_gen::Documents::one(DOCUMENTS[CLASSIC], text);
    let report = subject.auditor.audit(&documents(&renumbered), &documents(&subject.texts[CLASSIC])).to_string();
    let lines = reported(&report);
    let new: Vec<_> = lines.iter().filter(|(_, line)| line.contains("new: size is required")).collect();
    assert_eq!(new.len(), 1, "{report}");
    assert!(new[0].1.contains(&format!("{}.md:{line}:", DOCUMENTS[CLASSIC])), "{report}");
    let moved = lines.iter().filter(|(_, line)| line.contains("has another number: ")).count();
    assert_eq!(moved, 3, "{report}");
}

#[test]
fn the_fields_of_an_answer_are_read_from_a_table_too() {
    let Some(subject) = Subject::read() else { return };
    let table = |second: &str| {
        format!(
            "Response data:\n\n| Field | Meaning |\n|---|---|\n| orderId | order ID |\n| {second} | customised ID |\n"
        )
    };
    let differences = |second: &str| {
        let text = &subject.texts[CLASSIC];
        let at = section(text, "Reversal");
        let changed = text[at.clone()].replace("Response data: orderId, clientOid.\n", &table(second));
        let audit = subject.audit(CLASSIC, &format!("{}{changed}{}", &text[..at.start], &text[at.end..]));
        (audit.differences(), audit.to_string())
    };
    let (same, report) = differences("clientOid");
    assert_eq!(same, 0, "{report}");
    // One is gone, and one is new.
    let (other, report) = differences("customId");
    assert_eq!(other, 2, "{report}");
}

/// Returns the report on a document with another text of a section.
fn with_section(subject: &Subject, document: usize, heading: &str, change: impl Fn(&str) -> String) -> (u8, String) {
    let text = &subject.texts[document];
    let at = section(text, heading);
    let changed = format!("{}{}{}", &text[..at.start], change(&text[at.clone()]), &text[at.end..]);
    let audit = subject.audit(document, &changed);
    (code(&audit), audit.to_string())
}

fn reversal(subject: &Subject, change: impl Fn(&str) -> String) -> (u8, String) {
    with_section(subject, CLASSIC, "Reversal", change)
}

#[test]
fn a_list_in_parts_or_in_another_form_states_the_same() {
    let Some(subject) = Subject::read() else { return };
    let head = "\n| Parameter | Required | Rules |\n|---|---|---|\n";
    let parted = |label: &str| {
        let before = format!("{label}{head}| size |");
        reversal(&subject, |own| own.replace("| size |", &before))
    };
    for label in ["", "\n**Optional**\n", "\nFurther parameters:\n", "\n#### Optional parameters\n"] {
        let (code, report) = parted(label);
        assert_eq!(code, 3, "{label}: {report}");
    }
    let by_need = |own: &str| {
        let (mut required, mut others, mut rest) = (String::new(), String::new(), String::new());
        for line in own.lines() {
            let to = match line.split(" | ").collect::<Vec<_>>().as_slice() {
                [_, "yes", _] => &mut required,
                [_, "no" | "conditional", _] => &mut others,
                _ if line.starts_with('|') => continue,
                _ => &mut rest,
            };
            to.push_str(
                &line.replace(" | yes | ", " | ").replace(" | no | ", " | ").replace(" | conditional | ", " | "),
            );
            to.push('\n');
        }
        let table = "| Parameter | Rules |\n|---|---|\n";
        let parameters = format!(
            "Required parameters:\n\n{table}{required}\nOptional parameters:\n\n{table}{others}\nResponse data:"
        );
        rest.replacen("Response data:", &parameters, 1)
    };
    let (code, report) = reversal(&subject, by_need);
    assert_eq!(code, 3, "{report}");
    let as_items = |own: &str| {
        let item = |line: &str| {
            let cells: Vec<&str> = line.trim_matches(['|', ' ']).split(" | ").collect();
            match (line.starts_with('|'), cells.as_slice()) {
                (true, [name, need @ ("yes" | "no" | "conditional"), note]) => {
                    let need = need.replace("yes", "required").replace("no", "optional");
                    format!("- **{name}** ({need}): {note}\n")
                }
                (true, _) => String::new(),
                (false, _) => format!("{line}\n"),
            }
        };
        own.lines().map(item).collect::<String>()
    };
    let as_items_with = |yes: &'static str, no: &'static str| {
        move |own: &str| as_items(own).replace("(required)", yes).replace("(optional)", no)
    };
    for (yes, no) in [("(required)", "(optional)"), ("(yes)", "(no)")] {
        let (code, report) = reversal(&subject, as_items_with(yes, no));
        assert_eq!(code, 3, "{report}");
        assert!(report.contains(", 1 change(s) of words"), "only the head of the table is gone: {report}");
    }
}

/// A table of several operations states of each what its rows say, and what it lacks stands in their sections. A list
/// beside it that leaves a need open contradicts nothing.
#[test]
fn a_table_of_several_operations_is_compared_by_rows() {
    let Some(subject) = Subject::read() else { return };
    let head = "| Operation | Parameter | Required | Rules |\n|---|---|---|---|\n";
    let rows = |limit: &str| {
        format!(
            "{head}| Get Open Orders | limit | no | default and maximum {limit} |\n| Get Order History | limit | no | default and maximum 100 |\n\n"
        )
    };
    let within = |heading: &'static str, table: String| {
        let text = with_section(&subject, UNIFIED, heading, |own| format!("{}\n\n{table}", own.trim_end()));
        (reported(&text.1), text.1)
    };
    let is_of = |lines: &[(String, String)], group: &str, says: &str| {
        lines.iter().filter(|(of, line)| of == group && line.contains(says)).count()
    };
    for heading in ["Get Open Orders", "Limits"] {
        let (same, report) = within(heading, rows("100"));
        assert!(same.iter().all(|(group, _)| group == "words to review"), "{report}");
        let (other, report) = within(heading, rows("500"));
        assert_eq!(is_of(&other, TWICE, "maximum of limit 500 · "), 1, "{report}");
        assert_eq!(is_of(&other, TWICE, ""), 2, "{report}");
    }
    let (rates, report) = within(
        "Limits",
        "| Operation | Rate |\n|---|---|\n| Get Fill History | 20/s/UID |\n| Get Order History | 30/s/UID |\n\n"
            .to_owned(),
    );
    assert_eq!(is_of(&rates, TWICE, ": rate 30/s per UID · "), 1, "{report}");
    let (beside, report) = within(
        "Get Open Orders",
        "| Parameter | Required | Rules |\n|---|---|---|\n| category | no | category values |\n| symbol | no | pair |\n\
         | startTime | no | Unix ms |\n| endTime | no | Unix ms |\n| limit | no | default and maximum 100 |\n| cursor | no | omit on first query |\n\n"
            .to_owned(),
    );
    assert_eq!((is_of(&beside, TWICE, ""), is_of(&beside, CHANGED, " optional · ")), (0, 4), "{report}");
}

/// The same values behind other marks are silent, and other words invent nothing.
#[test]
fn other_words_for_the_same_are_read_as_they_stand() {
    let Some(subject) = Subject::read() else { return };
    let audit = |section, from, to| {
        let (text, _) = apply(&subject.texts[UNIFIED], Edit::Replace { section, from, to });
        let audit = subject.audit(UNIFIED, &text);
        (code(&audit), audit.to_string())
    };
    for (from, to) in [
        ("| buy, sell |", "| buy / sell |"),
        ("| buy, sell |", "| `buy` \\| `sell` |"),
        ("ioc, fok, gtc, post_only, rpi", "ioc / fok / gtc / post_only / rpi"),
    ] {
        let (code, report) = audit("Place Order", from, to);
        assert_eq!(code, 0, "{to}: {report}");
    }
    let (code, report) = audit("Get Order History", "startTime at most 30", "startTime at least 30");
    assert!(code == 3 && !report.contains("span 30 days"), "{report}");
    let (code, report) = audit(
        "Cancel Order",
        "orderId, clientOid (one required; if both present or mismatching, orderId wins), category",
        "category; one of orderId or clientOid must be sent; orderId wins",
    );
    let facts: Vec<_> = reported(&report).into_iter().filter(|(group, _)| group != "words to review").collect();
    assert!(
        code == 1 && matches!(facts.as_slice(), [(_, line)] if line.contains("the one that wins orderId")),
        "{report}"
    );
}

#[test]
fn fields_state_the_same_in_a_table_and_in_a_list() {
    let Some(subject) = Subject::read() else { return };
    let as_items = |own: &str| {
        let item = |line: &str| match line.trim_matches(['|', ' ']).split_once(" | ") {
            Some(("Field", _)) => String::new(),
            Some((name, note)) => format!("- {name}: {note}\n"),
            None if line.starts_with('|') => String::new(),
            None => format!("{line}\n"),
        };
        own.lines().map(item).collect()
    };
    let (code, report) = with_section(&subject, UNIFIED, "Account assets", as_items);
    assert_eq!(code, 3, "{report}");
    assert!(report.contains(", 1 change(s) of words"), "only the head of the table is gone: {report}");
    let as_rows = |own: &str| {
        let row = |line: &str| match line.trim_start_matches("- ").split_once(": ") {
            Some((label, fields)) if line.starts_with("- ") => format!("| {label} | {fields} |\n"),
            _ => format!("{line}\n"),
        };
        let adds = ". Flash-close failure item adds errorMsg, errorCode";
        let apart = own.replace(adds, "\n- Flash-close failure item: orderId, clientOid, symbol, errorMsg, errorCode");
        let rows: String = apart.lines().map(row).collect();
        rows.replacen("| Success item", "| Item | Fields |\n|---|---|\n| Success item", 1)
    };
    let (code, report) = with_section(&subject, CLASSIC, "Batch result items", as_rows);
    assert_eq!(code, 3, "{report}");
}

#[test]
fn a_chapter_with_another_heading_and_other_words_is_the_same_chapter() {
    let Some(subject) = Subject::read() else { return };
    let change = |own: &str| own.replacen("## Limits", "## Rates and sizes", 1).replace("| 10/s/UID |", "| 20/s/UID |");
    let (code, report) = with_section(&subject, UNIFIED, "Limits", change);
    assert_eq!(code, 1, "{report}");
    assert!(report.contains("section `Rates and sizes` · "), "{report}");
    assert!(!report.contains("absent from") && !report.contains("no section has this name"), "{report}");
}

#[test]
fn a_new_column_is_one_change_and_what_it_states_is_compared() {
    let Some(subject) = Subject::read() else { return };
    let with_types = |size: &str| {
        let own = |line: &str| match line {
            "| Parameter | Required | Rules |" => "| Parameter | Type | Required | Rules |".to_owned(),
            "|---|---|---|" => "|---|---|---|---|".to_owned(),
            row if row.starts_with("| size |") => row.replacen(" |", &format!(" | {size} |"), 1),
            row if row.starts_with('|') => row.replacen(" |", " | String |", 1),
            other => other.to_owned(),
        };
        reversal(&subject, |text| text.lines().map(own).collect::<Vec<_>>().join("\n") + "\n")
    };
    let (code, report) = with_types("String");
    assert_eq!(code, 3, "{report}");
    assert!(report.contains("1 change(s) of words") && report.contains("new column: Type | String · "), "{report}");
    let (code, report) = with_types("Number");
    assert_eq!(code, 1, "{report}");
    assert!(report.contains(": type of size number · "), "{report}");
}

/// The smallest line that ends a table of several operations before their sections.
const OF_BOTH: &str = "| Parameter | Place Reality Order | Cancel Reality Order |\n|---|---|---|\n";

#[test]
fn each_operation_has_its_own_column_in_a_table_of_several() {
    let Some(subject) = Subject::read() else { return };
    let with_table = |rows: &str| {
        with_section(&subject, UNIFIED, "Cancel Reality Order", |own| {
            let (before, rest) = own.split_once("Parameters: ").unwrap();
            let (_, after) = rest.split_once("Response data").unwrap();
            format!("{before}\n\n{OF_BOTH}{rows}\nResponse data{after}")
        })
    };
    let rows = |symbol: &str| {
        format!(
            "| category | yes | no |\n| symbol | yes | {symbol} |\n| side | yes | - |\n| orderId | - | conditional |\n\
             | clientOid | no | conditional |\n"
        )
    };
    let (_, report) = with_table(&rows("yes"));
    assert!(!report.contains("parameter side") && !report.contains("parameter symbol optional"), "{report}");
    let (code, report) = with_table(&rows("no"));
    assert!(code == 1 && report.contains("parameter symbol optional · "), "{report}");
}

#[test]
fn a_list_that_becomes_a_table_is_one_change() {
    let Some(subject) = Subject::read() else { return };
    let table = "\n\n| Parameter | Required | Rules |\n|---|---|---|\n| symbol | yes | |\n| productType | yes | |\n| marginCoin | \
                 no | capitalised |\n| orderId | conditional | one of orderId or clientOid required; orderId wins |\n| \
                 clientOid | conditional | see above |\n\n";
    let (code, report) = with_section(&subject, CLASSIC, "Cancel Order", |own| {
        let (before, rest) = own.split_once("Parameters: ").unwrap();
        let (_, after) = rest.split_once("Response data").unwrap();
        format!("{before}{table}Response data{after}")
    });
    assert_eq!((code, reported(&report).len()), (3, 1), "{report}");
    assert!(
        report.contains("row at line 234: marginCoin | no | capitalised · parameter marginCoin optional"),
        "{report}"
    );
}

#[test]
fn a_block_of_code_that_is_not_closed_ends_before_the_next_heading() {
    let Some(subject) = Subject::read() else { return };
    let sample = "orderId, clientOid.\n\n```json\n{\"orderId\": \"12\", \"category\": \"SPOT\"}\n";
    let (code, report) =
        with_section(&subject, UNIFIED, "Cancel Order", |own| own.replacen("orderId, clientOid.\n", sample, 1));
    assert_eq!((code, reported(&report).len()), (3, 1), "{report}");
}

#[test]
fn errors_are_read_from_tables_of_codes_and_messages() {
    let Some(subject) = Subject::read() else { return };
    let table = |first: &str| format!("| Error code | Message |\n|---|---|\n{first}\n| 41101 | Param invalid |\n\n");
    let with_errors = |first: &str| {
        with_section(&subject, UNIFIED, "Errors", |own| {
            own.replacen("For 40010", &format!("{}For 40010", table(first)), 1)
        })
    };
    let facts = |report: &str| -> Vec<String> {
        let of_facts =
            reported(report).into_iter().filter(|(group, _)| [NEW, GONE, CHANGED, TWICE].contains(&group.as_str()));
        of_facts.map(|(_, line)| line).collect()
    };
    let is_new = |facts: &[String]| matches!(facts, [only] if only.contains("error 41101 Param invalid · "));
    let (_, report) = with_errors("| 40010 | Request timed out |");
    assert!(is_new(&facts(&report)), "{report}");
    let (_, report) = with_errors("| 40010 | Too late |");
    assert!(facts(&report).iter().any(|line| line.contains("error 40010 Too late · ")), "{report}");
    let (_, report) = with_errors("| -7 | Not now |");
    assert!(facts(&report).iter().any(|line| line.contains("error -7 Not now · ")), "{report}");
    // Another section may have the table.
    let (_, report) = with_section(&subject, UNIFIED, "Limits", |own| {
        format!("## Error codes\n\n{}{own}", table("| 40010 | Request timed out |"))
    });
    assert!(is_new(&facts(&report)), "{report}");
}

#[test]
fn a_heading_that_stands_there_twice_is_told_by_its_lines() {
    let Some(subject) = Subject::read() else { return };
    let (_, report) = reversal(&subject, |own| format!("{own}{own}"));
    assert!(report.contains("the heading `Reversal` is also that of line 159, "), "{report}");
    assert!(!report.contains("absent from the schema"), "{report}");
}

#[test]
fn an_operation_of_which_the_heading_is_left_is_reported_once() {
    let Some(subject) = Subject::read() else { return };
    let (_, report) = reversal(&subject, |_| "### Reversal\n\nThis is no longer offered.\n\n".to_owned());
    let lines = reported(&report);
    assert_eq!(lines.len(), 1, "{report}");
    assert!(lines[0].0 == GONE && lines[0].1.contains("endpoint POST "), "{report}");
}
