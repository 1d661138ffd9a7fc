//! Hostile positions, full disks, many at once: what was acknowledged is there, and everybody else is answered.

use super::*;

const QUEENS: &str = "qqqqkqqq/qqqqqqqq/qqqqqqqq/8/8/QQQQQQQQ/QQQQQQQQ/QQQQKQQQ w - - 0 1";

impl Visit {
    fn fill_disk(&self, full: bool) {
        self.disk_full.store(full, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn positions_that_no_game_leads_to_are_refused_in_a_sentence() {
    let visit = Visit::new();
    let start = json!({ "fen": QUEENS });
    for (path, value) in [
        ("/api/opinions", start.clone()),
        ("/api/games", setup(json!({ "start": start }))),
        ("/api/tabiyas", json!({ "title": "Queens", "start": start })),
        ("/api/review", json!({ "pgn": format!("[SetUp \"1\"]\n[FEN \"{QUEENS}\"]\n\n*\n") })),
    ] {
        let (status, answer) = visit.post(path, &value).await;
        assert!(status.is_client_error(), "{path}: {status}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("cannot come from a game: White has 24 pieces"), "{path}: {message}");
    }
}

#[tokio::test]
async fn a_move_that_the_disk_did_not_take_has_not_happened() {
    let visit = Visit::new();
    let id = visit.begin(json!({})).await;
    visit.act(&id, step("e2e4")).await;
    let before = visit.wait_for(&id, 2).await;
    visit.fill_disk(true);
    for action in [step("d2d4"), json!({ "type": "takeback" }), json!({ "type": "resign" })] {
        let (status, answer) = visit.act(&id, action).await;
        assert_eq!(status, StatusCode::INSUFFICIENT_STORAGE);
        assert_eq!(answer["error"]["message"], "not saved: the disk is full");
    }
    let (_, unsaved) = visit.get(&format!("/api/games/{id}")).await;
    assert_eq!((&unsaved["moves"], &unsaved["verdict"]), (&before["moves"], &Value::Null));
    assert_eq!(unsaved["remark"], "not saved: the disk is full");
    let (status, _) = visit.post("/api/games", &setup(json!({}))).await;
    assert_eq!(status, StatusCode::INSUFFICIENT_STORAGE);
    visit.fill_disk(false);
    assert_eq!(visit.get("/api/games").await.1.as_array().unwrap().len(), 1, "the refused game left no file");
    let (status, saved) = visit.act(&id, step("d2d4")).await;
    assert_eq!((status, &saved["remark"]), (StatusCode::OK, &Value::Null));
    let game = visit.wait_for(&id, 4).await;
    assert_eq!(visit.restarted().get(&format!("/api/games/{id}")).await.1["moves"], game["moves"]);
}

#[tokio::test]
async fn an_answer_that_the_disk_did_not_take_comes_when_there_is_room() {
    let visit = Visit::new();
    let id = visit.begin(json!({ "pace": "second" })).await;
    visit.act(&id, step("e2e4")).await;
    visit.fill_disk(true);
    let unsaved = loop {
        let (_, game) = visit.get(&format!("/api/games/{id}")).await;
        if !game["remark"].is_null() {
            break game;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    assert_eq!(unsaved["moves"].as_array().unwrap().len(), 1);
    visit.fill_disk(false);
    let game = visit.wait_for(&id, 2).await;
    assert_eq!((game["moves"].as_array().unwrap().len(), &game["remark"]), (2, &Value::Null));
}

#[tokio::test]
async fn positions_saved_at_once_are_all_there() {
    let visit = Visit::new();
    let save = async |number: usize| {
        let tabiya = json!({ "title": number.to_string(), "start": {} });
        visit.post("/api/tabiyas", &tabiya).await.0
    };
    let saved = futures_util::future::join_all((0..200).map(save)).await;
    assert!(saved.iter().all(|&status| status == StatusCode::CREATED), "{saved:?}");
    let (_, list) = visit.get("/api/tabiyas").await;
    let mut titles: Vec<usize> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|each| each["title"].as_str().unwrap().parse().unwrap())
        .collect();
    titles.sort_unstable();
    assert!(titles.iter().copied().eq(0..200));
}

#[tokio::test]
async fn a_game_whose_mind_is_gone_is_shown_and_left_as_it_is() {
    let visit = Visit::new();
    let id = visit.begin(json!({ "time": null })).await;
    visit.act(&id, step("e2e4")).await;
    visit.wait_for(&id, 2).await;
    visit.act(&id, json!({ "type": "takeback" })).await;
    let file = visit.folder.path().join(format!("players/{}/games/{id}.jsonl", visit.client));
    let text = std::fs::read_to_string(&file).unwrap().replace("heuristic:alpha-beta", "oracle:deep");
    // It is the opponent's turn when the game is looked at.
    let text =
        format!("{text}{}\n", json!({ "event": "move", "uci": "d2d4", "spent_ms": 1, "left_ms": null }));
    std::fs::write(&file, &text).unwrap();
    let later = visit.restarted();
    let (status, game) = later.get(&format!("/api/games/{id}")).await;
    assert_eq!((status, &game["verdict"]), (StatusCode::OK, &Value::Null));
    assert!(game["remark"].as_str().unwrap().contains("`oracle:deep`"), "{game}");
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    let (status, refused) = later.act(&id, step("e7e5")).await;
    assert_eq!((status, &refused["error"]["code"]), (StatusCode::CONFLICT, &json!("no_opponent")));
}

#[tokio::test]
async fn searches_for_openings_are_short() {
    let visit = Visit::new();
    let (status, _) = visit.get(&format!("/api/openings?q={}", "a+".repeat(200))).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(visit.get("/api/openings?q=najdorf+sicilian").await.0, StatusCode::OK);
}
