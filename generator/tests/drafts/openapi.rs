//! Drafts from OpenAPI descriptions.

use tradeapi_gen::{DraftSource, Drafted, Generator};

use crate::random::random_openapi;
use crate::{compare, drafted_from, empty_schema, fill, sources, texts};

#[test]
fn an_openapi_file_becomes_operations_and_types() {
    let (shown, drafted) = drafted_from(&DraftSource::OpenApi(sources().join("greenhouse.yaml")));
    insta::assert_snapshot!(shown);
    assert_eq!(drafted.left_out, ["POST /garden/v1/water-bed: the schema has it as garden.water-bed"]);
}

/// Drafts of an OpenAPI description into a garden without operations: the texts of all files, and what was said.
fn drafted_openapi(text: &str, name: &str) -> (String, Drafted) {
    let folder = tempfile::tempdir().unwrap();
    let schema = empty_schema(folder.path());
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let drafted = Generator::new().schema_dir(&schema).draft("garden", &DraftSource::OpenApi(path));
    let drafted = drafted.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let shown = texts(&drafted);
    (shown, drafted)
}

/// The case openapi-draft-loses-facts: path items by reference, and one name in two places.
#[test]
fn nothing_of_a_description_is_lost_without_a_word() {
    let by_reference = "openapi: 3.1.0\ninfo: { title: T, version: 1.0.0 }\npaths:\n  /v1/a:\n    get:\n      operationId: getA\n      \
        responses: { 200: { description: ok } }\n  /v1/b:\n    $ref: '#/components/pathItems/B'\ncomponents:\n  pathItems:\n    B:\n      \
        get:\n        operationId: getB\n        responses: { \"200\": { description: ok } }\n";
    let (shown, drafted) = drafted_openapi(by_reference, "path-item.yaml");
    assert!(shown.contains("http: GET /v1/a\n") && shown.contains("http: GET /v1/b\n"), "{shown}");
    assert_eq!(drafted.unread, ["#/info (2 statements)"]);

    let same_name = "openapi: 3.1.0\ninfo: { title: T, version: 1.0.0 }\npaths:\n  /v1/a:\n    get:\n      operationId: getA\n      \
        parameters:\n        - { name: account, in: header, schema: { type: string } }\n        - { name: account, in: query, schema: \
        { type: string } }\n      responses: { \"200\": { description: ok } }\n    options: { responses: {} }\n    head: { responses: {} }\n";
    let (shown, drafted) = drafted_openapi(same_name, "same-name.yaml");
    assert!(shown.contains("  account:\n    type: string\n    doc:\n"), "{shown}");
    let header = "  header_account:\n    type: string\n    in: header\n    sent_as: account\n";
    assert!(shown.contains(header), "{shown}");
    for method in ["OPTIONS", "HEAD"] {
        let line = format!("{method} /v1/a: the schema language does not have this method");
        assert!(drafted.left_out.contains(&line), "{drafted:?}");
    }
}

/// Words of one letter make a name of a type that Rust code writes otherwise; no two types have one name.
#[test]
fn types_that_are_named_after_one_letter_have_names_of_their_own() {
    let operation = |name: &str| {
        let schema = format!(r##"{{"type": "array", "items": {{"$ref": "#/components/schemas/{name}"}}}}"##);
        format!(
            r#"{{"get": {{"responses": {{"200": {{"description": "ok", "content": {{"application/json": {{"schema": {schema}}}}}}}}}}}}}"#
        )
    };
    let schema = |member: &str| format!(r#"{{"type": "object", "properties": {{"{member}": {{"type": "string"}}}}}}"#);
    let text = format!(
        r#"{{"openapi": "3.1.0", "info": {{}}, "paths": {{"/v1/a": {}, "/v1/b": {}}}, "components": {{"schemas": {{"xLItem": {}, "x_l_item": {}}}}}}}"#,
        operation("xLItem"),
        operation("x_l_item"),
        schema("size"),
        schema("price")
    );
    let (shown, _) = drafted_openapi(&text, "letters.json");
    let named = |name: &str| shown.lines().filter(|line| line.trim_end_matches(':').trim() == name).count();
    assert_eq!((named("XlItem"), named("XlItem2"), named("XLItem")), (1, 1, 0), "{shown}");
}

/// A draft leaves empty, or lists, what it cannot state, and states nothing else in its place.
#[test]
fn what_the_language_does_not_have_is_left_empty_or_listed() {
    let text = r##"{"openapi": "3.1.0", "info": {}, "servers": [{"url": "https://{region}.example.com/v{version}"}], "paths": {"/a/{id}": {"patch": {
        "parameters": [{"name": "id", "in": "path", "required": true, "style": "matrix", "schema": {"type": "string"}}],
        "requestBody": {"content": {"application/merge-patch+json": {"schema": {"type": "object", "properties": {"never": {"const": null}, "any": {}}}}}},
        "responses": {"204": {"description": "none"}, "200": {"description": "ok", "content": {"application/json": {"schema":
            {"type": "object", "properties": {"sizes": {"type": "array", "items": {"type": ["string", "null"]}}}}}}}}}}}}"##;
    let (shown, drafted) = drafted_openapi(text, "api.json");
    for expected in [
        "http: \"PATCH /a/{id}\"\n",
        "  # It is in the path in the style matrix.\n  id:\n    type:\n",
        "  # It is always null.\n  # `nullable` is not read.\n  never:\n    type:\n",
        "  any:\n    type: json\n",
        "      # `nullable` of the items is not read.\n      sizes:\n        list: string\n",
        "# the media type of the body, application/merge-patch+json: it is sent as application/json\n",
        "/responses/204\n",
    ] {
        assert!(shown.contains(expected), "{expected:?} is not in\n{shown}");
    }
    assert!(!shown.contains("/properties/any"), "{shown}");
    assert!(drafted.unread.iter().any(|place| place.starts_with("#/servers")), "{drafted:?}");
}

