use super::*;

#[tokio::test]
async fn a_game_is_begun_answered_and_resigned() {
    let visit = Visit::new();
    let id = visit.begin(json!({})).await;
    let (status, _) = visit.act(&id, step("e2e4")).await;
    assert_eq!(status, StatusCode::OK);
    let game = visit.wait_for(&id, 2).await;
    assert_eq!(game["moves"][0]["san"], "e4");
    assert_eq!(game["turn"], "white");
    assert_eq!(game["clock"]["running"], "white");
    let (_, over) = visit.act(&id, json!({ "type": "resign" })).await;
    assert_eq!(over["verdict"], json!({ "winner": "black", "reason": "resignation" }));
    assert_eq!(over["score"], "0-1");
    let (status, refused) = visit.act(&id, step("d2d4")).await;
    assert_eq!((status, &refused["error"]["code"]), (StatusCode::CONFLICT, &json!("over")));
}

#[tokio::test]
async fn the_opponent_begins_when_it_has_white_and_from_any_position() {
    let visit = Visit::new();
    let id = visit.begin(json!({ "color": "black" })).await;
    assert_eq!(visit.wait_for(&id, 1).await["turn"], "black");
    let fen = "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1";
    let mate = visit.begin(json!({ "start": { "fen": fen, "moves": ["h7h6"] } })).await;
    let (_, game) = visit.act(&mate, step("a1a8")).await;
    assert_eq!(game["moves"][1]["san"], "Ra8+");
    assert_eq!((&game["start_fen"], &game["given"]), (&json!(fen), &json!(1)));
}

