use super::*;

#[tokio::test]
async fn foreign_hosts_and_origins_are_turned_away() {
    let visit = Visit::new();
    let ask = async |host: &str, origin: Option<&str>| {
        let mut request = Request::builder().uri("/api/minds").header(header::HOST, host);
        if let Some(origin) = origin {
            request = request.header(header::ORIGIN, origin);
        }
        visit.send(request.body(Body::empty()).unwrap()).await.status()
    };
    assert_eq!(ask("127.0.0.1:7878", None).await, StatusCode::OK);
    assert_eq!(ask("127.0.0.1:7878", Some("http://127.0.0.1:7878")).await, StatusCode::OK);
    assert_eq!(ask("evil.example", None).await, StatusCode::MISDIRECTED_REQUEST);
    assert_eq!(ask("evil.example", Some("http://evil.example")).await, StatusCode::MISDIRECTED_REQUEST);
    assert_eq!(ask("127.0.0.1:7878", Some("http://evil.example")).await, StatusCode::FORBIDDEN);
    assert_eq!(ask("127.0.0.1:7878", Some("null")).await, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn nobody_sees_or_moves_in_the_game_of_another() {
    let visit = Visit::new();
    let id = visit.begin(json!({})).await;
    let stranger = visit.stranger();
    for path in ["", "/pgn", "/socket"] {
        assert_eq!(stranger.get(&format!("/api/games/{id}{path}")).await.0, StatusCode::NOT_FOUND, "{path}");
    }
    for action in [step("e2e4"), json!({ "type": "resign" })] {
        assert_eq!(stranger.act(&id, action).await.0, StatusCode::NOT_FOUND);
    }
    assert_eq!(stranger.get("/api/games").await.1, json!([]));
    assert_eq!(stranger.post("/api/review", &json!({ "game": id })).await.0, StatusCode::NOT_FOUND);
    let (_, game) = visit.get(&format!("/api/games/{id}")).await;
    assert_eq!((&game["moves"], &game["verdict"]), (&json!([]), &Value::Null));
}

#[tokio::test]
async fn paths_never_leave_the_page_or_the_folder() {
    let visit = Visit::new();
    for path in [
        "/../Cargo.toml",
        "/assets/../../Cargo.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "//etc/passwd",
        "/api/games/..%2f..%2fsecret",
        "/api/games/..",
        "/api/games/%00",
        "/api/nothing",
    ] {
        let request = visit.request("GET", path).body(Body::empty()).unwrap();
        let status = visit.send(request).await.status();
        assert!(matches!(status, StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST), "{path}: {status}");
    }
}

#[tokio::test]
async fn what_is_too_large_or_malformed_gets_a_json_error() {
    let visit = Visit::new();
    let json_type = "application/json";
    let large = format!("{{\"pgn\": \"{}\"}}", "x".repeat(300_000));
    let table = [
        ("/api/games", json_type, "{", StatusCode::BAD_REQUEST),
        ("/api/games", json_type, "{\"mind\": 3}", StatusCode::UNPROCESSABLE_ENTITY),
        ("/api/games", "text/plain", "hello", StatusCode::UNSUPPORTED_MEDIA_TYPE),
        ("/api/opinions", json_type, "{\"fen\": \"x\"}", StatusCode::UNPROCESSABLE_ENTITY),
        ("/api/opinions", json_type, "{\"rating\": 9}", StatusCode::UNPROCESSABLE_ENTITY),
        ("/api/review", json_type, "{\"pgn\": \"1. e5 *\"}", StatusCode::BAD_REQUEST),
        ("/api/review", json_type, large.as_str(), StatusCode::PAYLOAD_TOO_LARGE),
    ];
    for (path, kind, text, expected) in table {
        let request = visit.request("POST", path).header(header::CONTENT_TYPE, kind);
        let (status, answer) =
            body(visit.send(request.body(Body::from(text.to_owned())).unwrap()).await).await;
        assert_eq!(status, expected, "{path} {answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{answer}");
    }
}

#[tokio::test]
async fn a_player_cannot_take_all_tables() {
    let visit = Visit::new();
    let mut last = StatusCode::CREATED;
    let mut begun = 0;
    while last == StatusCode::CREATED && begun < 100 {
        (last, _) = visit.post("/api/games", &setup(json!({}))).await;
        begun += 1;
    }
    assert_eq!((last, begun), (StatusCode::TOO_MANY_REQUESTS, 65));
    visit.stranger().begin(json!({})).await;
}

#[tokio::test]
async fn every_answer_forbids_what_the_page_does_not_need() {
    let visit = Visit::new();
    for path in ["/", "/api/minds", "/nothing", "/api/nothing"] {
        let response = visit.send(visit.request("GET", path).body(Body::empty()).unwrap()).await;
        let policy = response.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
    }
}

#[tokio::test]
async fn a_newcomer_gets_a_name_that_scripts_cannot_read() {
    let visit = Visit::new();
    let request =
        Request::builder().uri("/").header(header::HOST, "localhost").header(header::COOKIE, "tabiya=x");
    let response = visit.send(request.body(Body::empty()).unwrap()).await;
    let cookie = response.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
}