/// One name in the query, the path, a header and the body.
#[test]
fn a_parameter_whose_name_another_has_is_sent_under_it() {
    let text = r##"{"openapi": "3.0.0", "info": {}, "paths": {"/a/{state}": {"put": {
        "parameters": [{"name": "state", "in": "path", "required": true, "schema": {"type": "string"}},
            {"name": "state", "in": "query", "required": true, "schema": {"type": "integer", "minimum": 0}},
            {"name": "query_state", "in": "query", "schema": {"type": "string"}}, {"name": "state", "in": "header", "schema": {"type": "string"}}],
        "requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"state": {"type": "boolean"}}}}}}, "responses": {}}}}}"##;
    let (shown, _) = drafted_openapi(text, "api.json");
    for expected in [
        "http: \"PUT /a/{path_state}\"\n",
        "  query_query_state:\n    type: integer\n    in: query\n    sent_as: state\n    required: always\n",
        "  query_state:\n    type: string\n    in: query\n    doc:",
        "  header_state:\n    type: string\n    in: header\n    sent_as: state\n",
        "  state:\n    type: boolean\n",
    ] {
        assert!(shown.contains(expected), "{expected:?} is not in\n{shown}");
    }
}

/// Facts that a draft once made up or changed.
#[test]
fn a_draft_states_what_the_description_states() {
    let text = r##"{"openapi": "3.0.0", "info": {}, "security": [{"key": []}], "paths": {"/private/buy": {
        "get": {"summary": "Buy", "parameters": [{"name": "size", "in": "query", "schema": {"type": "integer"}},
            {"name": "day", "in": "query", "schema": {"type": "string", "format": "date"}}], "responses": {}},
        "post": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}], "responses": {"404": {"description": "none"}}},
        "put": {"requestBody": {"content": {"application/json": {"schema": {"required": ["a"], "allOf": [{"$ref": "#/components/schemas/A"}]}}}}, "responses": {}},
        "delete": {"security": [], "responses": {}}}},
        "components": {"schemas": {"A": {"type": "object", "properties": {"a": {"type": "string"}, "big": {"type": "integer", "maximum": 340282366920938463463374607431768211456, "description": "\ud83e\udd80"}}}}}}"##;
    let (shown, drafted) = drafted_openapi(text, "api.json");
    let of = |head: &str| {
        shown.split("=== ").find(|file| file.contains(head)).unwrap_or_else(|| panic!("{head}: {shown}")).to_owned()
    };
    let get = of("http: GET /private/buy");
    assert!(get.contains("# Seen: GET; /private/buy; Buy.\neffect:\n"), "{get}");
    assert!(get.contains("# Secured by key.\n# signed or public.\naccess:\n"), "{get}");
    assert!(get.contains("  size:\n    type: signed\n"), "{get}");
    assert!(get.contains("  day:\n    type: date\n"), "{get}");
    let post = of("http: POST /private/buy");
    assert!(post.contains("sends: query\n") && post.contains("  q:\n"), "{post}");
    assert!(post.contains("# #/paths/~1private~1buy/post/responses\n"), "{post}");
    let put = of("http: PUT /private/buy");
    assert!(put.contains("  a:\n    type: string\n    required: always\n"), "{put}");
    assert!(put.contains("340282366920938463463374607431768211456") && put.contains('\u{1f980}'), "{put}");
    assert!(of("http: DELETE /private/buy").contains("access: public\n"));
    assert!(drafted.statements.is_some());
}

