//! The whole life of a bot against a server that goes wrong.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod server;
mod soak;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use chess::shakmaty::Color;
use engine::Score;
use lichess::{Bot, BotError, Chat, Client, Manners, OnInterrupt, Patience, Player, Policy, Report, Token};
use server::{Ending, Faults, Plan, Server, TOKEN, Whim};
use tokio::{sync::watch, task::JoinHandle, time::timeout};

/// Long enough for any machine: only what hangs gets here.
const AGES: Duration = Duration::from_secs(300);

fn patience() -> Patience {
    let ms = Duration::from_millis;
    Patience {
        answer: ms(2000),
        silence: ms(2000),
        too_many: ms(30),
        first_retry: ms(5),
        longest_retry: ms(100),
    }
}

struct Running {
    server: Server,
    stop: watch::Sender<bool>,
    task: JoinHandle<Result<(), BotError>>,
    told: Arc<Mutex<Vec<Report>>>,
}

struct Setup {
    faults: Faults,
    policy: Policy,
    manners: Manners,
    chat: Chat,
    score: Score,
    fails_at: Option<u32>,
    think: Duration,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            faults: Faults::default(),
            policy: Policy { games_at_once: 10, ..Policy::default() },
            manners: Manners { move_overhead_ms: 20, abort_after_s: 60, ..Manners::default() },
            chat: Chat::default(),
            score: Score::Centipawns(0),
            fails_at: None,
            think: Duration::ZERO,
        }
    }
}

async fn start(setup: Setup) -> Running {
    let (server, address) = Server::start(setup.faults).await;
    let token = Token::parse(TOKEN, "the test").unwrap();
    let client = Client::new(&format!("http://{address}"), &token, patience()).unwrap();
    let told: Arc<Mutex<Vec<Report>>> = Arc::default();
    let ears = Arc::clone(&told);
    let (score, think, fails_at) = (setup.score, setup.think, setup.fails_at);
    let bot = Bot {
        client: Arc::new(client),
        policy: setup.policy,
        manners: setup.manners,
        chat: setup.chat,
        seat: Arc::new(move |_| {
            Ok(Player { search: Box::new(Whim { think, score, fails_at }), level: Some(1600) })
        }),
        tell: Arc::new(move |report: &Report| ears.lock().unwrap().push(report.clone())),
    };
    let (stop, stopped) = watch::channel(false);
    let task = tokio::spawn(bot.run(stopped));
    Running { server, stop, task, told }
}

