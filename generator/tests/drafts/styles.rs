//! Documents in the styles of others: nothing is invented, and each statement is read, left empty or listed.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tempfile::TempDir;
use tradeapi_gen::{Documents, DraftSource, Generator};

pub(crate) const API: &str = "api: garden\ndoc: A garden.\ndocuments:\n  g: { title: Garden }\n\
    credentials:\n  headers: { key: ROBOT-KEY, signature: ROBOT-SIGN, timestamp: ROBOT-TIME }\n  \
    signed_text: [timestamp, method, path, body]\n  algorithm: hmac-sha256\n";
const FAMILY: &str = "family: garden\ntitle: Garden\ndoc: Beds.\nsource: { document: g }\nnumbers: text\n\
    reviewed:\n  g:\n    Garden: new\n";

/// The drafts of all sections of a document.
pub(crate) struct Drafts {
    folder: TempDir,
    statements: (usize, usize, usize),
}

impl Drafts {
    pub(crate) fn of(body: &str) -> Self {
        Self::read_with("", body)
    }

    /// Returns the same of a document with words of its own.
    pub(crate) fn read_with(reading: &str, body: &str) -> Self {
        let reading = if reading.is_empty() { String::new() } else { format!(", reading: {{ {reading} }}") };
        let api = API.replace("{ title: Garden }", &format!("{{ title: Garden{reading} }}"));
        Self::of_api(&api, body)
    }

    /// Returns the same beside an `api.yaml`.
    pub(crate) fn of_api(api: &str, body: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("schema/garden")).unwrap();
        std::fs::write(folder.path().join("schema/api.yaml"), api).unwrap();
        std::fs::write(folder.path().join("schema/garden/family.yaml"), FAMILY).unwrap();
        std::fs::write(folder.path().join("g.md"), format!("# Garden\n\n{body}")).unwrap();
        let generator = Generator::new().schema_dir(folder.path().join("schema"));
        let drafted = generator.draft("garden", &DraftSource::Sections(folder.path().to_owned()));
        let drafted = drafted.unwrap_or_else(|mistakes| panic!("{}", mistakes.render(tradeapi_gen::Format::Short)));
        Self { folder, statements: drafted.statements.unwrap() }
    }

    pub(crate) fn file(&self, name: &str) -> String {
        let path = self.folder.path().join(format!("schema/garden/{name}.yaml"));
        std::fs::read_to_string(&path).unwrap_or_default()
    }

    /// Returns the lines of a file without its comments.
    pub(crate) fn keys(&self, name: &str) -> String {
        let is_key = |line: &&str| !line.trim_start().starts_with('#') && !line.is_empty();
        self.file(name).lines().filter(is_key).map(|line| format!("{line}\n")).collect()
    }

    /// Returns the keys of a parameter of an operation.
    pub(crate) fn parameter(&self, operation: &str, name: &str) -> String {
        let keys = self.keys(operation);
        let own = keys.split(&format!("\n  {name}:\n")).nth(1).unwrap_or_else(|| panic!("no {name} in\n{keys}"));
        own.lines().take_while(|line| line.starts_with("    ")).map(|line| format!("{}\n", line.trim())).collect()
    }

    /// Returns the values of a type, in their order.
    pub(crate) fn values(&self, name: &str) -> Vec<String> {
        let types = self.keys("types");
        let Some(own) = types.split(&format!("\n  {name}:\n")).nth(1) else { return Vec::new() };
        let own = own.lines().take_while(|line| line.starts_with("    "));
        own.filter_map(|line| line.strip_prefix("      ")).map(|line| line.trim_end_matches(':').to_owned()).collect()
    }
}

/// Returns the note of one parameter `size` of an operation, drafted.
fn noted(note: &str) -> Drafts {
    let head = "| Parameter | Required | Type | Comments |\n|---|---|---|---|\n";
    Drafts::of(&format!(
        "## Plant\n\nPOST /plant\n\n{head}| size | true | string | {note} |\n| rose | false | string | `x` |\n"
    ))
}