#[test]
fn swagger_2_is_read_as_openapi_3() {
    let text = r##"{"swagger": "2.0", "info": {"title": "T", "version": "1"}, "host": "a.b", "basePath": "/v2", "consumes": ["application/json"],
        "produces": ["application/json"], "parameters": {"Limit": {"name": "limit", "in": "query", "type": "integer", "minimum": 1}},
        "paths": {"/pets": {"get": {"operationId": "listPets", "parameters": [{"$ref": "#/parameters/Limit"}, {"name": "tags", "in": "query", "type": "array",
            "items": {"type": "string"}, "collectionFormat": "csv"}], "responses": {"200": {"description": "ok", "schema": {"type": "array", "items": {"$ref": "#/definitions/Pet"}}}}},
            "post": {"parameters": [{"name": "body", "in": "body", "schema": {"$ref": "#/definitions/Pet"}}], "responses": {}},
            "put": {"consumes": ["application/x-www-form-urlencoded"], "parameters": [{"name": "name", "in": "formData", "required": true, "type": "string"}], "responses": {}}}},
        "definitions": {"Pet": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "parents": {"type": "array", "items": {"$ref": "#/definitions/Pet"}}}}}}"##;
    let (shown, _) = drafted_openapi(text, "api.json");
    for expected in [
        "http: GET /v2/pets\n",
        "  limit:\n    type: integer\n    min: 1\n",
        "lists: comma\n",
        "  array: Pet\n",
        "http: POST /v2/pets\n",
        "  name:\n    type: string\n    required: always\n",
        "http: PUT /v2/pets\n",
        "sends: form\n",
    ] {
        assert!(shown.contains(expected), "{expected:?} is not in\n{shown}");
    }
}

#[test]
fn a_part_of_a_description_is_drafted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("api.json");
    let operation =
        |id: &str, tag: &str| serde_json::json!({"get": {"operationId": id, "tags": [tag], "responses": {}}});
    let root = serde_json::json!({"openapi": "3.0.0", "info": {}, "paths": {
        "/a": operation("getA", "one"), "/a/b": operation("getB", "two"), "/ab": operation("getC", "two")}});
    std::fs::write(&path, root.to_string()).unwrap();
    let draft = |only: &str| {
        let schema = empty_schema(&folder.path().join(only.replace('/', "_")));
        let source = DraftSource::OpenApi(path.clone());
        Generator::new().schema_dir(schema).draft_only("garden", &source, &[only.to_owned()])
    };
    for (only, names) in [("/a", &["get-a", "get-b"][..]), ("two", &["get-b", "get-c"]), ("getA", &["get-a"])] {
        let written = draft(only).unwrap().written;
        let found: Vec<_> = written.iter().map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
        assert_eq!(found, names, "{only}");
    }
    assert!(draft("three").unwrap_err().to_string().contains("no operation of three"));
}

/// Lists the values without members of a JSON value, each with its pointer.
fn statements(value: &serde_json::Value, at: &str, to: &mut Vec<String>) {
    let name = |name: &str| name.replace('~', "~0").replace('/', "~1");
    match value {
        serde_json::Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(key, value)| statements(value, &format!("{at}/{}", name(key)), to));
        }
        serde_json::Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(index, value)| statements(value, &format!("{at}/{index}"), to));
        }
        _ => to.push(at.to_owned()),
    }
}

/// Returns the places that a draft lists as not read.
fn listed(shown: &str, drafted: &Drafted) -> Vec<String> {
    let in_files = shown.lines().filter_map(|line| line.strip_prefix("# #"));
    let elsewhere = drafted.unread.iter().filter_map(|line| line.strip_prefix('#'));
    in_files.chain(elsewhere).map(|line| line.split(" (").next().unwrap().to_owned()).collect()
}

