//! Explorer, analysis, kept reviews and training, as the page asks for them.

use super::*;

const GAMES: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n[Result \"0-1\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. Ng5 d5 5. exd5 Nxd5 6. Qg4 Bxg4 0-1\n";

fn lines(text: &Value) -> Vec<Value> {
    text.as_str().unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn a_kept_review_is_found_again_and_says_the_same() {
    let visit = Visit::new();
    let (status, made) = visit.post("/api/reviews", &json!({ "pgn": "1. e4 e5 2. Qh5 Nc6 *" })).await;
    assert_eq!(status, StatusCode::CREATED);
    let path = format!("/api/reviews/{}", made["id"].as_str().unwrap());
    let first = lines(&visit.get(&path).await.1);
    assert_eq!(first.last().unwrap()["type"], "done");
    assert_eq!(lines(&visit.restarted().get(&path).await.1), first);
    // Made anew, without the file, it would be no other.
    let (_, again) = visit.post("/api/review", &json!({ "pgn": "1. e4 e5 2. Qh5 Nc6 *" })).await;
    assert_eq!(lines(&again), first);
    assert_eq!(visit.stranger().get(&path).await.0, StatusCode::NOT_FOUND);
    assert_eq!(visit.get("/api/reviews").await.1[0]["id"], made["id"]);
    let remove = visit.request("DELETE", &path).body(Body::empty()).unwrap();
    assert_eq!(visit.send(remove).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(visit.get("/api/reviews").await.1, json!([]));
}

#[tokio::test]
async fn a_game_played_here_has_a_review_under_its_own_name() {
    let visit = Visit::new();
    let id = visit.begin(json!({})).await;
    visit.act(&id, step("e2e4")).await;
    visit.wait_for(&id, 2).await;
    let path = format!("/api/reviews/{id}");
    assert_eq!(lines(&visit.get(&path).await.1).last().unwrap()["type"], "done");
    assert_eq!(visit.get("/api/reviews").await.1, json!([]), "a game that goes on has no review to keep");
    visit.act(&id, json!({ "type": "resign" })).await;
    let all = lines(&visit.get(&path).await.1);
    let own = all.iter().find(|line| line["type"] == "move").unwrap();
    assert_eq!((&own["rating"], &own["rating_known"]), (&json!(1500), &json!(true)));
}

#[tokio::test]
async fn faults_of_a_pgn_are_told_in_plain_words() {
    let visit = Visit::new();
    for (pgn, word) in
        [("hello", "there is no game in this text"), ("1. e4 Ke2 *", "1... Ke2 cannot be played")]
    {
        let (status, answer) = visit.post("/api/reviews", &json!({ "pgn": pgn })).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(word), "{message}");
    }
}

#[tokio::test]
async fn the_explorer_and_an_analysis_come_line_by_line() {
    let visit = Visit::new();
    let (status, text) = visit.post("/api/explorer", &json!({ "moves": ["e2e4"], "rating": 1500 })).await;
    assert_eq!(status, StatusCode::OK);
    let told = lines(&text);
    assert_eq!((&told[0]["type"], &told.last().unwrap()["type"]), (&json!("people"), &json!("done")));
    let question = json!({ "moves": ["e2e4"], "mind": ENGINE, "lines": 2, "seconds": 1 });
    let (status, text) = visit.post("/api/analysis", &question).await;
    assert_eq!(status, StatusCode::OK);
    let told = lines(&text);
    let last = &told[told.len() - 2];
    assert_eq!(last["lines"].as_array().unwrap().len(), 2);
    for (key, value) in
        [("lines", json!(9)), ("seconds", json!(0)), ("mind", json!("no:such")), ("fen", json!("x"))]
    {
        let mut bad = question.clone();
        bad[key] = value;
        assert!(visit.post("/api/analysis", &bad).await.0.is_client_error(), "{bad}");
    }
}

#[tokio::test]
async fn games_are_imported_and_what_is_learned_of_them_is_remembered() {
    let visit = Visit::new();
    let file = visit.request("POST", "/api/imports?rating=1500&title=Ann's&player=ann");
    let (status, about) = body(visit.send(file.body(Body::from(GAMES)).unwrap()).await).await;
    assert_eq!((status, &about["games"]), (StatusCode::CREATED, &json!(1)), "{about}");
    while visit.get("/api/imports").await.1[0]["done"] == false {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let (_, profile) = visit.get("/api/profile").await;
    assert!(profile.as_array().unwrap().iter().any(|part| part["kind"] == "all" && part["games"] == 1));
    assert!(visit.get("/api/mistakes").await.1.is_array());
    let state = json!({ "due": "2030-01-01T00:00:00Z" });
    let (status, _) = visit.post("/api/memories", &json!({ "key": "m/1", "state": state })).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    assert_eq!(visit.restarted().get("/api/memories").await.1, json!({ "m/1": state }));
    assert_eq!(visit.stranger().get("/api/memories").await.1, json!({}));
    let remove = visit.request("DELETE", &format!("/api/imports/{}", about["id"].as_str().unwrap()));
    assert_eq!(visit.send(remove.body(Body::empty()).unwrap()).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(visit.get("/api/profile").await.1, json!([]));
}

#[tokio::test]
async fn repertoires_are_kept_changed_and_removed() {
    let visit = Visit::new();
    let content = json!({ "title": "French", "color": "black", "pgn": "1. e4 e6 *" });
    let (status, made) = visit.post("/api/repertoires", &content).await;
    assert_eq!(status, StatusCode::CREATED);
    let path = format!("/api/repertoires/{}", made["id"].as_str().unwrap());
    let mut changed = content.clone();
    changed["pgn"] = json!("1. e4 e6 2. d4 d5 *");
    let put = visit.request("PUT", &path).header(header::CONTENT_TYPE, "application/json");
    let put = visit.send(put.body(Body::from(changed.to_string())).unwrap()).await;
    assert_eq!(put.status(), StatusCode::NO_CONTENT);
    assert_eq!(visit.restarted().get("/api/repertoires").await.1[0]["pgn"], changed["pgn"]);
    for (key, value) in [("title", json!(" ")), ("color", json!("red"))] {
        let mut bad = content.clone();
        bad[key] = value;
        assert!(visit.post("/api/repertoires", &bad).await.0.is_client_error());
    }
    let remove = visit.request("DELETE", &path).body(Body::empty()).unwrap();
    assert_eq!(visit.send(remove).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(visit.get("/api/repertoires").await.1, json!([]));
}

#[tokio::test]
async fn somebody_is_prepared_against_and_played() {
    let visit = Visit::new();
    let file = visit.request("POST", "/api/people?player=ann").body(Body::from(GAMES)).unwrap();
    let (status, about) = body(visit.send(file).await).await;
    assert_eq!(
        (status, &about["player"], &about["done"]),
        (StatusCode::CREATED, &json!("Ann"), &json!(true))
    );
    let path = format!("/api/people/{}", about["id"].as_str().unwrap());
    let (_, book) = visit.get(&format!("{path}/book")).await;
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    assert_eq!(book["white"][start], json!([{ "uci": "e2e4", "games": 1, "points": 0.0 }]));
    assert_eq!(visit.stranger().get(&format!("{path}/book")).await.0, StatusCode::NOT_FOUND);
    let cards = |minds: &Value| minds.as_array().unwrap().iter().any(|card| card["title"] == "Ann");
    assert!(cards(&visit.get("/api/minds").await.1) && !cards(&visit.stranger().get("/api/minds").await.1));
    // She plays at her own rating, whatever is asked for, and goes on after a restart.
    let again = visit.restarted();
    let id = again.begin(json!({ "mind": about["mind"], "rating": 2000, "color": "black" })).await;
    let game = again.wait_for(&id, 1).await;
    assert_eq!(game["setup"]["rating"], about["rating"]);
    assert_eq!(again.get("/api/people").await.1[0]["progress"], json!(1.0));
    let remove = visit.request("DELETE", &path).body(Body::empty()).unwrap();
    assert_eq!(visit.send(remove).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(visit.get("/api/people").await.1, json!([]));
    for (query, pgn) in [("?player=Zoe", GAMES), ("", "hello")] {
        let file = visit.request("POST", &format!("/api/people{query}")).body(Body::from(pgn)).unwrap();
        assert_eq!(body(visit.send(file).await).await.0, StatusCode::BAD_REQUEST);
    }
}

#[tokio::test]
async fn only_minds_that_allow_it_are_looked_into() {
    let visit = Visit::new();
    for insight in ["web", "passes"] {
        let question = json!({ "mind": ENGINE });
        assert_eq!(visit.post(&format!("/api/insights/{insight}"), &question).await.0, StatusCode::NOT_FOUND);
    }
    let question = json!({ "mind": ENGINE, "steps": 5 });
    assert_eq!(visit.post("/api/insights/imagination", &question).await.0, StatusCode::NOT_FOUND);
    let question = json!({ "mind": ENGINE, "steps": 500 });
    assert_eq!(visit.post("/api/insights/imagination", &question).await.0, StatusCode::BAD_REQUEST);
}
