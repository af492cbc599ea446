//! Small documents in the styles of others, with the words that each declares for itself.

use tradeapi_gen::{Documents, DraftSource, Generator};

use crate::styles::{API, Drafts};
use crate::{prose, sources};

#[test]
fn nothing_is_wrong_in_silence_in_documents_of_each_style() {
    let mut table = format!("{}\n", prose::HEAD);
    let mut folders: Vec<_> =
        std::fs::read_dir(sources().join("others")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders {
        let room = tempfile::tempdir().unwrap();
        let name = folder.file_name().unwrap().to_str().unwrap();
        let measured = prose::measure(&folder, room.path());
        let measured = measured.unwrap_or_else(|error| panic!("{name}: {}", error.render(tradeapi_gen::Format::Short)));
        assert!(measured.wrong.is_empty(), "{name}: {:#?}", measured.wrong);
        table.push_str(&format!("| {name} | {measured} |\n"));
    }
    insta::assert_snapshot!(table);
}

#[test]
fn needs_stand_behind_names() {
    let body = "## Dig\n\nPOST /dig\n\n### Request fields\n\n| Field | Type |\n|---|---|\n| rose* | string |\n\
        | tulip | string |\n| elm (required) | string |\n| oak<br>*optional* | string |\n| fir or ash | string |\n";
    let drafts = Drafts::read_with("required: [\"*\"], optional: [\"\"]", body);
    let is_required = |name: &str| drafts.parameter("dig", name).contains("required: always\n");
    assert!(is_required("rose") && is_required("elm") && !is_required("tulip") && !is_required("oak"));
    assert!(drafts.file("dig").contains("fir or ash | string"), "what is no name is listed");
    // Without the declaration, a star states nothing.
    assert!(Drafts::read_with("", body).parameter("dig", "rose").contains("required: unstated\n"));
}

#[test]
fn a_call_of_curl_is_an_example_where_a_section_describes_the_operation() {
    let call = "```\ncurl -H \"X-KEY: k\" -X POST 'https://garden.example/dig?depth=1'\n```\n\n| Parameter | Value |\n|---|---|\n| depth | 1 |\n";
    let own = "## Dig a hole\n\nPOST /dig\n\n| Parameter | Required |\n|---|---|\n| depth | yes |\n";
    let drafts = Drafts::of(&format!("## Signatures\n\n{call}\n{own}"));
    assert!(drafts.keys("dig").contains("title: Dig a hole\n"), "{}", drafts.file("dig"));
    assert!(drafts.keys("post-dig").is_empty(), "one operation has one draft");
    // Where nothing else describes it, the call is the address.
    assert!(Drafts::of(&format!("## Signatures\n\n{call}")).keys("dig").contains("http: POST /dig\n"));
}

#[test]
fn an_item_of_a_list_is_one_parameter() {
    let drafts = Drafts::read_with(
        "",
        "## Dig\n\nPOST /dig\n\nParameters:\n\n- `kind` (required): one of `rose`, `fern`\n- depth: how deep, maximum 9\n",
    );
    assert_eq!(drafts.values("Kind"), ["rose", "fern"], "{}", drafts.file("dig"));
    assert!(drafts.parameter("dig", "depth").contains("max: 9\n") && !drafts.keys("dig").contains("fern:"));
}

/// Returns the values of a parameter `kind` whose list stands in a section of its own.
fn listed(row: &str, list: &str) -> Vec<String> {
    let body = format!(
        "## Dig\n\nPOST /dig\n\n| Parameter | Required | Type | Note |\n|---|---|---|---|\n{row}\n\n## Word lists\n\n{list}\n"
    );
    Drafts::read_with("values: [Word lists], enums: [ENUM]", &body).values("Kind")
}

#[test]
fn values_stand_in_sections_of_their_own() {
    let table = "### Plants (kind)\n\n| Value | Meaning |\n|---|---|\n| ROSE | thorns |\n| FERN | shade |\n";
    for row in [
        "| kind | yes | string | See [the list](#plants-kind) |",
        "| kind | yes | Plants | The kind |",
        "| kind | yes | ENUM | The kind |",
    ] {
        assert_eq!(listed(row, table), ["ROSE", "FERN"], "{row}");
    }
    let by_name = "| kind | yes | ENUM | The kind |";
    assert_eq!(listed(by_name, "**Kind**\n\n* ROSE - thorns\n* FERN: shade\n"), ["ROSE", "FERN"]);
    assert_eq!(listed(by_name, "Kind:\n\n`ROSE`, `FERN`\n"), ["ROSE", "FERN"]);
    for (row, list) in [
        // A text may have any value, and another list is not that of a kind.
        ("| kind | yes | string | The kind |", table),
        (by_name, "### Beds\n\n* ROSE - thorns\n* FERN - shade\n"),
        // All entries or none.
        (by_name, "### Kind\n\n* ROSE - thorns\n* and many others\n"),
        (by_name, "### Kind\n\n| Value |\n|---|\n| ROSE |\n| one of many |\n"),
    ] {
        assert_eq!(listed(row, list), Vec::<String>::new(), "{row}\n{list}");
    }
}

#[test]
fn a_list_in_another_document_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (schema, family) = (folder.path().join("schema"), folder.path().join("schema/garden"));
    std::fs::create_dir_all(&family).unwrap();
    let from = sources().join("others/linked");
    std::fs::copy(from.join("api.yaml"), schema.join("api.yaml")).unwrap();
    std::fs::write(
        family.join("family.yaml"),
        "family: garden\ntitle: Garden\ndoc: Beds.\nnumbers: text\nerrors: {}\n",
    )
    .unwrap();
    let generator = Generator::new().schema_dir(&schema);
    generator.draft("garden", &DraftSource::Sections(from.clone())).unwrap();
    let texts = tempfile::tempdir().unwrap();
    let audit = |to: &str| {
        for name in ["garden.md", "words.md"] {
            let text = std::fs::read_to_string(from.join(name)).unwrap();
            std::fs::write(texts.path().join(name), text.replace("* `SAND`: dries fast\n", to)).unwrap();
        }
        let schema = generator.read_unfinished().unwrap();
        schema.audit(&schema.documents(texts.path()).unwrap(), &Documents::default())
    };
    audit("* `SAND`: dries fast\n").accept_as_is().unwrap();
    let same = audit("* `SAND`: dries fast\n");
    assert_eq!((same.differences(), same.reviews()), (0, 0), "{same}");
    // The list itself, and each row that refers to it.
    let report = audit("* `SAND`: dries fast\n* `LOAM`\n").to_string();
    for place in ["words.md:16: ", "garden.md:10: ", "garden.md:22: "] {
        assert!(report.contains(place), "{place}\n{report}");
    }
}