/// Each statement of a file is read, leaves a key empty, or is listed as not read with its place. A statement that is
/// said to be read changes the drafts when it changes.
#[test]
fn each_statement_of_a_description_is_read_left_empty_or_listed() {
    let mut silent = Vec::new();
    for seed in 1..=12 {
        let root = random_openapi(seed);
        let (shown, drafted) = drafted_openapi(&root.to_string(), "api.json");
        let (read, left_empty, not_read) = drafted.statements.unwrap();
        let mut all = Vec::new();
        statements(&root, "", &mut all);
        assert_eq!(read + left_empty + not_read, all.len(), "{root:#}");
        let places = listed(&shown, &drafted);
        let is_listed = |place: &str| {
            places.iter().any(|listed| {
                place.strip_prefix(listed.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        assert_eq!(all.iter().filter(|place| is_listed(place)).count(), not_read, "{places:#?}\n{root:#}\n{shown}");
        for place in all.iter().filter(|place| !is_listed(place)) {
            let mut changed = root.clone();
            let Some(value) = changed.pointer_mut(place) else { panic!("{place}") };
            *value = match value.clone() {
                serde_json::Value::String(text) if text.starts_with("#/") => continue,
                serde_json::Value::String(text) if place.ends_with("/openapi") => format!("2{text}").into(),
                serde_json::Value::String(text) => format!("{text}x").into(),
                serde_json::Value::Number(number) if number.is_i64() => (number.as_i64().unwrap() + 1).into(),
                serde_json::Value::Number(number) => (number.as_f64().unwrap() + 0.25).into(),
                serde_json::Value::Bool(truth) => (!truth).into(),
                _ => continue,
            };
            if place.ends_with("/openapi") {
                continue;
            }
            let again = drafted_openapi(&changed.to_string(), "api.json").0;
            if again == shown {
                silent.push(format!("{seed}: {place} {}", root.pointer(place.rsplit_once("/").unwrap().0).unwrap()));
            }
        }
    }
    assert!(silent.is_empty(), "not listed as unread, but without an effect: {silent:#?}");
}

/// Another reader of the same file finds nothing that a draft states otherwise, or leaves out without a word.
#[test]
fn no_fact_of_a_description_is_wrong_in_silence() {
    for text in std::iter::once(HOSTILE.to_owned()).chain((1..=150).map(|seed| random_openapi(seed).to_string())) {
        let folder = tempfile::tempdir().unwrap();
        let schema = empty_schema(folder.path());
        let path = folder.path().join("api.json");
        std::fs::write(&path, &text).unwrap();
        let drafted =
            Generator::new().schema_dir(&schema).draft("garden", &DraftSource::OpenApi(path.clone())).unwrap();
        let measured = compare::compare(&path, &schema.join("garden"), &drafted);
        assert!(measured.wrong.is_empty(), "{:#?}\n{text}\n{}", measured.wrong, texts(&drafted));
    }
}

/// Names that collide in Rust, are reserved, or cannot become one.
const HOSTILE: &str = r##"{"openapi": "3.0.0", "info": {"title": "T", "version": "1"}, "paths": {
    "/category": {"get": {"summary": "Category", "parameters": [{"name": "category", "in": "query", "schema": {"$ref": "#/components/schemas/Category"}}],
        "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Result"}}}}}},
        "put": {"summary": "", "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Result"}}}}, "responses": {}}},
    "/24h-ticker": {"get": {"summary": "24h ticker", "parameters": [{"name": "new", "in": "query", "schema": {"type": "string"}},
        {"name": "filter[x]", "in": "query", "schema": {"type": "string"}}, {"name": "filter(x)", "in": "query", "schema": {"type": "string"}}],
        "responses": {"200": {"content": {"text/plain": {"schema": {"type": "string"}}}}}}},
    "/types": {"get": {"operationId": "types", "summary": "Types", "responses": {"200": {"content": {"application/json": {"schema":
        {"type": "object", "additionalProperties": {"type": "number"}}}}}}}},
    "/con/{id}": {"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}], "delete": {"summary": "Vec", "responses": {}}},
    "/lists": {"post": {"requestBody": {"content": {"application/json": {"schema": {"type": "object", "required": ["orders", "inner"], "properties": {
        "orders": {"type": "array", "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "legs": {"type": "array", "items": {"$ref": "#/components/schemas/Result"}}}}},
        "inner": {"type": "object", "properties": {"list": {"type": "array", "items": {"$ref": "#/components/schemas/Result"}}, "nested": {"type": "object", "properties": {"a": {"type": "string"}}}}}}}}}}, "responses": {}}}},
    "components": {"schemas": {"Category": {"type": "string", "enum": ["spot", "SPOT", "1m", "***", "Unknown", "Self"]},
        "Result": {"type": "object", "properties": {"sort-by": {"type": "string"}, "sortBy": {"type": "string"}, "1d": {"type": "number"}, "名前": {"type": "string"},
            "type": {"type": "string", "enum": ["a"]}, "Category": {"type": "object", "properties": {"x": {"type": "string"}}}, "map": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Result"}},
            "any": {}, "free": {"type": "object"}}}}}}"##;

