//! Games that a player brought: kept as they came, looked over in the background, one import at a time. A server that ends in the middle
//! of it begins that import again.

use std::{
    collections::{HashMap, HashSet},
    fs, io,
    sync::Arc,
};

use chess::{pgn::Game, shakmaty::Color};
use data::date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    card::Card,
    pass::{self, Found, Played},
    profile::Profile,
};
use crate::play::{
    background::Background,
    drawer::{Drawer, Kept},
    game::journal::Journals,
    ids,
    minds::{
        catalogue::Minds,
        turns::{Asker, Urgency},
    },
};

pub(crate) const MOST_IMPORTS: usize = 50;
const MOST_GAMES: usize = 5_000;
const FEWEST_PLIES: usize = 10;
/// What is kept of an import besides `About`.
const FILES: [&str; 3] = ["pgn", "cards", "profile"];

/// Games that a player brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = KeptImport)]
pub(crate) struct About {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) player: String,
    pub(crate) created_s: u64,
    pub(crate) games: usize,
    /// Games that could not be read, or in which the player did not play.
    pub(crate) left_out: usize,
    /// For games that do not say how strong she was.
    pub(crate) rating: u16,
    pub(crate) cards: usize,
    pub(crate) done: bool,
}

impl Kept for About {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_s(&self) -> u64 {
        self.created_s
    }
}

/// As the page sees it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Import)]
pub(crate) struct Status {
    #[serde(flatten)]
    about: About,
    /// The share that has been looked over.
    progress: f32,
}

#[derive(Debug)]
pub(crate) struct Imports {
    drawer: Drawer,
    minds: Arc<Minds>,
    looking_over: Arc<Background>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ImportError {
    #[error("there is no game in this file")]
    Empty,
    #[error("`{0}` played none of these games; the names in them are: {1}")]
    NotThere(String, String),
    #[error("nobody keeps more than {MOST_IMPORTS} imports")]
    TooMany,
    #[error(transparent)]
    File(#[from] io::Error),
}

impl Imports {
    pub(crate) fn new(journals: Journals, minds: Arc<Minds>) -> Imports {
        Imports { drawer: Drawer::new(journals, "imports"), minds, looking_over: Background::new("import") }
    }

    /// Keeps games; returns once they are on disk. Without a name the player is the one who is in most of them.
    pub(crate) fn keep(
        &self,
        client: &str,
        pgn: &str,
        title: &str,
        player: Option<&str>,
        rating: u16,
    ) -> Result<About, ImportError> {
        if self.list(client).len() >= MOST_IMPORTS {
            return Err(ImportError::TooMany);
        }
        let (games, broken) = read(pgn);
        let player = match player {
            Some(player) => player.to_owned(),
            None => most_frequent(&games).ok_or(ImportError::Empty)?,
        };
        if games.is_empty() {
            return Err(ImportError::Empty);
        }
        let own = of_player(games, &player);
        if own.played.is_empty() {
            return Err(ImportError::NotThere(player, own.names.join(", ")));
        }
        let about = About {
            id: ids::game(),
            title: title.to_owned(),
            player,
            created_s: date::now_s(),
            games: own.played.len(),
            left_out: broken + own.others,
            rating,
            cards: 0,
            done: false,
        };
        self.drawer.bring(client, &about.id, pgn)?;
        self.drawer.tell(client, &about)?;
        Ok(about)
    }

    /// The newest first.
    pub(crate) fn list(&self, client: &str) -> Vec<About> {
        self.drawer.list(client)
    }

    /// Whether there was one. What is being looked over ends with its next look at the disk.
    pub(crate) fn remove(&self, client: &str, id: &str) -> bool {
        self.drawer.remove(client, id, &FILES)
    }

    /// The list with the progress of each; what is not done goes on.
    pub(crate) fn statuses(self: &Arc<Imports>, client: &str) -> Vec<Status> {
        let abouts = self.list(client);
        for about in abouts.iter().filter(|about| !about.done) {
            self.start(client, about.clone());
        }
        let status = |about: About| {
            let progress = if about.done { 1.0 } else { self.looking_over.share(&about.id) };
            Status { about, progress }
        };
        abouts.into_iter().map(status).collect()
    }

    /// Looks an import over in the background, unless that goes on already.
    pub(crate) fn start(self: &Arc<Imports>, client: &str, about: About) {
        let (imports, client, id) = (Arc::clone(self), client.to_owned(), about.id.clone());
        self.looking_over.start(&id, async move { imports.look_over(&client, about).await });
    }

    async fn look_over(&self, client: &str, about: About) -> io::Result<()> {
        let path = self.drawer.path(client, &about.id, "pgn");
        let player = about.player.clone();
        let reading = tokio::task::spawn_blocking(move || {
            fs::read_to_string(path).map(|pgn| of_player(read(&pgn).0, &player).played)
        });
        let games = reading.await.map_err(io::Error::other)??;
        let asker = Asker::new(client, Urgency::Review);
        let progress = |share| self.looking_over.tell(&about.id, share);
        let Found { cards, profile } =
            pass::look_over(&self.minds, &asker, &games, about.rating, progress).await;
        // Removed in the meantime: nothing is to be kept.
        if !self.drawer.has(client, &about.id) {
            return Ok(());
        }
        self.drawer.write(client, &about.id, "cards", &cards)?;
        self.drawer.write(client, &about.id, "profile", &profile)?;
        self.drawer.tell(client, &About { cards: cards.len(), done: true, ..about })
    }

    /// The puzzles of all imports, those worth most first.
    pub(crate) fn cards(&self, client: &str) -> Vec<Card> {
        let lists = self
            .list(client)
            .into_iter()
            .filter_map(|about| self.drawer.read::<Vec<Card>>(client, &about.id, "cards"));
        let mut known = HashSet::new();
        let mut cards: Vec<Card> = lists.flatten().filter(|card| known.insert(card.id.clone())).collect();
        cards.sort_by(|a, b| b.worth().total_cmp(&a.worth()));
        cards
    }

    /// What all imports together say.
    pub(crate) fn profile(&self, client: &str) -> Profile {
        let mut all = Profile::default();
        for about in self.list(client) {
            if let Some(profile) = self.drawer.read::<Profile>(client, &about.id, "profile") {
                all.add(&profile);
            }
        }
        all
    }
}

/// Games that are long enough to tell something, and how many could not be read.
fn read(pgn: &str) -> (Vec<Game>, usize) {
    let mut broken = 0;
    let games = chess::pgn::games(pgn.as_bytes()).filter_map(|game| match game {
        Ok(game) => Some(game).filter(|game| game.moves.len() >= FEWEST_PLIES),
        Err(_) => {
            broken += 1;
            None
        }
    });
    let games = games.take(MOST_GAMES).collect();
    (games, broken)
}

fn names(game: &Game) -> impl Iterator<Item = &str> {
    ["White", "Black"].into_iter().filter_map(|tag| game.tag(tag))
}

fn most_frequent(games: &[Game]) -> Option<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    games.iter().flat_map(names).for_each(|name| *counts.entry(name).or_default() += 1);
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(name, _)| name.to_owned())
}

