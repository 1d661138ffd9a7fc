use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{self, Message, client::IntoClientRequest},
};

use super::*;

type Line = WebSocketStream<TcpStream>;

impl Visit {
    /// A socket to a game, from a page at `origin`.
    async fn line(&self, id: &str, origin: Option<&str>) -> Result<Line, tungstenite::Error> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = self.router.clone();
        tokio::spawn(async move { axum::serve(listener, router).await });
        let mut request = format!("ws://{address}/api/games/{id}/socket").into_client_request().unwrap();
        let headers = request.headers_mut();
        headers.insert(header::COOKIE, format!("tabiya={}", self.client).parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        let stream = TcpStream::connect(address).await.unwrap();
        client_async(request, stream).await.map(|(line, _)| line)
    }
}

async fn hear(line: &mut Line) -> Value {
    let message = line.next().await.unwrap().unwrap();
    serde_json::from_str(message.to_text().unwrap()).unwrap()
}

async fn say(line: &mut Line, text: &str) {
    line.send(Message::text(text)).await.unwrap();
}

#[tokio::test]
async fn a_game_is_played_over_a_socket() {
    let visit = Visit::new();
    let id = visit.begin(json!({})).await;
    let mut line = visit.line(&id, None).await.unwrap();
    assert_eq!(hear(&mut line).await["game"]["moves"], json!([]));
    say(&mut line, r#"{"type": "move", "uci": "e2e4", "ply": 0}"#).await;
    assert_eq!(hear(&mut line).await["game"]["moves"][0]["san"], "e4");
    assert_eq!(hear(&mut line).await["game"]["turn"], "white");
    let mut second = visit.line(&id, None).await.unwrap();
    let seen = hear(&mut second).await;
    assert_eq!(seen["game"]["moves"].as_array().unwrap().len(), 2, "a reload sees the game as it stands");
}

#[tokio::test]
async fn malformed_messages_get_an_error_and_the_game_goes_on() {
    let visit = Visit::new();
    let id = visit.begin(json!({})).await;
    let mut line = visit.line(&id, None).await.unwrap();
    hear(&mut line).await;
    let nonsense = [
        "",
        "nonsense",
        "{}",
        "[]",
        "null",
        r#"{"type": 3}"#,
        r#"{"type": "move"}"#,
        r#"{"type": "move", "uci": 7}"#,
        r#"{"type": "move", "uci": "e2e5"}"#,
        r#"{"type": "move", "uci": "<script>"}"#,
        r#"{"type": "fly"}"#,
        r#"{"type": "resign", "really": true}"#,
    ];
    for text in nonsense {
        say(&mut line, text).await;
        assert!(hear(&mut line).await["error"]["message"].is_string(), "{text}");
    }
    line.send(Message::binary(vec![0, 159])).await.unwrap();
    assert!(hear(&mut line).await["error"]["message"].is_string());
    say(&mut line, r#"{"type": "ping"}"#).await;
    assert_eq!(hear(&mut line).await["type"], "pong");
    say(&mut line, r#"{"type": "move", "uci": "e2e4"}"#).await;
    assert_eq!(hear(&mut line).await["game"]["moves"][0]["san"], "e4");
}

#[tokio::test]
async fn who_shouts_is_slowed_down_and_then_hung_up_on() {
    let visit = Visit::new();
    let id = visit.begin(json!({})).await;
    let mut line = visit.line(&id, None).await.unwrap();
    hear(&mut line).await;
    for _ in 0..200 {
        // The server may have hung up already.
        if line.send(Message::text(r#"{"type": "ping"}"#)).await.is_err() {
            break;
        }
    }
    let mut refused = 0;
    while let Some(Ok(message)) = line.next().await {
        refused += usize::from(message.to_text().is_ok_and(|text| text.contains("too_many")));
    }
    assert!(refused > 50, "{refused}");
    assert_eq!(visit.get(&format!("/api/games/{id}")).await.0, StatusCode::OK);
}

#[tokio::test]
async fn an_oversized_message_ends_the_line_and_not_the_game() {
    let visit = Visit::new();
    let id = visit.begin(json!({})).await;
    let mut line = visit.line(&id, None).await.unwrap();
    hear(&mut line).await;
    say(&mut line, &"x".repeat(100_000)).await;
    while let Some(Ok(_)) = line.next().await {}
    let mut again = visit.line(&id, None).await.unwrap();
    assert_eq!(hear(&mut again).await["game"]["verdict"], Value::Null);
}

#[tokio::test]
async fn a_page_of_another_site_gets_no_line() {
    let visit = Visit::new();
    let id = visit.begin(json!({})).await;
    let refused = visit.line(&id, Some("http://evil.example")).await;
    assert!(matches!(refused, Err(tungstenite::Error::Http(response)) if response.status() == 403));
    let stranger = visit.stranger().line(&id, None).await;
    assert!(matches!(stranger, Err(tungstenite::Error::Http(response)) if response.status() == 404));
}