#[test]
fn a_draft_passes_once_its_empty_keys_are_filled() {
    let random = (1..=12).map(|seed| random_openapi(seed).to_string());
    for text in std::iter::once(HOSTILE.to_owned()).chain(random) {
        let folder = tempfile::tempdir().unwrap();
        let schema = empty_schema(folder.path());
        let path = folder.path().join("api.json");
        std::fs::write(&path, &text).unwrap();
        let generator = Generator::new().schema_dir(&schema);
        let drafted = generator.draft("garden", &DraftSource::OpenApi(path)).unwrap();
        fill::fill(&schema.join("garden"));
        if let Err(mistakes) = generator.read() {
            panic!("{}\n{}", mistakes.render(tradeapi_gen::Format::Short), texts(&drafted));
        }
    }
}

/// An answer that is one of several records: by a member that the file names or that has values of its own, or by form.
#[test]
fn an_answer_of_several_forms_is_one_of_several_records() {
    let text = r##"{"openapi": "3.1.0", "info": {}, "paths": {"/pets": {"get": {"operationId": "listPets", "responses": {"200": {"description": "ok",
        "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}}}}}},
        "/pet": {"get": {"operationId": "getPet", "responses": {"200": {"description": "ok", "content": {"application/json": {"schema":
            {"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Stone"}, {"type": "string"}]}}}}}},
        "post": {"operationId": "movePet", "responses": {"200": {"description": "ok", "content": {"application/json": {"schema":
            {"anyOf": [{"type": "object", "properties": {"way": {"const": "up"}, "by": {"type": "number"}}},
                {"type": "object", "properties": {"way": {"enum": ["left", "right"]}, "by": {"type": "string"}}}]}}}}}},
        "put": {"operationId": "feedPet", "responses": {"200": {"description": "ok", "content": {"application/json": {"schema":
            {"anyOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Stone"}]}}}}}}}},
        "components": {"schemas": {"Pet": {"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
                "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat", "lion": "Cat"}}},
            "Cat": {"type": "object", "required": ["lives"], "properties": {"kind": {"type": "string"}, "lives": {"type": "integer"}, "name": {"type": "string"}}},
            "Dog": {"type": "object", "properties": {"kind": {"type": "string"}, "owner": {"$ref": "#/components/schemas/Pet"}}},
            "Stone": {"type": "object", "properties": {"weight": {"type": "number"}, "name": {"type": "string"}, "kind": {"type": "string"}}}}}}"##;
    let (shown, _) = drafted_openapi(text, "api.json");
    for expected in [
        "  Pet:\n    doc:\n    choose_by: kind\n    one_of:\n      Cat: [cat, lion]\n      Dog: [Dog]\n",
        "      owner:\n        type: Pet\n",
        "    one_of:\n      Cat: [lives]\n      Stone: [weight]\n      GetPetResultForm3: []\n",
        "    choose_by: way\n    one_of:\n      MovePetResultUp: [up]\n      MovePetResultLeft: [left, right]\n",
        // What may be both at once is left empty.
        "# One of 2 forms (`anyOf`): Cat, Stone.\n",
    ] {
        assert!(shown.contains(expected), "{expected:?} is not in\n{shown}");
    }
}

/// An enum of requests is strict, so a draft says where the file leaves it open.
#[test]
fn an_enum_that_is_left_open_is_said_of_requests() {
    let text = r##"{"openapi": "3.1.0", "info": {}, "paths": {"/pets": {"post": {"operationId": "addPet", "requestBody": {"content": {"application/json": {"schema":
        {"type": "object", "properties": {"kind": {"anyOf": [{"type": "string"}, {"type": "string", "enum": ["cat", "dog"]}]}}}}}},
        "responses": {"200": {"description": "ok", "content": {"application/json": {"schema":
        {"type": "object", "properties": {"mood": {"anyOf": [{"type": "string"}, {"enum": ["calm", "wild"]}]}}}}}}}}}}}"##;
    let (shown, _) = drafted_openapi(text, "api.json");
    let remark = "Any other value may be sent, too: a `string` instead of the enum leaves it open.";
    assert!(shown.contains(&format!("# {remark}\n  kind:\n")), "{shown}");
    assert!(!shown.contains(&format!("# {remark}\n      mood:\n")), "enums of answers are open: {shown}");
}

