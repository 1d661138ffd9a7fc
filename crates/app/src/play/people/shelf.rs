//! The people that a player brought games of: kept in her folder, learned in the background, one at a time. A server that ends in the middle
//! of it begins that person again.

use std::{fs, io, sync::Arc};

use chess::pgn::Game;
use data::date;
use nets::{WeightFile, human::Person};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tracing::warn;
use utoipa::ToSchema;

use super::book::{self, Book, Opening};
use crate::{
    clone::{self, CloneError, FEWEST_GAMES, Made, Own, Report, Settings},
    embedded,
    play::{
        background::Background,
        drawer::{Drawer, Kept},
        game::journal::Journals,
        ids,
        minds::catalogue::{MindCard, Minds},
    },
};

pub(crate) const MOST_PEOPLE: usize = 30;
const MOST_GAMES: usize = 5_000;
/// What people are called whose games do not tell a rating.
const USUAL_RATING: u16 = 1500;
/// What is kept of her besides `About`.
const FILES: [&str; 4] = ["pgn", "person", "book", "safetensors"];

/// Somebody to prepare against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = KeptPerson)]
pub(crate) struct About {
    pub(crate) id: String,
    /// The name of the mind that plays like her.
    pub(crate) mind: String,
    pub(crate) player: String,
    pub(crate) rating: u16,
    /// Whether the games tell the rating.
    pub(crate) rating_known: bool,
    pub(crate) games: usize,
    pub(crate) left_out: usize,
    pub(crate) created_s: u64,
    pub(crate) openings: Vec<Opening>,
    pub(crate) done: bool,
    /// What was measured on games kept apart; nothing where there are too few of them.
    pub(crate) report: Option<Report>,
    /// Whether a network of her own plays where her games know nothing; otherwise people of her rating do.
    pub(crate) clone: bool,
}

impl Kept for About {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_s(&self) -> u64 {
        self.created_s
    }
}

impl About {
    /// Her mind, as players meet it.
    pub(crate) fn card(&self) -> MindCard {
        let about = self.clone();
        let rating = if about.rating_known { format!(", rated {}", about.rating) } else { String::new() };
        let then = match about.clone {
            true => "after that what a network learned of them",
            false => "after that what people of the rating play",
        };
        MindCard {
            name: about.mind,
            title: about.player.clone(),
            about: format!(
                "Plays like {}{rating}: the moves of {} games, {then}.",
                about.player, about.games
            ),
            rated: false,
            rating: Some(about.rating),
            insights: vec![],
        }
    }
}

/// As the page sees it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Person)]
pub(crate) struct Status {
    #[serde(flatten)]
    about: About,
    /// The share of learning that is done.
    progress: f32,
}

#[derive(Debug, Error)]
pub(crate) enum PersonError {
    #[error("there is no game in this file")]
    Empty,
    #[error("`{0}` played none of these games; the names in them are: {1}")]
    NotThere(String, String),
    #[error("nobody keeps more than {MOST_PEOPLE} people")]
    TooMany,
    #[error(transparent)]
    File(#[from] io::Error),
}

#[derive(Debug)]
pub(crate) struct People {
    drawer: Drawer,
    minds: Arc<Minds>,
    learning: Arc<Background>,
}

impl People {
    /// With the minds of all people that are on disk.
    pub(crate) fn new(journals: Journals, minds: Arc<Minds>) -> People {
        let people =
            People { drawer: Drawer::new(journals, "people"), minds, learning: Background::new("person") };
        for client in people.drawer.clients() {
            people.list(&client).iter().for_each(|about| people.register(&client, about));
        }
        people
    }

    fn register(&self, client: &str, about: &About) {
        let path = self.drawer.path(client, &about.id, "person");
        self.minds.persons.register(&about.mind, &about.player, about.rating, path);
    }

    /// Keeps a person's games, so that she can be played at once with her own choices; returns once they are on disk. Without a name it is
    /// whoever is in most of them.
    pub(crate) fn keep(&self, client: &str, pgn: &str, player: Option<&str>) -> Result<About, PersonError> {
        if self.list(client).len() >= MOST_PEOPLE {
            return Err(PersonError::TooMany);
        }
        let games = read(pgn);
        let names = clone::names(&games, 6).join(", ");
        let most = clone::most_frequent(&games).ok_or(PersonError::Empty)?;
        let player = player.map_or(most, str::to_owned);
        let own = Own::of(games, &player);
        if own.games.is_empty() {
            return Err(PersonError::NotThere(player, names));
        }
        let id = ids::game();
        let about = About {
            mind: format!("person-{id}:instant"),
            id,
            player: own.player.clone(),
            rating: own.rating.unwrap_or(USUAL_RATING).clamp(600, 2600),
            rating_known: own.rating.is_some(),
            games: own.games.len(),
            left_out: own.left_out,
            created_s: date::now_s(),
            openings: book::openings(&own),
            done: own.games.len() < FEWEST_GAMES,
            report: None,
            clone: false,
        };
        self.drawer.bring(client, &about.id, pgn)?;
        self.drawer.write(client, &about.id, "book", &Book::of(&own))?;
        let person = Person { rating: Some(about.rating), ..clone::habits_only(&own) };
        self.drawer.write(client, &about.id, "person", &person)?;
        self.drawer.tell(client, &about)?;
        self.register(client, &about);
        Ok(about)
    }

    /// The newest first.
    pub(crate) fn list(&self, client: &str) -> Vec<About> {
        self.drawer.list(client)
    }

    pub(crate) fn book(&self, client: &str, id: &str) -> Option<Book> {
        self.drawer.read(client, id, "book")
    }