struct Own {
    played: Vec<Played>,
    /// Games of others, and some of the names in them.
    others: usize,
    names: Vec<String>,
}

fn of_player(games: Vec<Game>, player: &str) -> Own {
    let mut own = Own { played: Vec::new(), others: 0, names: Vec::new() };
    for game in games {
        let is = |tag: &str| game.tag(tag).is_some_and(|name| name.eq_ignore_ascii_case(player));
        let side = if is("White") { Some(Color::White) } else { is("Black").then_some(Color::Black) };
        match side {
            Some(side) => own.played.push(Played { game, side }),
            None => {
                own.others += 1;
                for name in names(&game) {
                    if own.names.len() < 6 && !own.names.iter().any(|known| known == name) {
                        own.names.push(name.to_owned());
                    }
                }
            }
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::minds::catalogue::tests::minds;

    const GAMES: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. Ng5 d5 5. exd5 Nxd5 6. Qg4 Bxg4 0-1\n\n\
        [White \"Eve\"]\n[Black \"ann\"]\n[Result \"1/2-1/2\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Nf3 Be7 5. Bf4 O-O 1/2-1/2\n\n\
        [White \"Eve\"]\n[Black \"Bob\"]\n[Result \"1-0\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Nf3 Be7 5. Bf4 O-O 1-0\n";

    #[tokio::test]
    async fn games_are_kept_looked_over_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let imports = Arc::new(Imports::new(Journals::new(folder.path().to_owned()), Arc::new(minds())));
        let about = imports.keep("c1", GAMES, "two games", Some("Ann"), 1500).unwrap();
        assert_eq!((about.games, about.left_out, about.done), (2, 1, false));
        while !imports.statuses("c1")[0].about.done {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let all = imports.profile("c1");
        assert_eq!((all.0["all/"].games, all.0["all/"].points), (2, 0.5));
        assert!(imports.cards("c2").is_empty() && imports.list("c2").is_empty());
        assert!(imports.remove("c1", &about.id) && imports.list("c1").is_empty());
    }

    #[test]
    fn what_cannot_be_imported_is_told_why() {
        let folder = tempfile::tempdir().unwrap();
        let imports = Imports::new(Journals::new(folder.path().to_owned()), Arc::new(minds()));
        let error = |pgn: &str, player: Option<&str>| {
            imports.keep("c1", pgn, "", player, 1500).unwrap_err().to_string()
        };
        assert!(error("hello", None).contains("no game"));
        assert!(error(GAMES, Some("Zoe")).contains("Ann, Bob, Eve"));
        assert!(imports.list("c1").is_empty());
    }
}