#[test]
fn an_operation_has_no_statement_of_another() {
    let head = "| Parameter | Required | Comments |\n|---|---|---|\n";
    let drafts = Drafts::of(&format!(
        "## Plant\n\nPOST /bed/plant\n\n{head}| oak | yes | a |\n\n## See Plant\n\nGET /bed/plant. 9 requests per second.\n\n\
         {head}| rose | yes | a |\n\n## Count Plants\n\nGET /count/plant\n\n{head}| wood | yes | a |\n\n\
         ## Plant Again\n\nPUT /bed/plant\n\n{head}| elm | no | a |\n"
    ));
    for (name, own) in [("plant", "oak"), ("get-plant", "rose"), ("count-plant", "wood"), ("put-plant", "elm")] {
        let keys = drafts.keys(name);
        let listed: Vec<&str> = ["oak", "rose", "wood", "elm"].into_iter().filter(|name| keys.contains(name)).collect();
        assert_eq!(listed, [own], "{name}:\n{keys}");
        assert_eq!(keys.contains("rate_limit: [9/s per UID]"), name == "get-plant", "{keys}");
    }
}

#[test]
fn a_request_is_empty_only_where_the_document_says_so() {
    let drafts = Drafts::of(
        "## A\n\nPOST /a\n\nSends it.\n\n## B\n\nPOST /b\n\n**Parameters:**\nNONE\n\n## C\n\nPOST /c. No parameters.\n\n\
         ## D\n\nPOST /d\n\nParameters: None\n\n## E\n\nPOST /e\n\n**Parameters:**\n\nNone\n",
    );
    for name in ["b", "c", "d", "e"] {
        assert!(drafts.keys(name).contains("request: {}\n"), "{}", drafts.file(name));
    }
    assert!(drafts.keys("a").contains("request:\nresponse:\n"), "{}", drafts.file("a"));
}

#[test]
fn what_holds_for_some_or_no_longer_is_no_fact() {
    for rate in [
        "Members may call 20 times per second, others 5 times per second",
        "Rate limit: 10 times per second (VIP: 20 times per second)",
        "Rate limit of the whole family: 50/s",
        "Limit rule: UID + symbol, 10 per second",
    ] {
        let drafts = Drafts::of(&format!("## Plant\n\nPOST /plant\n\n{rate}.\n"));
        assert!(drafts.keys("plant").contains("rate_limit:\n"), "{rate}:\n{}", drafts.file("plant"));
        assert!(drafts.keys("plant").contains("kind: todo\n"), "{rate}:\n{}", drafts.file("plant"));
    }
    let guessed = Drafts::of("## Plant\n\nPOST /plant\n\nRate limit: 5/s.\n").file("plant");
    assert!(guessed.contains("Rate limit: 5/s (per UID where it does not say per what)"), "{guessed}");
    for said in ["This endpoint is not deprecated", "`size` is deprecated", "POST /old is deprecated; use POST /new"] {
        let drafts = Drafts::of(&format!("## Plant\n\nPOST /plant\n\n{said}.\n"));
        assert!(!drafts.keys("plant").contains("deprecated"), "{said}:\n{}", drafts.file("plant"));
    }
    assert!(
        Drafts::of("## Plant\n\nPOST /plant\n\nThis endpoint is deprecated.\n").keys("plant").contains("deprecated")
    );
    for note in [
        "Between 1 and 100 (exclusive)",
        "A-Z, a-z, 0-9",
        "Comma separated list, up to 10: `a,b`",
        "default: none",
        "default: null",
        "`a`, `b` (deprecated), `c`",
    ] {
        let size = noted(note).parameter("plant", "size");
        let has = |key: &str| size.contains(key);
        assert!(!["min:", "max:", "default:", "deprecated:"].into_iter().any(has), "{note}:\n{size}");
    }
}

