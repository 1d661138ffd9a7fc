//! What happens to the account: challenges, and games that begin and end. Fields that nobody needs are not read, so that new ones and
//! missing ones do no harm.

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum Event {
    GameStart {
        game: GameRef,
    },
    Challenge {
        challenge: Challenge,
    },
    ChallengeCanceled {
        challenge: ChallengeRef,
    },
    ChallengeDeclined {
        challenge: ChallengeRef,
    },
    /// The end of a game, and what is newer than this program.
    #[serde(other)]
    Other,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct GameRef {
    #[serde(rename = "gameId")]
    pub(crate) id: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ChallengeRef {
    pub(crate) id: String,
}

/// Who the token belongs to.
#[derive(Clone, Debug, Deserialize)]
pub struct Profile {
    pub id: String,
    pub username: String,
    #[serde(default)]
    pub title: Option<String>,
}

impl Profile {
    pub fn is_bot(&self) -> bool {
        self.title.as_deref() == Some(BOT)
    }
}

pub(crate) const BOT: &str = "BOT";

/// Somebody who wants to play.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Challenge {
    pub id: String,
    pub challenger: Challenger,
    pub variant: Variant,
    pub rated: bool,
    pub time_control: TimeControl,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Challenger {
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub rating: Option<u16>,
    #[serde(default)]
    pub title: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Variant {
    pub key: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum TimeControl {
    /// Base and increment in seconds.
    Clock {
        limit: u32,
        increment: u32,
    },
    #[serde(rename_all = "camelCase")]
    Correspondence {
        #[serde(default)]
        days_per_turn: Option<u32>,
    },
    Unlimited,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_and_strange_ones_passed_over() {
        let read = |text: &str| serde_json::from_str::<Event>(text).unwrap();
        let start = r#"{"type":"gameStart","game":{"fullId":"abcdefgh1234","gameId":"abcdefgh","id":"abcdefgh","color":"white","newField":[1]}}"#;
        assert!(matches!(read(start), Event::GameStart { game } if game.id == "abcdefgh"));
        assert!(matches!(read(r#"{"type":"somethingNew","x":1}"#), Event::Other));
        let challenge = r#"{"type":"challenge","challenge":{"id":"c1","url":"x","status":"created",
            "challenger":{"id":"mary","name":"Mary","rating":1712,"title":null,"provisional":true},"destUser":null,
            "variant":{"key":"chess960","name":"Chess960"},"rated":true,"speed":"blitz",
            "timeControl":{"type":"clock","limit":300,"increment":3,"show":"5+3"},"color":"random","perf":{}},"compat":{}}"#;
        let Event::Challenge { challenge } = read(challenge) else { panic!("a challenge") };
        assert_eq!((challenge.challenger.rating, challenge.variant.key.as_str()), (Some(1712), "chess960"));
        assert!(matches!(challenge.time_control, TimeControl::Clock { limit: 300, increment: 3 }));
        for (text, unlimited) in
            [(r#"{"type":"unlimited"}"#, true), (r#"{"type":"correspondence","daysPerTurn":3}"#, false)]
        {
            let control: TimeControl = serde_json::from_str(text).unwrap();
            assert_eq!(matches!(control, TimeControl::Unlimited), unlimited);
        }
    }
}
