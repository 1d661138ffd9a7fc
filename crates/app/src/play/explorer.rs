//! What people of a rating play in a position, how well each move serves them, and how often it makes their opponents go wrong.

use chess::{
    Moment, Opinion, Ratings,
    shakmaty::{Move, san::SanPlus},
};
use engine::Score;
use serde::Serialize;
use tokio::sync::mpsc::Sender;
use utoipa::ToSchema;

use super::{
    game::side::Side,
    minds::{
        catalogue::{ENGINE, Minds},
        evaluator::Evaluator,
        turns::Asker,
    },
    openings::{Opening, Openings},
    review::score::{WhiteScore, expectation},
};

/// Moves that are told; the rest are rare.
const MOST_MOVES: usize = 10;
/// A move that fewer play is told only where hardly any are left.
const RARE: f32 = 0.005;
const FEWEST_MOVES: usize = 4;
/// Answers that the trap meter weighs: those that most people choose from.
const ANSWERS: usize = 4;
/// For each move, and for each answer to it: a shallow look, which is enough to see what a move drops.
const NODES: u64 = 6_000;
const ANSWER_NODES: u64 = 3_000;
/// A pitfall costs at least so much of the point.
const PITFALL: f32 = 0.05;

/// First what people play, then the engine's word on each of their moves.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ExplorerLine {
    People(ExplorerPeople),
    Engine(ExplorerWord),
    Done {},
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct ExplorerPeople {
    fen: String,
    turn: Side,
    rating: u16,
    opening: Option<Opening>,
    /// Points that the side to move can expect.
    expected: Option<f32>,
    moves: Vec<ExplorerMove>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
struct ExplorerMove {
    uci: String,
    san: String,
    /// How many people of the rating choose it.
    chance: f32,
    /// Points that they can expect with it, against their equals.
    expected: Option<f32>,
    /// Chances of White, of a draw, of Black.
    #[schema(value_type = Option<(f32, f32, f32)>)]
    chances: Option<[f32; 3]>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct ExplorerWord {
    uci: String,
    score: WhiteScore,
    /// The score as points of the mover.
    value: f32,
    /// Points that the likely answers give away on the average.
    trap: f32,
    /// The answer that gives away most, weighed by its chance.
    pitfall: Option<Pitfall>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
struct Pitfall {
    san: String,
    chance: f32,
    /// Points.
    cost: f32,
    /// What is right instead.
    right: Option<String>,
}

/// A move, the moment after it, and what people think there.
struct Choice {
    played: Move,
    chance: f32,
    after: Moment,
    /// Nothing after a move that ends the game.
    opinion: Option<Opinion>,
}

/// Tells what people play, then the engine's word on each of the moves, until it is all said or nobody listens.
pub(super) async fn explore(
    minds: &Minds,
    people: &Evaluator,
    asker: &Asker,
    mut moment: Moment,
    rating: u16,
    with_engine: bool,
    lines: &Sender<ExplorerLine>,
) {
    moment.players = Some(Ratings::lichess(Some(rating), Some(rating)));
    let (own, choices) = choices(people, &moment).await;
    if lines.send(ExplorerLine::People(told(&moment, rating, &own, &choices))).await.is_err() {
        return;
    }
    if with_engine {
        for choice in &choices {
            let Some(line) = weighed(minds, asker, &moment, choice).await else { continue };
            if lines.send(ExplorerLine::Engine(line)).await.is_err() {
                return;
            }
        }
    }
    drop(lines.send(ExplorerLine::Done {}).await);
}

/// The likeliest moves, likeliest first, with all opinions asked for in two batches.
async fn choices(people: &Evaluator, moment: &Moment) -> (Opinion, Vec<Choice>) {
    let legal = moment.legal_moves();
    if legal.is_empty() {
        return (Opinion::default(), Vec::new());
    }
    let own = people.ask(moment.clone()).await;
    let likely = likeliest(&own, &legal);
    let kept = likely
        .iter()
        .enumerate()
        .take_while(|(rank, (_, chance))| *rank < FEWEST_MOVES || *chance >= RARE)
        .take(MOST_MOVES);
    let mut choices: Vec<Choice> = kept
        .map(|(_, &(played, chance))| {
            let mut after = moment.clone();
            after.play(played);
            Choice { played, chance, after, opinion: None }
        })
        .collect();
    let going_on = choices.iter().filter(|choice| choice.after.ending().is_none());
    let mut opinions =
        people.ask_all(going_on.map(|choice| choice.after.clone()).collect()).await.into_iter();
    for choice in &mut choices {
        if choice.after.ending().is_none() {
            choice.opinion = opinions.next();
        }
    }
    (own, choices)
}

fn likeliest(opinion: &Opinion, legal: &[Move]) -> Vec<(Move, f32)> {
    let chances = opinion.policy.as_deref().unwrap_or_default();
    let mut likely: Vec<(Move, f32)> = legal.iter().copied().zip(chances.iter().copied()).collect();
    likely.sort_by(|a, b| b.1.total_cmp(&a.1));
    likely
}

fn told(moment: &Moment, rating: u16, own: &Opinion, choices: &[Choice]) -> ExplorerPeople {
    let turn = moment.turn();
    let moves = choices.iter().map(|choice| {
        let wdl = choice.opinion.as_ref().and_then(|opinion| opinion.wdl).map(|wdl| wdl.flipped());
        let white = wdl.map(|wdl| turn.fold_wb(wdl, wdl.flipped()));
        let ended = ended(&choice.after).map(|points| 1.0 - points);
        ExplorerMove {
            uci: moment.uci(choice.played),
            san: san(moment, choice.played),
            chance: choice.chance,
            expected: wdl.map(|wdl| wdl.expectation()).or(ended),
            chances: white.map(|wdl| [wdl.win(), wdl.draw(), wdl.loss()]),
        }
    });
    ExplorerPeople {
        fen: moment.fen(),
        turn: turn.into(),
        rating,
        opening: Openings::shared().of_moment(moment),
        expected: own.wdl.map(|wdl| wdl.expectation()),
        moves: moves.collect(),
    }
}

fn san(moment: &Moment, m: Move) -> String {
    SanPlus::from_move(moment.position.clone(), m).to_string()
}

/// Points of the side to move where the game has ended.
fn ended(moment: &Moment) -> Option<f32> {
    moment.ending().map(|end| if end.winner().is_some() { 0.0 } else { 0.5 })
}

/// The engine's word on a move, and what people who answer it give away: the sum over answers of chance times cost.
async fn weighed(minds: &Minds, asker: &Asker, moment: &Moment, choice: &Choice) -> Option<ExplorerWord> {
    let Some(opinion) = &choice.opinion else {
        let value = 1.0 - ended(&choice.after)?;
        let score = if value > 0.5 { Score::mates(1) } else { Score::Centipawns(0) };
        return Some(line(moment, choice, score, value, 0.0, None));
    };
    let seen = look(minds, asker, &choice.after, NODES).await?;
    let legal = choice.after.legal_moves();
    let likely = likeliest(opinion, &legal);
    let mut answers = Vec::new();
    for &(answer, chance) in likely.iter().take(ANSWERS) {
        let mut next = choice.after.clone();
        next.play(answer);
        let value = match ended(&next) {
            Some(points) => 1.0 - points,
            None if Some(answer) == seen.best => expectation(seen.score),
            None => 1.0 - expectation(look(minds, asker, &next, ANSWER_NODES).await?.score),
        };
        answers.push((answer, chance, value));
    }
    // Looks of different depth differ: the best answer is as good as the best that any of them saw.
    let best = answers.iter().map(|(_, _, value)| *value).fold(expectation(seen.score), f32::max);
    let cost = |value: f32| (best - value).max(0.0);
    let trap: f32 = answers.iter().map(|(_, chance, value)| chance * cost(*value)).sum();
    let worst = answers.iter().max_by(|a, b| (a.1 * cost(a.2)).total_cmp(&(b.1 * cost(b.2))));
    let pitfall = worst.filter(|(_, _, value)| cost(*value) >= PITFALL).map(|(answer, chance, value)| {
        let right = seen.best.filter(|right| right != answer).map(|right| san(&choice.after, right));
        Pitfall { san: san(&choice.after, *answer), chance: *chance, cost: cost(*value), right }
    });
    let score = seen.score.flipped();
    Some(line(moment, choice, score, expectation(score), trap, pitfall))
}

fn line(
    moment: &Moment,
    choice: &Choice,
    score: Score,
    value: f32,
    trap: f32,
    pitfall: Option<Pitfall>,
) -> ExplorerWord {
    let score = WhiteScore::new(score, moment.turn());
    ExplorerWord { uci: moment.uci(choice.played), score, value, trap, pitfall }
}

/// For the side to move.
struct Seen {
    score: Score,
    best: Option<Move>,
}

async fn look(minds: &Minds, asker: &Asker, moment: &Moment, nodes: u64) -> Option<Seen> {
    let found = minds.searches.think_anew(asker, ENGINE, moment.clone(), nodes, 1).await?;
    Some(Seen { score: found.score?, best: found.best })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tokio::sync::mpsc;

    use super::*;
    use crate::play::minds::{catalogue::tests::minds, turns::Urgency};

    async fn lines_of(moves: &[&str], with_engine: bool) -> Vec<Value> {
        let minds = minds();
        let moment = Moment::default().after_uci(moves.iter().copied()).unwrap();
        let (lines, mut written) = mpsc::channel(100);
        let asker = Asker::new("reader", Urgency::Question);
        explore(&minds, minds.people().unwrap(), &asker, moment, 1500, with_engine, &lines).await;
        std::iter::from_fn(|| written.try_recv().ok()).map(|line| json!(line)).collect()
    }

    #[tokio::test]
    async fn people_come_first_and_then_the_engines_word_on_each_move() {
        let lines = lines_of(&["e2e4", "e7e5"], true).await;
        let moves = lines[0]["moves"].as_array().unwrap();
        assert_eq!((&lines[0]["type"], &lines[0]["turn"]), (&json!("people"), &json!("white")));
        assert_eq!(lines.len(), moves.len() + 2);
        let chances: Vec<f64> = moves.iter().map(|each| each["chance"].as_f64().unwrap()).collect();
        assert!(chances.is_sorted_by(|a, b| a >= b));
        for (told, weighed) in moves.iter().zip(&lines[1..]) {
            assert_eq!((&weighed["type"], &weighed["uci"]), (&json!("engine"), &told["uci"]));
            assert!(weighed["trap"].as_f64().unwrap() >= 0.0);
        }
        assert_eq!(lines_of(&["e2e4", "e7e5"], false).await.len(), 2);
    }

    #[tokio::test]
    async fn a_finished_game_has_no_moves_to_tell() {
        let lines = lines_of(&["f2f3", "e7e5", "g2g4", "d8h4"], true).await;
        assert_eq!(lines[0]["moves"], json!([]));
        assert_eq!(lines.len(), 2);
    }

    #[tokio::test]
    async fn a_mate_is_worth_a_point_and_no_trap() {
        let minds = minds();
        let moment = Moment::default().after_uci(["f2f3", "e7e5", "g2g4"]).unwrap();
        let played = moment.parse_uci("d8h4").unwrap();
        let mut after = moment.clone();
        after.play(played);
        let choice = Choice { played, chance: 1.0, after, opinion: None };
        let asker = Asker::new("reader", Urgency::Question);
        let line = json!(weighed(&minds, &asker, &moment, &choice).await.unwrap());
        assert_eq!(
            (&line["value"], &line["trap"], &line["score"]),
            (&json!(1.0), &json!(0.0), &json!({ "mate": -1 }))
        );
    }
}