#[test]
fn a_method_and_a_path_may_have_labels_and_a_path_has_no_sample() {
    let drafts = Drafts::of(
        "## Plant\n\n**URL**: `/bed/plant`\n**Method**: `POST`\n\n## Water\n\n```\nMethod: PUT\nType: RAW\n\
         URL: {{host}}/bed/water\n```\n\n## Weed\n\n```\ncurl -X DELETE 'https://garden.example/beds/17?all=1'\n```\n",
    );
    assert!(drafts.keys("plant").contains("http: POST /bed/plant\n"), "{}", drafts.file("plant"));
    assert!(drafts.keys("water").contains("http: PUT /bed/water\n"), "{}", drafts.file("water"));
    assert!(drafts.file("op-17").is_empty() && drafts.file("17").is_empty());
}

#[test]
fn examples_and_prose_are_no_values() {
    for note in [
        "Bed, e.g. `b1`, `b2`",
        "Bed, like `b1` or `b2`",
        "Such as `b1`, `b2`",
        "`OAK`, `ELM`, etc",
        "up to 20 herbs, separated by commas. `MINT,SAGE`",
        "Raise or lower. To raise, send `10`",
        "Gardener, elf. Sorted by height",
        "`red`, `blue`, default: `green`",
        "`true`: on, `false`: off",
        "Cannot be `a` or `b`",
        "Only if kind is `a`, `b`",
        "<li>`rose`: [`1`, `200`]. Default: `1`.</li><li>`tulip`: [`1`, `9`]</li>",
        "`a`, `b` and others",
        "Valid for type `a`, `b`",
        "Deprecated kind `a`, `b`",
        "It may change the mode `a`, `b`",
        "Growing of mode `a`, `b`",
        "Grows like type `a`, `b`",
    ] {
        let drafts = noted(note);
        assert_eq!(drafts.keys("types"), "", "{note}");
        let size = drafts.parameter("plant", "size");
        assert!((size.starts_with("type:\n") || !note.contains('`')) && !size.contains("max:"), "{note}:\n{size}");
        let quoted = note.replace("</li>", "");
        assert!(
            drafts.file("plant").replace("</li>", "").contains(quoted.trim_end_matches('.')),
            "{note}\n{}",
            drafts.file("plant")
        );
    }
}

#[test]
fn lists_of_codes_are_read_whole() {
    for (note, values) in [
        ("`P`, `SP`, `RI`", ["P", "SP", "RI"]),
        ("Phase: `P`, `SP` or `RI`", ["P", "SP", "RI"]),
        ("Phase. `P`, `SP`, `RI`. It grows.", ["P", "SP", "RI"]),
        ("<li>`P`: Planted</li><li>`SP`: Sprouted, and green</li><li>`RI`: Ripe</li>", ["P", "SP", "RI"]),
        ("<ul><li>`P`</li><li>`SP`: a sprout, watered</li><li>`RI`: ripe</li></ul>", ["P", "SP", "RI"]),
        ("Phase<br>`P`: Planted<br>`SP`: Sprouted<br>`RI`: Ripe", ["P", "SP", "RI"]),
        ("Phase <ul><li>`P`</li><li>`SP`</li><li>`RI`</li></ul>", ["P", "SP", "RI"]),
        ("`P` (default), `SP`, `RI`", ["P", "SP", "RI"]),
        ("`P`/`SP`/`RI`", ["P", "SP", "RI"]),
        ("Plant type `P`, `SP`, `RI`", ["P", "SP", "RI"]),
        ("The state <ul><li>`P`: planted</li><li>`SP`: sprouted</li><li>`RI`: ripe</li></ul>", ["P", "SP", "RI"]),
        ("How it grows. Growing mode `P`, `SP` or `RI`", ["P", "SP", "RI"]),
    ] {
        let drafts = noted(note);
        assert_eq!(drafts.values("Size"), values, "{note}\n{}", drafts.keys("types"));
        assert!(drafts.parameter("plant", "size").starts_with("type: Size\n"), "{note}");
    }
}

/// Returns the keys of a parameter `size` of a type, with a note.
fn sized(json: &str, note: &str) -> String {
    let drafts = Drafts::of(&format!(
        "## Plant\n\nPOST /plant\n\n| Parameter | Required | Type | Comments |\n|---|---|---|---|\n\
         | size | false | {json} | {note} |\n"
    ));
    let words = note.split('.').next().unwrap_or_default();
    assert!(drafts.file("plant").contains(words.trim()), "{note}\n{}", drafts.file("plant"));
    drafts.parameter("plant", "size")
}