/// Members beside the forms belong to each of them; of requests, the forms may have objects, lists of them and maps.
#[test]
fn members_beside_the_forms_belong_to_each() {
    let text = r##"{"openapi": "3.1.0", "info": {}, "paths": {"/pets": {"get": {"operationId": "getPet", "responses": {"200": {"description": "ok",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}},
        "post": {"operationId": "addPet", "requestBody": {"content": {"application/json": {"schema":
            {"allOf": [{"$ref": "#/components/schemas/Named"}], "oneOf": [
                {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "cat"}, "home": {"type": "object", "required": ["street"], "properties": {"street": {"type": "string"}}}}},
                {"type": "object", "required": ["kind", "walks"], "properties": {"kind": {"const": "dog"},
                    "walks": {"type": "array", "items": {"type": "object", "properties": {"at": {"type": "string"}}}},
                    "weights": {"type": "object", "additionalProperties": {"type": "number"}}}}]}}}}, "responses": {}},
        "put": {"operationId": "movePet", "requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"by": {"type": "string"}},
            "oneOf": [{"required": ["place"], "properties": {"place": {"type": "object", "properties": {"x": {"type": "string"}}}}},
                {"required": ["shelf"], "properties": {"shelf": {"type": "string"}}}]}}}}, "responses": {}}}},
        "components": {"schemas": {
            "Named": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
            "Pet": {"allOf": [{"$ref": "#/components/schemas/Named"}], "properties": {"kind": {"type": "string"}},
                "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
                "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat", "dog": "#/components/schemas/Dog"}}},
            "Cat": {"type": "object", "properties": {"lives": {"type": "integer"}}},
            "Dog": {"type": "object", "properties": {"owner": {"type": "string"}}}}}}"##;
    let (shown, _) = drafted_openapi(text, "api.json");
    for expected in [
        "  Pet:\n    doc:\n    choose_by: kind\n    one_of:\n      PetCat: [cat]\n      PetDog: [dog]\n",
        "  PetCat:\n    doc:\n    fields:\n      name:\n        type: string\n        doc:\n      kind:\n        type: string\n        doc:\n      lives:\n",
        "  name:\n    type: string\n    required: always\n    doc:\n",
        "      cat:\n        home:\n          object: AddPetHome\n          doc:\n          fields:\n            street:\n",
        "      dog:\n        walks:\n          item: AddPetWalksItem\n          required: always\n",
        "        weights:\n          map: decimal\n",
        "    one_of:\n      place:\n        object: MovePetPlace\n",
    ] {
        assert!(shown.contains(expected), "{expected:?} is not in\n{shown}");
    }
}

/// A part of a path is never sent by its name, so that it gets another one where a parameter has the same.
#[test]
fn a_part_of_a_path_is_apart_from_the_members_of_the_body() {
    let text = r##"{"openapi": "3.0.0", "info": {}, "paths": {"/a/{id}/{path_id}": {"put": {
        "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
        "requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"id": {"type": "string"}}}}}}, "responses": {}}},
        "/b/{id}": {"get": {"parameters": [{"name": "id", "in": "query", "schema": {"type": "string"}}], "responses": {}}}}}"##;
    let (shown, _) = drafted_openapi(text, "api.json");
    for expected in [
        "http: \"PUT /a/{path_path_id}/{path_id}\"\n",
        "  # The file calls this part of the path id, as another parameter.\n  path_path_id:\n    type: signed\n    required: always\n",
        "  id:\n    type: string\n    doc:\n",
        "http: \"GET /b/{path_id}\"\n",
    ] {
        assert!(shown.contains(expected), "{expected:?} is not in\n{shown}");
    }
}

/// Numbers in JSON and YAML, and keys that are spelled like numbers.
#[test]
fn numbers_keep_their_text() {
    let yaml = "openapi: 3.0.0\ninfo: {}\npaths:\n  /a:\n    post:\n      requestBody:\n        content:\n          application/json:\n            \
        schema:\n              type: object\n              properties:\n                qty: { type: number, minimum: 0.00000001, \
        maximum: 99999999999.99999999, default: 0.10 }\n                id: { type: integer, maximum: 12345678901234567890123 }\n                \
        1e3: { type: string }\n                0x10: { type: string }\n                0.10: { type: string }\n                \
        plus: { type: integer, minimum: +5, maximum: 0x10 }\n      responses: {}\n";
    let json = r##"{"openapi": "3.0.0", "info": {}, "paths": {"/a": {"post": {"requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {
        "qty": {"type": "number", "minimum": 0.00000001, "maximum": 99999999999.99999999, "default": 0.10},
        "id": {"type": "integer", "maximum": 12345678901234567890123},
        "1e3": {"type": "string"}, "0x10": {"type": "string"}, "0.10": {"type": "string"}, "plus": {"type": "integer", "minimum": 5, "maximum": 16}}}}}}, "responses": {}}}}}"##;
    for (text, name) in [(yaml, "api.yaml"), (json, "api.json")] {
        let (shown, _) = drafted_openapi(text, name);
        for expected in [
            "    default: \"0.10\"\n    min: 0.00000001\n    max: 99999999999.99999999\n",
            "# `maximum` is not read: 12345678901234567890123.\n",
            "  \"1e3\":\n",
            "  \"0x10\":\n",
            "  \"0.10\":\n",
            "  plus:\n    type: integer\n    min: 5\n    max: 16\n",
        ] {
            assert!(shown.contains(expected), "{name}: {expected:?} is not in\n{shown}");
        }
    }
}

