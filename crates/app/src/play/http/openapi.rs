//! The description of the interface, made from the handlers and their types: for programs that want to use it, and for the page,
//! whose TypeScript types are made from it in turn (`web/openapi.json`, `npm run types`).

use std::{collections::BTreeSet, sync::LazyLock};

use axum::{
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use super::{
    api_error::{ApiError, ErrorBody},
    router,
};

static DOCUMENT: LazyLock<String> = LazyLock::new(document);

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Tabiya",
        version = "1",
        license(name = "GPL-3.0-or-later", identifier = "GPL-3.0-or-later"),
        description = "Games against minds, opinions on positions, and reviews of games. A cookie named tabiya, given with the first \
                       answer, says whose games are whose: keep it between requests. Errors are JSON: {\"error\": {\"code\", \
                       \"message\"}}."
    ),
    components(schemas(ErrorBody))
)]
struct Description;

/// This description.
#[utoipa::path(
    get,
    path = "/openapi.json",
    responses((status = 200, description = "OpenAPI 3.1", body = Object), ApiError)
)]
pub(crate) async fn describe() -> Response {
    ([(CONTENT_TYPE, "application/json")], DOCUMENT.as_str()).into_response()
}

fn document() -> String {
    let whole = OpenApiRouter::with_openapi(Description::openapi()).nest("/api", router::addresses());
    let mut document = serde_json::to_value(whole.into_openapi()).expect("a description is plain data");
    complete(&mut document);
    serde_json::to_string_pretty(&document).expect("plain data") + "\n"
}

/// What the types alone do not say. A field that may be null may also be missing in what is asked, where unknown fields are
/// refused as well; answers have every field. Names of handlers are nobody's affair.
fn complete(document: &mut Value) {
    let schemas = document["components"]["schemas"].take();
    let mut asked = BTreeSet::new();
    for (_, item) in document["paths"].as_object_mut().into_iter().flatten() {
        for (_, operation) in item.as_object_mut().into_iter().flatten() {
            references(&operation["requestBody"], &schemas, &mut asked);
            operation.as_object_mut().map(|operation| operation.remove("operationId"));
        }
    }
    document["components"]["schemas"] = schemas;
    let schemas = document["components"]["schemas"].as_object_mut().into_iter().flatten();
    for (name, schema) in schemas {
        match asked.contains(name) {
            true => {
                let variants = schema.get_mut("oneOf").and_then(Value::as_array_mut);
                variants.into_iter().flatten().for_each(refuse_others);
            }
            false => require_all(schema),
        }
    }
}

/// Variants of an enum, of which the types do not say that they refuse unknown fields.
fn refuse_others(variant: &mut Value) {
    if variant.get("properties").is_some() {
        variant["additionalProperties"] = json!(false);
    }
}

/// The names of all schemas that `value` refers to, and those that they refer to.
fn references(value: &Value, schemas: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let name = fields.get("$ref").and_then(|to| to.as_str()?.strip_prefix("#/components/schemas/"));
            if let Some(name) = name
                && found.insert(name.to_owned())
            {
                references(&schemas[name], schemas, found);
            }
            fields.values().for_each(|field| references(field, schemas, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, schemas, found)),
        _ => {}
    }
}

fn require_all(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let names = fields.get("properties").and_then(Value::as_object).map(names);
            if let Some(names) = names {
                fields.insert("required".to_owned(), names);
            }
            fields.values_mut().for_each(require_all);
        }
        Value::Array(items) => items.iter_mut().for_each(require_all),
        _ => {}
    }
}

fn names(properties: &Map<String, Value>) -> Value {
    json!(properties.keys().collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use std::{env, fs, path::Path};

    use super::*;
    use crate::play::game::{
        clock::{MAX_BASE_S, MAX_INCREMENT_S},
        setup::RATINGS,
    };

    /// Set to write the file instead of comparing it.
    const WRITE: &str = "TABIYA_WRITE_OPENAPI";

    #[test]
    fn the_page_has_the_description_of_today() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/openapi.json");
        if env::var_os(WRITE).is_some() {
            fs::write(&path, &*DOCUMENT).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap();
        assert!(
            kept == *DOCUMENT,
            "an interface has changed: {WRITE}=1 cargo test -p app openapi, then npm run types"
        );
    }

    #[test]
    fn the_limits_of_the_description_are_those_of_the_code() {
        let document: Value = serde_json::from_str(&DOCUMENT).unwrap();
        let schemas = &document["components"]["schemas"];
        let time = &schemas["TimeControl"]["properties"];
        assert_eq!(time["base_s"]["maximum"], MAX_BASE_S);
        assert_eq!(time["increment_s"]["maximum"], MAX_INCREMENT_S);
        for (schema, field) in [("Setup", "rating"), ("Setup", "own_rating"), ("Question", "rating")] {
            let field = &schemas[schema]["properties"][field];
            assert_eq!(
                (&field["minimum"], &field["maximum"]),
                (&json!(RATINGS.start()), &json!(RATINGS.end()))
            );
        }
    }

    #[test]
    fn answers_have_every_field_and_questions_need_not() {
        let document: Value = serde_json::from_str(&DOCUMENT).unwrap();
        let required = |schema: &str, field: &str| {
            let fields = document["components"]["schemas"][schema]["required"].as_array();
            fields.is_some_and(|fields| fields.contains(&json!(field)))
        };
        assert!(required("Game", "verdict") && required("Error", "error"));
        assert!(required("Setup", "mind") && !required("Setup", "title") && !required("Start", "fen"));
    }
}