#[test]
fn bounds_are_read_in_the_words_of_others() {
    for (json, note) in [
        ("integer", "[1, 500]"),
        ("INT", "Herbs of a page. [`1`, `500`]. Default: `20`"),
        ("LONG", "Limit: [1,500], default 20"),
        ("decimal", "Value range: [1, 500]"),
        ("number", "between 1 and 500"),
        ("string", "The value must be between 1 and 500."),
        ("string", "Range 1 to 500"),
        ("integer", "The value cannot be less than 1 or greater than 500"),
        ("integer", "Cannot be greater than 500; must be at least 1"),
        ("integer", "Can not be smaller than 1. Must not exceed `500`"),
        ("integer", "[Optional] Between 1 and 500, default 20"),
    ] {
        let size = sized(json, note);
        assert!(size.contains("min: 1\n") && size.contains("max: 500\n"), "{note}:\n{size}");
        assert_eq!(size.contains("default: \"20\"\n"), note.contains("20"), "{note}:\n{size}");
    }
}

#[test]
fn numbers_that_bound_something_else_are_no_bounds() {
    for (json, note) in [
        ("string", "[1, 500]"),
        ("array", "Range: [1, 500]"),
        ("string[]", "Range: [1, 500]"),
        ("integer", "e.g. [1, 500]"),
        ("integer", "Values: [5, 10]"),
        ("integer", "Level. [1, 50, 500]"),
        ("integer", "[500, 1]"),
        ("integer", "[500.0000000000000001, 500.0000000000000000]"),
        ("integer", "Roses [1, 500]. Tulips [1, 9]"),
        ("integer", "[1, 500] for roses"),
        ("integer", "[1,500, 2,000]"),
        ("integer", "[1,500]. Roses: [1,200]"),
        ("integer", "Characters [1, 500]"),
        ("integer", "Range [1, 32] characters"),
        ("integer", "Must be greater than 0"),
        ("integer", "Must be less than 500"),
        ("integer", "Cannot be greater than 7 days"),
        ("integer", "Cannot be greater than `depth`"),
        ("integer", "Cannot be less or greater than 5"),
        ("integer", "The sum of both cannot exceed 500"),
        ("integer", "Should not be greater than 500 for roses"),
    ] {
        let size = sized(json, note);
        assert!(!size.contains("min:") && !size.contains("max:"), "{note}:\n{size}");
    }
}

#[test]
fn tables_of_something_else_are_no_parameters() {
    let drafts = Drafts::of(
        "## Plant\n\nPOST /plant\n\n| Parameter | Mandatory | Type |\n|---|---|---|\n| kind | YES | ENUM |\n\
         | rose or tulip | NO | STRING |\n\n| Kind | Additional mandatory parameters | Information |\n|---|---|---|\n\
         | rose | `size`, `depth` | at noon |\n\n| Parameters sent | What is returned |\n|---|---|\n| kind + rose | a bed |\n\n\
         **Response**\n\n| Parameter | Type |\n|---|---|\n| bedId | STRING |\n",
    );
    let keys = drafts.keys("plant");
    assert!(keys.contains("request:\n  kind:\n    type:\n    required: always\n    doc:\nresponse:\n"), "{keys}");
    assert!(keys.contains("  object: PlantResult\n"), "{keys}");
    let file = drafts.file("plant");
    for unread in ["rose | `size`, `depth` | at noon", "rose or tulip | NO | STRING", "kind + rose | a bed"] {
        assert!(file.split("# Not read:").nth(1).unwrap().contains(unread), "{unread}:\n{file}");
    }
}