#[test]
fn a_weight_is_read_where_one_pool_has_its_scope() {
    let weight = |said: &str| {
        let pools = "pools:\n  weights: { rate: 600/1m per IP, doc: All calls. }\n  orders: { rate: 9/1m per UID, doc: Orders. }\n";
        let drafts = Drafts::of_api(&format!("{API}{pools}"), &format!("## Dig\n\nPOST /dig\n\n{said}\n"));
        let keys = drafts.keys("dig");
        let words = said.trim_matches('*').split(':').next().unwrap();
        assert!(drafts.file("dig").contains(words), "{said}\n{}", drafts.file("dig"));
        keys.lines().find_map(|line| line.strip_prefix("rate_limit: ").map(str::to_owned))
    };
    assert_eq!(weight("**Weight(IP):** 20").as_deref(), Some("[20 of weights]"));
    assert_eq!(weight("UID weight: 3").as_deref(), Some("[3 of orders]"));
    for unread in ["Weight: 20", "IP weight: 5 with a kind, 20 without", "IP weight: see below"] {
        assert_eq!(weight(unread), None, "{unread}");
    }
}

#[test]
fn a_sample_below_a_label_is_the_answer() {
    let dig = |label: &str| {
        let sample = "{\n  \"bedId\": 7, // of the bed\n  \"at\": \"http://x\",\n  \"beds\": [{\"row\": 1}]\n}";
        Drafts::read_with("answers: [Outcome]", &format!("## Dig\n\nPOST /dig\n\n{label}\n\n```json\n{sample}\n```\n"))
    };
    for label in ["**Response:**", "### Outcome"] {
        let types = dig(label).file("types");
        assert!(types.contains("      # of the bed\n      bedId:\n        type: signed\n"), "{label}\n{types}");
        assert!(types.contains("      at:\n        type: string\n") && types.contains("row:\n"), "{label}\n{types}");
    }
    assert!(dig("**Request:**").keys("dig").contains("response:\n"), "a request is no answer");
}