#[tokio::test]
async fn a_game_comes_back_after_the_server_was_killed() {
    let visit = Visit::new();
    let id = visit.begin(json!({})).await;
    visit.act(&id, step("e2e4")).await;
    let before = visit.wait_for(&id, 2).await;
    let after = visit.restarted();
    let (status, back) = after.get(&format!("/api/games/{id}")).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!((&back["moves"], &back["setup"]), (&before["moves"], &before["setup"]));
    after.act(&id, step("d2d4")).await;
    assert_eq!(after.wait_for(&id, 4).await["moves"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn an_answer_that_was_being_thought_of_comes_after_the_restart() {
    let visit = Visit::new();
    let id = visit.begin(json!({ "pace": "second" })).await;
    visit.act(&id, step("e2e4")).await;
    let game = visit.restarted().wait_for(&id, 2).await;
    assert_eq!(game["moves"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn lists_and_pgn_tell_what_was_played() {
    let visit = Visit::new();
    let id =
        visit.begin(json!({ "name": "Ann \"<b>\" O'Neil", "start": { "moves": ["e2e4", "c7c5"] } })).await;
    visit.act(&id, json!({ "type": "resign" })).await;
    let (_, games) = visit.get("/api/games").await;
    assert_eq!(games[0]["id"], json!(id));
    assert_eq!(games[0]["opening"]["name"], "Sicilian Defense");
    let (_, pgn) = visit.get(&format!("/api/games/{id}/pgn")).await;
    let pgn = pgn.as_str().unwrap();
    for part in
        ["[White \"Ann \\\"<b>\\\" O'Neil\"]", "1. e4 c5 0-1", "[ECO \"B20\"]", "[TimeControl \"300+3\"]"]
    {
        assert!(pgn.contains(part), "{part} in {pgn}");
    }
    let games: Vec<_> = chess::pgn::games(pgn.as_bytes()).collect();
    assert_eq!(games.len(), 1);
}

#[tokio::test]
async fn a_flag_falls_by_itself() {
    let visit = Visit::new();
    let id = visit.begin(json!({ "time": { "base_s": 1, "increment_s": 0 } })).await;
    visit.act(&id, step("e2e4")).await;
    visit.wait_for(&id, 2).await;
    let game = visit.wait_for(&id, 99).await;
    assert_eq!(game["verdict"], json!({ "winner": "black", "reason": "time" }));
    assert_eq!(game["clock"]["white_ms"], 0);
}

#[tokio::test]
async fn a_lost_opponent_takes_a_draw_and_a_winning_one_does_not() {
    let visit = Visit::new();
    for (fen, declined) in
        [("q6k/8/8/8/8/8/8/K5N1 w - - 0 1", true), ("7k/8/8/8/8/8/8/KQQ5 w - - 0 1", false)]
    {
        let id = visit.begin(json!({ "start": { "fen": fen } })).await;
        let (status, mut game) = visit.act(&id, json!({ "type": "draw" })).await;
        assert_eq!(status, StatusCode::OK);
        while game["verdict"].is_null() && game["draw_declined"] == false {
            (_, game) = visit.get(&format!("/api/games/{id}")).await;
        }
        assert_eq!(game["draw_declined"], json!(declined), "{fen}");
        assert_eq!(game["verdict"]["reason"] == "agreement", !declined, "{fen}");
    }
}

#[tokio::test]
async fn every_mind_has_an_opinion_and_can_be_played() {
    let visit = Visit::new();
    let (_, minds) = visit.get("/api/minds").await;
    let (_, opinions) = visit.post("/api/opinions", &json!({ "moves": ["e2e4"], "rating": 1100 })).await;
    assert_eq!(opinions["turn"], "black");
    for opinion in opinions["minds"].as_array().unwrap() {
        let says = |what: &str| !opinion[what].as_array().unwrap().is_empty();
        assert!(says("policy") || says("lines"), "{opinion}");
    }
    for mind in minds.as_array().unwrap() {
        let id = visit.begin(json!({ "mind": mind["name"], "color": "black" })).await;
        visit.wait_for(&id, 1).await;
    }
    let (status, refused) = visit.post("/api/games", &setup(json!({ "mind": "no:such" }))).await;
    assert_eq!((status, &refused["error"]["code"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!("setup")));
}

#[tokio::test]
async fn own_tabiyas_are_kept_and_removed() {
    let visit = Visit::new();
    let start = json!({ "moves": ["e2e4", "e7e6"] });
    let (status, saved) = visit.post("/api/tabiyas", &json!({ "title": "French", "start": start })).await;
    assert_eq!((status, &saved["turn"]), (StatusCode::CREATED, &json!("white")));
    let after = visit.restarted();
    let (_, list) = after.get("/api/tabiyas").await;
    assert_eq!(list, json!([saved]));
    assert_eq!(visit.stranger().get("/api/tabiyas").await.1, json!([]));
    let remove = after.request("DELETE", &format!("/api/tabiyas/{}", saved["id"].as_str().unwrap()));
    assert_eq!(after.send(remove.body(Body::empty()).unwrap()).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(after.get("/api/tabiyas").await.1, json!([]));
    let (status, _) = visit.post("/api/tabiyas", &json!({ "title": " ", "start": start })).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_review_comes_line_by_line() {
    let visit = Visit::new();
    let (status, text) = visit.post("/api/review", &json!({ "pgn": "1. e4 e5 *", "rating": 1500 })).await;
    assert_eq!(status, StatusCode::OK);
    let lines: Vec<Value> =
        text.as_str().unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["type"], &lines[lines.len() - 1]["type"]), (&json!("game"), &json!("done")));
    let (status, _) = visit.post("/api/review", &json!({})).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn every_described_address_answers() {
    let visit = Visit::new();
    let (_, document) = visit.get("/api/openapi.json").await;
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() > 10, "{paths:?}");
    for (path, methods) in paths {
        for method in methods.as_object().unwrap().keys().filter(|key| *key != "parameters") {
            let request = visit.request(&method.to_uppercase(), &path.replace("{id}", "0123456789abcdef"));
            let status = visit.send(request.body(Body::empty()).unwrap()).await.status();
            assert_ne!(status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
        }
    }
}