#[test]
fn times_are_windows_only_where_they_bound_a_query() {
    let head = "| Parameter | Required | Comments |\n|---|---|---|\n";
    let drafts = Drafts::of(&format!(
        "## Old\n\nGET /old\n\n{head}| startTime | no | The range from start to end cannot exceed 7*24 hours. |\n\n\
         ## Plant\n\nPOST /plant. When the number of orders within a day exceeds a limit, we warn.\n\n\
         {head}| timeWindow | no | The window, 3 to 300 seconds, default: 10 seconds |\n\n\
         ## Rate\n\nGET /rate. The limit is 3 times/3s. The limit of the old path was 60 times/3s.\n"
    ));
    assert!(drafts.keys("old").contains("  span: 168 hours\n"), "{}", drafts.file("old"));
    assert!(drafts.file("old").contains("7*24 hours\nwindow:\n"), "the sentence stands above the key");
    let plant = drafts.keys("plant");
    assert!(!plant.contains("window:\n") && !plant.contains("history"), "{plant}");
    assert!(drafts.keys("rate").contains("rate_limit: [3/3s per UID]\n"), "{}", drafts.file("rate"));
}

#[test]
fn needs_stand_in_notes_columns_and_sentences() {
    let drafts = Drafts::of(
        "## A\n\nPOST /a\n\n| Parameter | Type | Comments |\n|---|---|---|\n| spade | string | [Optional] The spade |\n\
         | depth | string | How deep |\n\n## B\n\nPOST /b\n\n| Field | Criticality |\n|---|---|\n| rose | M |\n| tulip | O |\n\n\
         ## C\n\nPOST /c\n\n| Parameter | Optional |\n|---|---|\n| rose | yes |\n| tulip | no |\n\n\
         ## D\n\nGET /d\n\n| Parameter | Required | Comments |\n|---|---|---|\n| rose | no | `rose` or `tulip` must be sent |\n\
         | tulip | no | `rose` or `tulip` must be sent |\n",
    );
    assert!(!drafts.parameter("a", "spade").contains("required"));
    assert!(drafts.parameter("a", "depth").contains("required:\n"), "an open need is an empty key");
    for (operation, required, optional) in [("b", "rose", "tulip"), ("c", "tulip", "rose")] {
        assert!(drafts.parameter(operation, required).contains("required: always\n"));
        assert!(!drafts.parameter(operation, optional).contains("required"));
    }
    assert!(
        drafts.keys("d").contains("  roseOrTulip:\n    type: RoseOrTulip\n    required: always\n"),
        "{}",
        drafts.keys("d")
    );
}

#[test]
fn a_choice_that_holds_in_a_case_or_is_longer_is_none() {
    for note in [
        "For rose, either `bed` or `row` is required",
        "Only `rose`: either `bed` or `row` is required",
        "Either `gardener`, `bed` or `row` is required",
        "If it is red, `bed` or `row` must be sent",
        "When `bed` or `row` is required, it is sent",
    ] {
        let rows = format!("| bed | no | {note} |\n| row | no | |\n| gardener | no | |\n");
        let table = format!("| Parameter | Required | Comments |\n|---|---|---|\n{rows}");
        let drafts = Drafts::of(&format!("## Plant\n\nPOST /plant\n\n{table}"));
        assert!(!drafts.keys("plant").contains("Or"), "{note}\n{}", drafts.keys("plant"));
        assert!(drafts.file("plant").contains(note), "{note}\n{}", drafts.file("plant"));
    }
}

#[test]
fn codes_with_a_range_each_are_no_values() {
    let drafts = noted("How deep <ul><li>`low`: range is [1, 90], in steps</li><li>`high`: [ `0.5`, 9]</li></ul>");
    assert_eq!(drafts.values("Size"), Vec::<String>::new(), "{}", drafts.file("plant"));
    assert_eq!(noted("`low`: the depth [see below], `high`: deeper").values("Size"), ["low", "high"]);
}

#[test]
fn windows_of_several_cases_are_none() {
    let drafts =
        Drafts::of("## Old\n\nGET /old. Data of the last 24 hours: all. Data of the last 7 days: sown plants.\n");
    assert!(!drafts.keys("old").contains("history:"), "{}", drafts.file("old"));
    for said in ["24 hours: all", "7 days: sown plants"] {
        assert!(drafts.file("old").contains(said), "{said}\n{}", drafts.file("old"));
    }
}