/// Aliases stand for what they name, a merge key does not exist in YAML 1.2, and a key is there once.
#[test]
fn a_merge_key_is_named_as_one() {
    let file = |more: &str| {
        format!(
            "openapi: 3.0.0\ninfo: {{}}\npaths:\n  /a:\n    post:\n      requestBody:\n        content:\n          application/json:\n            \
             schema:\n              type: object\n              properties:\n                one: &one {{ type: string, maxLength: 5 }}\n                \
             two: *one\n{more}      responses: {{}}\n"
        )
    };
    let (shown, _) = drafted_openapi(&file("                <<: { three: { type: string } }\n"), "api.yaml");
    assert_eq!(shown.matches("    type: string\n    length: [0, 5]\n").count(), 2, "{shown}");
    assert!(
        shown.contains("/properties/<<, a merge key, which only YAML 1.1 has: write what it stands for"),
        "{shown}"
    );
    assert!(!shown.contains("\n  <<:"), "{shown}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("api.yaml");
    std::fs::write(&path, file("                one: { type: string }\n")).unwrap();
    let schema = empty_schema(folder.path());
    let error = Generator::new().schema_dir(&schema).draft("garden", &DraftSource::OpenApi(path)).unwrap_err();
    assert!(error.to_string().contains("the key one twice at line 14"), "{error}");
}

/// A body that is a `oneOf`, with and without a discriminator, and variants made by `allOf`.
#[test]
fn a_body_that_is_a_one_of_is_a_choice() {
    let text = r##"openapi: 3.0.3
info: {}
paths:
  /mapped: { post: { requestBody: { content: { application/json: { schema: { oneOf: [ { $ref: "#/components/schemas/Card" }, { $ref: "#/components/schemas/Bank" } ],
    discriminator: { propertyName: kind, mapping: { card: "#/components/schemas/Card", bank: Bank } } } } } }, responses: {} } }
  /named: { post: { requestBody: { content: { application/json: { schema: { oneOf: [ { $ref: "#/components/schemas/Card" }, { $ref: "#/components/schemas/Bank" } ],
    discriminator: { propertyName: kind } } } } }, responses: {} } }
  /listed: { post: { requestBody: { content: { application/json: { schema: { oneOf: [ { $ref: "#/components/schemas/Limit" }, { $ref: "#/components/schemas/Market" } ] } } } }, responses: {} } }
  /present: { post: { requestBody: { content: { application/json: { schema: { oneOf: [ { $ref: "#/components/schemas/ById" }, { $ref: "#/components/schemas/ByName" } ] } } } }, responses: {} } }
  /made: { post: { requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } } }, responses: {} } }
components:
  schemas:
    Base: { type: object, required: [symbol], properties: { symbol: { type: string } } }
    Card: { type: object, required: [kind, number], properties: { kind: { type: string }, number: { type: string } } }
    Bank: { type: object, required: [kind, iban], properties: { kind: { type: string }, iban: { type: string } } }
    Limit: { allOf: [ { $ref: "#/components/schemas/Base" }, { type: object, required: [type, price], properties: { type: { type: string, enum: [limit, limit] }, price: { type: number } } } ] }
    Market: { allOf: [ { $ref: "#/components/schemas/Base" }, { type: object, required: [type], properties: { type: { type: string, enum: [market, stop] } } } ] }
    ById: { allOf: [ { $ref: "#/components/schemas/Base" }, { type: object, required: [id], properties: { id: { type: string } } } ] }
    ByName: { allOf: [ { $ref: "#/components/schemas/Base" }, { type: object, required: [name], properties: { name: { type: string } } } ] }
    Pet: { type: object, required: [petType], properties: { petType: { type: string }, name: { type: string } }, discriminator: { propertyName: petType } }
    Cat: { allOf: [ { $ref: "#/components/schemas/Pet" }, { type: object, properties: { claws: { type: boolean } } } ] }
    Dog: { allOf: [ { $ref: "#/components/schemas/Pet" }, { type: object, properties: { tail: { type: boolean } } } ] }