#[test]
fn an_audit_finds_what_stands_in_a_section_of_values() {
    let schema = |name: &str, text: &str, folder: &std::path::Path| std::fs::write(folder.join(name), text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("garden")).unwrap();
    schema(
        "api.yaml",
        "api: garden\ndoc: A garden.\ndocuments:\n  g:\n    title: Garden\n    reading:\n      names: [Field]\n      \
         optional: [\"\"]\n      values: [Annex]\npools:\n  weights: { rate: 600/1m per IP, doc: All calls. }\n",
        folder.path(),
    );
    schema(
        "garden/family.yaml",
        "family: garden\ntitle: Garden\ndoc: Beds.\nsource: { document: g }\nnumbers: text\nerrors: {}\n",
        folder.path(),
    );
    schema(
        "garden/types.yaml",
        "enums:\n  Kind:\n    doc: Kinds.\n    values: { ROSE: Thorns., FERN: Shade. }\n\
         records:\n  Bed:\n    doc: A bed.\n    fields: { row: { type: string, doc: Its row. } }\n",
        folder.path(),
    );
    schema(
        "garden/plants.yaml",
        "operation: plants\ntitle: Plants\nsource: { document: g, section: Plants }\nhttp: GET /plants\ndoc: Lists them.\n\
         effect: read\naccess: public\nrate_limit: [5 of weights]\nrequest:\n  kind: { type: Kind, doc: The kind. }\n\
         response: { object: Bed }\nexamples:\n  - { about: One., request: '{\"kind\": \"ROSE\"}', response: '{\"row\": \"1\"}' }\n",
        folder.path(),
    );
    let body = "# Garden\n\n## Plants\n\nGET /plants\n\nWeight: 5\n\nQuery:\n\n| Field | Type | Remark |\n|---|---|---|\n\
        | kind | Kind | Only these |\n\n```json\n{\"row\": \"1\"}\n```\n\n## Annex\n\n### Kind\n\n| Value |\n|---|\n| ROSE |\n| FERN |\n";
    let read = Generator::new().schema_dir(folder.path()).read();
    let read = read.unwrap_or_else(|mistakes| panic!("{}", mistakes.render(tradeapi_gen::Format::Short)));
    let report = |text: &str| read.audit(&Documents::one("g", text), &Documents::default()).to_string();
    assert!(report(body).contains("0 difference(s) of fact"), "{}", report(body));
    for (from, to, says) in [
        ("| FERN |", "| MOSS |", "g.md:26: value MOSS of kind"),
        ("| FERN |\n", "| FERN |\n| MOSS |\n", "g.md:27: value MOSS of kind"),
        ("| FERN |\n", "| IVY |\n| FERN |\n", "g.md:26: value IVY of kind"),
        ("Weight: 5", "Weight: 6", "g.md:7: weight in weights 6"),
    ] {
        let report = report(&body.replace(from, to));
        assert!(report.contains(says) && report.contains("1 difference(s) of fact"), "{from} -> {to}\n{report}");
    }
}
