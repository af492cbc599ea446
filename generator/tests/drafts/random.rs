//! OpenAPI descriptions that are made at random.

/// Returns a description that is made at random, with every keyword that drafts know and some that they do not.
pub(crate) fn random_openapi(seed: u64) -> serde_json::Value {
    use serde_json::json;
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % below
    };
    let leaf = |kind: u64| match kind {
        0 => json!({"type": "string", "description": "Words.", "maxLength": 20}),
        1 => json!({"type": "integer", "minimum": 1, "maximum": 9, "default": 3}),
        2 => json!({"type": "integer", "format": "int32", "nullable": true}),
        3 => json!({"type": "number", "minimum": -1.5, "example": 2}),
        4 => json!({"type": "string", "format": "date-time"}),
        5 => json!({"type": "string", "format": "date", "title": "Day"}),
        6 => json!({"type": "string", "enum": ["buy", "sell"], "default": "buy"}),
        7 => json!({"type": ["boolean", "null"], "deprecated": true}),
        8 => json!({"type": "array", "items": {"type": "string"}, "maxItems": 5}),
        9 => json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}),
        10 => json!({"type": "object", "additionalProperties": {"type": "number"}}),
        11 => json!({"type": "integer", "enum": [1, 2]}),
        12 => json!({"type": "string", "const": "fixed", "pattern": "^f"}),
        13 => json!({"$ref": "#/components/schemas/Node"}),
        14 => {
            json!({"anyOf": [{"type": "string", "enum": ["x", "y"]}, {"type": "null"}], "default": "x", "deprecated": true})
        }
        15 => json!({"allOf": [{"$ref": "#/components/schemas/Part"}], "nullable": true}),
        16 => {
            json!({"allOf": [{"type": "object", "additionalProperties": {"type": "string"}}, {"description": "Beside."}]})
        }
        17 => json!({"type": "array", "items": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}}),
        18 => {
            json!({"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}})
        }
        19 => {
            json!({"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 5}, "minItems": 2, "required": ["name"]})
        }
        20 => json!({"type": "array", "items": {"type": "string"}, "properties": {"stray": {"type": "string"}}}),
        21 => json!({"allOf": [{"type": "string", "format": "date-time"}], "type": "string"}),
        22 => json!({"type": "integer", "format": "uint64"}),
        23 => {
            json!({"type": "array", "items": {"oneOf": [{"required": ["name"]}, {"required": ["x"]}], "properties": {"name": {"type": "string"}, "x": {"type": "string"}}}})
        }
        25 => json!({"type": "array", "items": {"type": "string", "minLength": 2, "maxLength": 4}}),
        26 => json!({"type": "string", "minLength": 1}),
        27 => json!({"type": "string", "minLength": 3}),
        29 => {
            json!({"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
                "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat", "dog": "Dog"}}})
        }
        30 => {
            json!({"anyOf": [{"type": "object", "properties": {"k": {"type": "string", "const": "a"}, "one": {"type": "string"}}},
                {"type": "object", "properties": {"k": {"type": "string", "enum": ["b", "c"]}, "one": {"type": "integer"}}}]})
        }
        31 => {
            json!({"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Node"}, {"type": "string"},
                {"type": "array", "items": {"$ref": "#/components/schemas/Dog"}}]})
        }
        24 => json!({"allOf": [{"type": "integer"}], "type": "string"}),
        _ => json!({"type": "array", "items": {"$ref": "#/components/schemas/Node"}, "xml": {"wrapped": true}}),
    };
    let mut paths = serde_json::Map::new();
    for path in 0..2 + next(2) {
        let mut item = json!({});
        for method in ["get", "post", "put", "delete", "options"] {
            if next(2) == 0 {
                continue;
            }
            let places = ["query", "header", "cookie"];
            let parameters: Vec<_> = (0..next(4))
                .map(|n| {
                    let place = places[usize::try_from(next(3)).unwrap()];
                    json!({"name": format!("p{n}"), "in": place, "required": next(2) == 0, "schema": leaf(next(33)), "style": "form", "explode": next(2) == 0})
                })
                .collect();
            let mut operation = json!({
                "summary": "Does it", "description": "It does it at length.", "tags": ["t"], "parameters": parameters,
                "responses": {
                    "200": {"description": "ok", "content": {"application/json": {"schema": {
                        "type": "object", "required": ["a"], "properties": {"a": leaf(next(33)), "b": leaf(next(33))}}}}},
                    "400": {"description": "no"},
                },
                "x-other": {"more": [1, 2]},
            });
            match next(4) {
                0 => operation["security"] = json!([]),
                1 => operation["security"] = json!([{"key": []}]),
                2 => operation["deprecated"] = json!(next(2) == 0),
                _ => operation["operationId"] = json!(format!("op{path}{method}")),
            }
            if method != "get" && next(2) == 0 {
                let media = ["application/json", "application/x-www-form-urlencoded", "text/plain"]
                    [usize::try_from(next(3)).unwrap()];
                operation["requestBody"] = json!({"required": true, "content": {media: {"schema": {
                    "allOf": [{"$ref": "#/components/schemas/Part"}, {"type": "object", "required": ["c"], "properties": {"c": leaf(next(33))}}]}}}});
            }
            item[method] = operation;
        }
        paths.insert(format!("/v1/path{path}/{{id}}"), item);
    }
    json!({
        "openapi": "3.0.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://a.b/base"}, {"url": "https://c.d"}], "paths": paths,
        "components": {"schemas": {
            "Part": {"type": "object", "required": ["x"], "properties": {"x": leaf(next(10)), "c": leaf(next(10))}},
            "Cat": {"type": "object", "required": ["lives"], "properties": {"kind": {"type": "string"}, "lives": leaf(next(10))}},
            "Dog": {"type": "object", "properties": {"kind": {"type": "string", "enum": ["dog", "wolf"]}, "friends": {"type": "array", "items": {"$ref": "#/components/schemas/Cat"}}}},
            "Node": {"type": "object", "properties": {"name": {"type": "string"}, "nodes": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}}},
        }},
    })
}