#[test]
fn metadata_have_the_title_of_a_page() {
    let page = |metadata: &str, body: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("schema/garden")).unwrap();
        std::fs::write(folder.path().join("schema/api.yaml"), API).unwrap();
        std::fs::write(folder.path().join("schema/garden/family.yaml"), FAMILY).unwrap();
        std::fs::write(folder.path().join("g.md"), format!("---\n{metadata}\n---\n{body}")).unwrap();
        let generator = Generator::new().schema_dir(folder.path().join("schema"));
        generator.draft("garden", &DraftSource::Sections(folder.path().to_owned())).unwrap();
        Drafts { folder, statements: (0, 0, 0) }.file("dig")
    };
    for (metadata, body) in [
        ("title: Dig a hole\nid: dig", "POST /dig\n"),
        ("id: dig\ntitle: \"Dig a hole\"", "### Request\n\nPOST /dig\n"),
        ("title: Dig a hole", "# Dig a hole\n\nPOST /dig\n"),
        ("title: Garden", "## Dig a hole\n\nPOST /dig\n"),
    ] {
        let file = page(metadata, body);
        assert!(file.contains("title: Dig a hole\n") && file.contains("section: Dig a hole\n"), "{metadata}\n{file}");
    }
}

#[test]
fn the_words_of_a_need_are_read_or_leave_it_open() {
    for (cell, need) in [
        ("required for `market`", "required: conditional\n"),
        ("Yes, if rose is absent", "required: conditional\n"),
        ("Only when rose is absent", "required: conditional\n"),
        ("No (deprecated)", ""),
        ("✅", "required: always\n"),
        ("No, but in winter", "required:\n"),
        ("see the note", "required:\n"),
        ("", "required: unstated\n"),
        ("-", "required: unstated\n"),
    ] {
        let table = format!("| Parameter | Required |\n|---|---|\n| size | {cell} |\n| rose | yes |\n| tulip | no |\n");
        let drafts = Drafts::of(&format!("## Plant\n\nPOST /plant\n\n{table}"));
        let size = drafts.parameter("plant", "size");
        let stated: String =
            size.lines().filter(|line| line.starts_with("required")).map(|line| format!("{line}\n")).collect();
        assert_eq!(stated, need, "{cell}");
    }
}

#[test]
fn an_unmarked_need_is_open_where_only_one_kind_is_marked() {
    for mark in ["✔", "no"] {
        let table = format!("| Parameter | Required |\n|---|---|\n| size | |\n| rose | {mark} |\n");
        let size = Drafts::of(&format!("## Plant\n\nPOST /plant\n\n{table}")).parameter("plant", "size");
        assert!(size.contains("required:\n"), "{mark}\n{size}");
    }
}

#[test]
fn columns_have_defaults_and_ranges() {
    let drafts = Drafts::of(
        "## Plant\n\nPOST /plant\n\n| Name | Type | Required | Default | Range | Description |\n|---|---|---|---|---|---|\n\
         | size | INT | No | 10 | 1-100 | How big |\n| depth | number | No | - | [0.1, 5] | How deep |\n\
         | color | string | No | none | `red`, `blue` | Its colour |\n| beds | array | No | | at most 9 items | min: 5 |\n",
    );
    assert!(drafts.parameter("plant", "size").contains("default: \"10\"\nmin: 1\nmax: 100\n"));
    assert!(drafts.parameter("plant", "depth").contains("min: 0.1\nmax: 5\n"));
    assert_eq!(drafts.values("Color"), ["red", "blue"]);
    assert!(!drafts.parameter("plant", "color").contains("default"), "a word for nothing is no default");
    assert!(drafts.parameter("plant", "beds").contains("max_items: 9\n"), "{}", drafts.file("plant"));
}