    /// Whether there was such a person. Games against her can still be looked at.
    pub(crate) fn remove(&self, client: &str, id: &str) -> bool {
        let removed = self.drawer.remove(client, id, &FILES);
        if removed {
            self.minds.persons.forget(&format!("person-{id}"));
        }
        removed
    }

    /// The list with the progress of each; what is not done goes on.
    pub(crate) fn statuses(self: &Arc<People>, client: &str) -> Vec<Status> {
        let abouts = self.list(client);
        for about in abouts.iter().filter(|about| !about.done) {
            self.start(client, about.clone());
        }
        let status = |about: About| {
            let progress = if about.done { 1.0 } else { self.learning.share(&about.id) };
            Status { about, progress }
        };
        abouts.into_iter().map(status).collect()
    }

    /// Learns a person in the background, unless that goes on already.
    pub(crate) fn start(self: &Arc<People>, client: &str, about: About) {
        if about.done {
            return;
        }
        let (people, client, id) = (Arc::clone(self), client.to_owned(), about.id.clone());
        self.learning.start(&id, async move {
            tokio::task::spawn_blocking(move || people.learn(&client, about)).await?
        });
    }

    fn learn(&self, client: &str, about: About) -> anyhow::Result<()> {
        let pgn = fs::read_to_string(self.drawer.path(client, &about.id, "pgn"))?;
        let own = Own::of(read(&pgn), &about.player);
        let mut tell = |share: f32| self.learning.tell(&about.id, share);
        // One thread: those who play share the processors.
        let thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        let made = thread.install(|| match human() {
            Some(base) => {
                base.and_then(|base| Ok(Some(clone::make(&base, &own, Settings::default(), &mut tell)?)))
            }
            None => Ok(None),
        });
        // Removed in the meantime: nothing is to be kept.
        if !self.drawer.has(client, &about.id) {
            return Ok(());
        }
        let mut about = About { done: true, ..about };
        match made {
            Ok(Some(Made { mut file, person, report })) => {
                // What made nothing better is not kept: people of her rating play on where her choices end.
                about.clone = report.is_better() && report.epochs > 0;
                let person = Person { rating: Some(about.rating), ..person };
                if about.clone {
                    clone::set_person(&mut file, &person);
                    file.write(&self.drawer.path(client, &about.id, "safetensors"))?;
                }
                about.report = Some(report);
                self.drawer.write(client, &about.id, "person", &person)?;
            }
            Ok(None) => {}
            // Nothing that would be better the next time.
            Err(error) => warn!("person {}: {error:#}", about.id),
        }
        self.drawer.tell(client, &about)?;
        self.minds.persons.forget(&format!("person-{}", about.id));
        self.register(client, &about);
        Ok(())
    }
}

/// The network that people are made of.
fn human() -> Option<Result<WeightFile, CloneError>> {
    let human = embedded::WEIGHTS.iter().find(|weights| weights.name == "human")?;
    Some(WeightFile::from_bytes(human.bytes).map_err(CloneError::from))
}

fn read(pgn: &str) -> Vec<Game> {
    chess::pgn::games(pgn.as_bytes()).filter_map(Result::ok).take(MOST_GAMES).collect()
}

#[cfg(test)]
mod tests {
    use chess::{Brain, Moment, Wants};

    use super::*;
    use crate::play::minds::catalogue::{tests::minds, title_of};

    fn pgn(games: usize) -> String {
        let game = |number: usize| {
            let moves = match number % 3 {
                0 => "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 h6",
                _ => "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5",
            };
            format!(
                "[White \"Ann\"]\n[Black \"Bob{number}\"]\n[Date \"2024.01.{:02}\"]\n[UTCTime \"{number}\"]\n[WhiteElo \"1700\"]\n\
                 [Result \"1-0\"]\n\n{moves} 1-0\n\n",
                1 + number % 28
            )
        };
        (0..games).map(game).collect()
    }

    #[test]
    fn a_person_can_be_played_at_once_and_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let client = ids::client();
        let people = People::new(Journals::new(folder.path().to_owned()), Arc::new(minds()));
        let about = people.keep(&client, &pgn(9), None).unwrap();
        assert_eq!((about.player.as_str(), about.rating, about.games, about.done), ("Ann", 1700, 9, true));
        assert_eq!(people.book(&client, &about.id).unwrap().white.len(), 12 + 11);
        let again = People::new(Journals::new(folder.path().to_owned()), Arc::new(minds()));
        for people in [&people, &again] {
            assert!(
                people.minds.knows(&about.mind) && !people.minds.knows("person-0123456789abcdef:instant")
            );
            assert_eq!(title_of(&about.mind), "Ann");
            let network = people.minds.network(&about.mind).unwrap();
            let policy =
                network.evaluator.judge(&[Moment::default()], Wants::POLICY)[0].policy.clone().unwrap();
            let start = Moment::default();
            let likeliest = (0..policy.len()).max_by(|&a, &b| policy[a].total_cmp(&policy[b])).unwrap();
            assert_eq!(start.uci(start.legal_moves()[likeliest]), "e2e4");
            assert_eq!((network.card.rating, people.minds.rating_of(&about.mind)), (Some(1700), Some(1700)));
        }
        assert!(people.list(&ids::client()).is_empty());
        assert!(people.remove(&client, &about.id) && !people.minds.knows(&about.mind));
        assert!(!people.remove(&client, &about.id));
    }

    #[test]
    fn games_of_nobody_are_refused_in_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let people = People::new(Journals::new(folder.path().to_owned()), Arc::new(minds()));
        let error = |pgn: &str, player: Option<&str>| people.keep("c1", pgn, player).unwrap_err().to_string();
        assert_eq!(error("hello", None), PersonError::Empty.to_string());
        assert!(error(&pgn(3), Some("Zoe")).contains("Ann, Bob0, Bob1"));
        assert!(people.list("c1").is_empty());
    }
}