impl Running {
    async fn until(&self, what: &str, mut there: impl FnMut(&Server) -> bool) {
        let waiting = async {
            while !there(&self.server) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let in_time = timeout(AGES, waiting).await;
        assert!(in_time.is_ok(), "{what} never came: {:?}", self.told.lock().unwrap());
    }

    /// The end in good order, and all that was told.
    async fn end(self) -> Vec<Report> {
        self.stop.send(true).unwrap();
        timeout(AGES, self.task).await.expect("an end").unwrap().unwrap();
        let told = self.told.lock().unwrap().clone();
        let secret = TOKEN.trim_start_matches("lip_");
        assert!(
            told.iter().all(|report| !format!("{report} {report:?}").contains(secret)),
            "the token is told"
        );
        told
    }
}

fn plan(number: usize) -> Plan {
    let endings =
        [Ending::Resigns, Ending::OffersDraw, Ending::AsksTakeback, Ending::Leaves, Ending::Resigns];
    let chess960 = number % 7 == 3;
    Plan {
        us: if number.is_multiple_of(2) { Color::White } else { Color::Black },
        opponent: format!("player{number}"),
        variant: if chess960 { "chess960" } else { "standard" },
        fen: chess960.then_some("bqnb1rkr/pppppppp/2n5/8/8/2N5/PPPPPPPP/BQ1B1RKR w HFhf - 0 1"),
        ending: endings[number % endings.len()],
        at_ply: 8 + 3 * (number % 9),
        patience: Duration::from_millis(200),
        ..Plan::default()
    }
}

/// As many games as the variable says, for a longer run by hand.
fn games() -> usize {
    std::env::var("TABIYA_LICHESS_GAMES").ok().and_then(|text| text.parse().ok()).unwrap_or(24)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_game_ends_as_the_rules_say_whatever_goes_wrong_on_the_way() {
    let count = games();
    let manners = Manners { takebacks: 1, ..Setup::default().manners };
    let think = Duration::from_millis(30);
    let bot = start(Setup { faults: Faults::many(7), manners, think, ..Setup::default() }).await;
    for number in 0..count {
        bot.server.challenge(&format!("game{number}"), plan(number));
        let open = |server: &Server| server.world().games.values().filter(|game| game.is_running()).count();
        bot.until("a free board", |server| open(server) + server.world().challenges.len() < 10).await;
    }
    bot.until("the end of all games", Server::all_over).await;
    let server = bot.server.clone();
    let told = bot.end().await;
    let world = server.world();
    assert_eq!(world.games.len(), count, "declined: {:?}", world.declined);
    for (id, game) in &world.games {
        let story = || {
            let told = told
                .iter()
                .map(ToString::to_string)
                .filter(|line| line.contains(&format!("{id}:")) || line.contains(&format!("{id} ")));
            told.collect::<Vec<_>>().join("\n")
        };
        assert!(
            ["mate", "stalemate", "resign", "draw", "timeout"].contains(&game.status),
            "{id}: {} with {:?}\n{}",
            game.status,
            game.moves,
            story()
        );
        assert_ne!((game.status, game.winner), ("resign", Some(!game.plan.us)), "{id}: no reason to resign");
        assert_eq!(game.strange, 0, "{id}: a move for another position");
        let count =
            |is: fn(&Report) -> Option<&str>| told.iter().filter(|report| is(report) == Some(id)).count();
        let started = count(|report| match report {
            Report::Started { game, .. } => Some(game),
            _ => None,
        });
        let ended = count(|report| match report {
            Report::Ended { game, .. } => Some(game),
            _ => None,
        });
        assert!(started <= 1 && ended == 1, "{id}: {started} beginnings, {ended} ends\n{}", story());
    }
    assert!(world.faults.count > count, "only {} faults", world.faults.count);
}

#[tokio::test]
async fn games_under_way_are_taken_up_on_either_side() {
    let bot = start(Setup::default()).await;
    bot.server.begin("white", Plan { at_ply: 30, ..Plan::default() }, "e2e4 e7e5");
    bot.server.begin("black", Plan { us: Color::Black, at_ply: 30, ..Plan::default() }, "e2e4 e7e5");
    bot.until("both ends", Server::all_over).await;
    let server = bot.server.clone();
    bot.end().await;
    assert!(server.world().games.values().all(|game| game.moves.len() >= 20 && game.out_of_turn == 0));
}

#[tokio::test]
async fn opponents_who_never_begin_leave_ask_or_offer_are_answered() {
    let manners = Manners { takebacks: 1, abort_after_s: 2, ..Setup::default().manners };
    let chat = Chat { hello: "Hi {opponent}, level {level}".to_owned(), goodbye: "bye".to_owned() };
    let bot = start(Setup { manners, chat, ..Setup::default() }).await;
    for (id, us, ending) in [
        ("idle", Color::Black, Ending::NeverBegins),
        ("left", Color::White, Ending::Leaves),
        ("draw", Color::White, Ending::OffersDraw),
        ("back", Color::Black, Ending::AsksTakeback),
    ] {
        bot.server.challenge(id, Plan { us, ending, at_ply: 6, ..Plan::default() });
    }
    bot.until("all ends", |server| server.all_over() && server.world().games.len() == 4).await;
    bot.until("the last words", |server| server.world().games["draw"].chat.len() == 2).await;
    let server = bot.server.clone();
    bot.end().await;
    let world = server.world();
    let end = |id: &str| (world.games[id].status, world.games[id].winner);
    assert_eq!(end("idle"), ("aborted", None));
    assert_eq!(end("left"), ("timeout", Some(Color::White)));
    assert_eq!(end("draw"), ("draw", None));
    assert_eq!((end("back"), world.games["back"].takebacks_granted), (("resign", Some(Color::Black)), 1));
    assert_eq!(
        world.games["draw"].chat,
        ["room=player&text=Hi%20mary%2C%20level%201600", "room=player&text=bye"]
    );
}

#[tokio::test]
async fn lost_games_are_given_up_and_a_search_that_fails_costs_no_game() {
    let bot = start(Setup { score: Score::Centipawns(-1400), ..Setup::default() }).await;
    bot.server.challenge("lost", Plan { at_ply: 100, ..Plan::default() });
    bot.until("resignation", |server| server.all_over() && server.world().games.len() == 1).await;
    assert_eq!(bot.server.world().games["lost"].winner, Some(Color::Black));
    bot.end().await;
    let bot = start(Setup { fails_at: Some(4), ..Setup::default() }).await;
    bot.server.challenge("fails", Plan { at_ply: 20, ..Plan::default() });
    bot.until("its end", |server| server.all_over() && server.world().games.len() == 1).await;
    assert_eq!(bot.server.world().games["fails"].winner, Some(Color::White));
    let told = bot.end().await;
    assert!(told.iter().any(|report| report.to_string().contains("the search failed in ")));
}

#[tokio::test]
async fn challenges_wait_for_a_board_are_withdrawn_or_declined_and_none_is_taken_at_the_end() {
    let policy = Policy { games_at_once: 1, rated: false, ..Policy::default() };
    let bot = start(Setup { policy, ..Setup::default() }).await;
    let casual = Plan { rated: false, ending: Ending::Leaves, at_ply: 4, ..Plan::default() };
    bot.server.challenge("first", casual.clone());
    bot.until("a game", |server| server.world().games.len() == 1).await;
    bot.server.challenge("second", casual.clone());
    bot.server.challenge("third", casual.clone());
    bot.server.challenge("rated", Plan { rated: true, ..casual.clone() });
    bot.until("the refusal", |server| server.world().declined.contains_key("rated")).await;
    bot.server.withdraw("second");
    bot.until("the other game", |server| server.world().games.contains_key("third")).await;
    assert!(!bot.server.world().games.contains_key("second"));
    assert_eq!(bot.server.world().declined["rated"], "casual");
    bot.stop.send(true).unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    bot.server.challenge("late", casual);
    let server = bot.server.clone();
    bot.end().await;
    assert_eq!(server.world().declined.get("late").map(String::as_str), Some("later"));
    assert!(!server.world().games["third"].is_running(), "games are finished first");
}

#[tokio::test]
async fn an_interrupt_may_leave_games_for_the_next_start() {
    let manners = Manners { on_interrupt: OnInterrupt::Leave, ..Setup::default().manners };
    let bot = start(Setup { manners, think: Duration::from_millis(200), ..Setup::default() }).await;
    bot.server.challenge("long", Plan { at_ply: 400, ..Plan::default() });
    bot.until("a few moves", |server| {
        server.world().games.get("long").is_some_and(|game| game.moves.len() > 4)
    })
    .await;
    let server = bot.server.clone();
    bot.end().await;
    assert!(server.world().games["long"].is_running());
}

#[tokio::test]
async fn tokens_that_are_unknown_and_accounts_that_are_no_bots_end_it_in_a_sentence() {
    let (server, address) = Server::start(Faults::default()).await;
    let run = |word: &'static str| {
        let client = Client::new(&format!("http://{address}"), &Token::parse(word, "x").unwrap(), patience());
        let bot = Bot {
            client: Arc::new(client.unwrap()),
            policy: Policy::default(),
            manners: Manners::default(),
            chat: Chat::default(),
            seat: Arc::new(|_| Err("nobody".to_owned())),
            tell: Arc::new(|_| {}),
        };
        let (stop, stopped) = watch::channel(false);
        async move {
            let end = bot.run(stopped).await;
            drop(stop);
            end.unwrap_err().to_string()
        }
    };
    let unknown = run("lip_SomethingElse").await;
    assert!(
        unknown.starts_with("Lichess does not know this token") && !unknown.contains("Something"),
        "{unknown}"
    );
    server.world().title = "GM";
    assert!(run(TOKEN).await.starts_with("TabiyaBot is not a bot account"));
}