/// The same operation in the styles of others: parts with headings, a call of curl, a tag, a table with the path.
#[test]
fn operations_are_found_in_every_style() {
    let table = "| Name | Required |\n|---|---|\n| rose | true |\n";
    for (style, path) in [
        (
            format!("## Dig\n\n### HTTP Request\n\n`POST https://garden.example/dig?x=1`\n\n### Parameters\n\n{table}"),
            "POST /dig",
        ),
        (
            format!("## Dig\n\n```\ncurl -X DELETE \"https://garden.example/dig/:id\" -H \"k: v\"\n```\n\n{table}"),
            "DELETE /dig/{id}",
        ),
        (format!("## Dig\n\n```\ncurl https://garden.example/dig -d 'x=1'\n```\n\n{table}"), "POST /dig"),
        (format!("## Dig\n\n<Endpoint method=\"PUT\" path=\"/dig\" />\n\n{table}"), "PUT /dig"),
        (format!("## Dig\n\n| METHOD | URL |\n|---|---|\n| GET | `/dig` |\n\n{table}"), "GET /dig"),
        (
            "## Dig\n\n```\nGET /dig\n```\n\n### Request Fields\n\n| Field | Meaning |\n|---|---|\n| rose | A rose. |\n".to_owned(),
            "GET /dig",
        ),
    ] {
        let drafts = Drafts::of(&style);
        let keys = drafts.keys("dig");
        assert!(
            keys.contains(path) && keys.contains("section: Dig\n") && keys.contains("\n  rose:\n"),
            "{style}\n{keys}"
        );
    }
}

/// The audit finds each drafted fact in its section, and a sample of an answer is no difference.
#[test]
fn an_audit_can_begin_with_a_draft() {
    for answer in [
        "**Response**\n\n| Parameter | Type |\n|---|---|\n| bedId | string |\n",
        "### Response Parameters\n\n| Name | Type |\n|---|---|\n| bedId | string |\n",
        "```json\n{\"bedId\": \"7\"}\n```\n",
    ] {
        let body = format!(
            "## Dig\n\nPOST /dig. Rate limit 3/s.\n\n| Parameter | Required | Type | Comments |\n|---|---|---|---|\n\
             | kind | yes | string | `P`: planted, `S`: sown |\n| at | no | string | [1, 5] |\n\n{answer}"
        );
        let drafts = Drafts::of(&body);
        let fill = |name: &str, pairs: &[(&str, &str)]| {
            let text = pairs.iter().fold(drafts.keys(name), |text, (from, to)| text.replace(from, to));
            std::fs::write(drafts.folder.path().join(format!("schema/garden/{name}.yaml")), text).unwrap();
        };
        let is_sample = answer.starts_with("```");
        let response = if is_sample { "response: { object: DigResult }\nexamples:" } else { "examples:" };
        fill(
            "dig",
            &[
                ("effect:\n", "effect: create\n"),
                ("doc:\n", "doc: Digs.\n"),
                ("type:\n", "type: string\n"),
                (if is_sample { "response:\nexamples:" } else { "examples:" }, response),
                (
                    "examples:\n",
                    "examples:\n  - about: A call.\n    request: '{\"kind\": \"P\"}'\n    response: '{\"bedId\": \"7\"}'\n",
                ),
            ],
        );
        let record =
            "records:\n  DigResult:\n    doc: A bed.\n    fields:\n      bedId: { type: string, doc: The bed. }\n";
        let types = std::fs::read_to_string(drafts.folder.path().join("schema/garden/types.yaml")).unwrap();
        if is_sample {
            std::fs::write(drafts.folder.path().join("schema/garden/types.yaml"), format!("{types}{record}")).unwrap();
        }
        fill("types", &[("doc:\n", "doc: Words.\n"), ("P:\n", "P: Planted.\n"), ("S:\n", "S: Sown.\n")]);
        let schema = Generator::new().schema_dir(drafts.folder.path().join("schema")).read();
        let schema = schema.unwrap_or_else(|mistakes| panic!("{}", mistakes.render(tradeapi_gen::Format::Short)));
        let report = |body: &str| {
            schema.audit(&Documents::one("g", format!("# Garden\n\n{body}")), &Documents::default()).to_string()
        };
        let now = report(&body);
        assert!(now.contains("0 difference(s) of fact"), "{answer}\n{now}");
        // Another need is a difference again.
        assert!(report(&body.replace("| at | no |", "| at | yes |")).contains("1 difference(s) of fact"), "{now}");
    }
}