"##;
    let (shown, drafted) = drafted_openapi(text, "api.yaml");
    let of = |path: &str| {
        let head = format!("http: POST {path}\n");
        shown.split("=== ").find(|file| file.contains(&head)).unwrap_or_else(|| panic!("{path}: {shown}"))
    };
    for path in ["/mapped", "/named"] {
        assert!(of(path).contains("\nrequest:\n  byKind") && of(path).contains("    required: always\n"), "{shown}");
    }
    for (path, choice) in [("/listed", "byType"), ("/present", "idOrName"), ("/made", "byPetType")] {
        assert!(of(path).contains(&format!("\n  {choice}:\n")), "{path}: {shown}");
    }
    assert!(of("/listed").contains("  symbol:\n    type: string\n    required: always\n"), "{shown}");
    assert!(of("/made").contains("  name:\n    type: string\n") && !of("/made").contains("\n  petType:"), "{shown}");
    for expected in [
        "    cases:\n      card:\n        number:\n",
        "    cases:\n      Card:\n        number:\n",
        "    cases:\n      limit:\n        price:\n",
        "      market: {}\n      stop: {}\n",
        "    one_of:\n      id:\n",
        "    cases:\n      Cat:\n        claws:\n",
    ] {
        assert!(shown.contains(expected), "{expected:?} is not in\n{shown}");
    }
    assert_eq!(drafted.unread, ["#/info"]);
}

/// Every pointer of what is not read leads to a value of the file itself.
#[test]
fn places_are_those_of_the_file_and_not_of_a_converted_form() {
    let text = r##"{"swagger": "2.0", "info": {"title": "T"}, "host": "example.com", "basePath": "/v1", "schemes": ["https"],
        "parameters": {"page": {"name": "page", "in": "query", "type": "string", "format": "odd", "x-a": 1}},
        "paths": {"/o~/{id}": {"parameters": [{"name": "id", "in": "path", "required": true, "type": "string", "x-b": 1}],
            "post": {"consumes": ["application/json"], "parameters": [{"$ref": "#/parameters/page"},
                {"name": "tags", "in": "query", "type": "array", "collectionFormat": "pipes", "items": {"type": "string", "x-c": 1}},
                {"name": "order", "in": "body", "x-d": 1, "schema": {"$ref": "#/definitions/Order"}}],
                "responses": {"200": {"description": "ok", "examples": {"application/json": {"a": 1}}, "schema": {"type": "object", "properties": {"a": {"type": "string", "minLength": 3}}}},
                    "400": {"$ref": "#/responses/Refused"}}},
            "put": {"consumes": ["application/x-www-form-urlencoded"], "parameters": [
                {"name": "file", "in": "formData", "type": "string", "required": true, "multipleOf": 2, "x-e": {"deep": [1, 2]}}], "responses": {"204": {"description": "none"}}}}},
        "definitions": {"Order": {"type": "object", "properties": {"side": {"type": "string", "not": {"enum": ["x"]}}}}, "Unused": {"type": "object"}},
        "responses": {"Refused": {"description": "no", "schema": {"type": "string", "x-f": 1}}},
        "securityDefinitions": {"key": {"type": "apiKey", "in": "header", "name": "K"}}}"##;
    let (shown, drafted) = drafted_openapi(text, "swagger.json");
    let file: serde_json::Value = serde_json::from_str(text).unwrap();
    let listed = shown.lines().filter_map(|line| line.strip_prefix("# #")).map(|line| format!("#{line}"));
    let pointers: Vec<String> = listed
        .chain(drafted.unread.clone())
        .map(|line| line.split(" (").next().unwrap_or_default().trim_start_matches('#').to_owned())
        .collect();
    assert!(pointers.len() > 10, "{pointers:?}");
    for pointer in &pointers {
        assert!(file.pointer(pointer).is_some(), "{pointer} is not in the file: {pointers:?}");
    }
    for expected in ["/parameters/page/x-a", "/definitions/Unused", "/securityDefinitions"] {
        assert!(pointers.iter().any(|pointer| pointer.starts_with(expected)), "{expected}: {pointers:?}");
    }
}