/// Returns a statement of a generated section: its text, which has a word of its own.
fn statement() -> impl Strategy<Value = (bool, String)> {
    let row = prop_oneof![
        Just("| NAME | yes | string | the WORD |"),
        Just("| NAME | no | number | WORD, maximum 9 |"),
        Just("| NAME | no | string | `a`, `b`. The WORD |"),
        Just("| NAME | no | string | e.g. `WORD` |"),
        Just("| NAME or OTHER | no | string | WORD |"),
        Just("| NAME | no | LONG | Unix ms, WORD |"),
    ];
    let sentence = prop_oneof![
        Just("Rate limit 5/s for WORD"),
        Just("It is WORD"),
        Just("When WORD within a day exceeds 3, orders stop"),
        Just("Only data within 7 days and WORD is available"),
        Just("The limit was 3/s for WORD"),
    ];
    prop_oneof![row.prop_map(|row| (true, row.to_owned())), sentence.prop_map(|one| (false, one.to_owned()))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Read, left empty and not read add up to the statements, and no word is lost.
    #[test]
    fn every_statement_is_read_left_empty_or_listed(statements in prop::collection::vec(statement(), 1..12)) {
        let number = |(nth, (is_row, text)): (usize, (bool, String))| {
            let text = text.replace("NAME", &format!("name{nth}")).replace("OTHER", &format!("other{nth}"));
            (is_row, text.replace("WORD", &format!("word{nth}")))
        };
        let statements: Vec<(bool, String)> = statements.into_iter().enumerate().map(number).collect();
        let of = |wanted: bool| statements.iter().filter(move |(is_row, _)| *is_row == wanted).map(|(_, text)| text.clone());
        let (rows, sentences): (Vec<String>, Vec<String>) = (of(true).collect(), of(false).collect());
        let table = format!("| Parameter | Required | Type | Comments |\n|---|---|---|---|\n{}\n", rows.join("\n"));
        let prose: String = sentences.iter().map(|sentence| format!("{sentence}. ")).collect();
        let drafts = Drafts::of(&format!("## Dig\n\nGET /dig\n\n{prose}\n\n{table}"));
        let (read, left_empty, not_read) = drafts.statements;
        // The path is a statement, too.
        prop_assert_eq!(read + left_empty + not_read, statements.len() + 1, "{}", drafts.file("dig"));
        let file = drafts.file("dig");
        let lost: BTreeSet<usize> = (0..statements.len()).filter(|nth| !file.contains(&format!("word{nth}"))).collect();
        prop_assert!(lost.is_empty(), "{lost:?} of {statements:#?}\n{file}");
        let listed = file.split("# Not read:\n").nth(1).map_or(0, |listed| listed.lines().count());
        prop_assert_eq!(listed, not_read);
    }
}

/// Pages of components name parameters and fields in tags, and the address in the metadata.
#[test]
fn tags_of_parameters_and_fields_are_lists() {
    let document = "## Plant\n\nPOST /plant\n\n<ParamField body=\"rows\" type=\"integer\" required>\n  At most 20.\n</ParamField>\n\n\
                    <ParamField\n  body=\"soil\"\n  type=\"string\"\n  default=\"sand\">\n\n  Words about it.\n\n</ParamField>\n\n\
                    <ParamField query=\"deep\" type=\"boolean\" required={false} />\n\n\
                    <ParamField body=\"size\" type=\"string\" required>How big</ParamField>\n\n\
                    ### Answer\n\n<ResponseField name=\"plantId\" type=\"string\" required>\n  Its id.\n</ResponseField>\n";
    let drafts = Drafts::of(document);
    let keys = drafts.keys("plant");
    let rows = drafts.parameter("plant", "rows");
    assert!(rows.contains("required: always") && rows.contains("max: 20"), "{keys}");
    assert!(drafts.parameter("plant", "soil").contains("sand"), "{keys}");
    assert!(drafts.parameter("plant", "size").contains("required: always"), "{keys}");
    assert!(!drafts.parameter("plant", "deep").contains("required: always"), "{keys}");
    let request = keys.split("\nresponse:").next().unwrap();
    assert!(!request.contains("plantId"), "{keys}");
}
