//! One person in place of people of a rating: her own choices in positions that her games know, the network's word on her elsewhere.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use chess::{
    Brain, Evaluated, Moment, Opinion, Ratings, Traits, Wants,
    shakmaty::{CastlingMode, Chess, Move},
};
use serde::{Deserialize, Serialize};

use crate::limits::within;

/// Positions that are remembered; those that were met most often stay.
const MOST_POSITIONS: usize = 40_000;
/// Plies after which a position hardly ever comes again.
const LAST_PLY: usize = 40;

/// Whom a network was made to play like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Person {
    pub name: String,
    /// At which she plays, whatever rating is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<u16>,
    pub games: u32,
    pub habits: Habits,
}

/// What a person chose in positions that she met.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Habits {
    /// How many choices the network's word counts for.
    pub prior: f32,
    /// By the Zobrist key of the position in hexadecimal: moves in UCI notation, and how often she chose them.
    pub positions: BTreeMap<String, BTreeMap<String, u32>>,
}

impl Default for Habits {
    fn default() -> Habits {
        Habits { prior: 1.0, positions: BTreeMap::new() }
    }
}

impl Habits {
    /// Of choices: the position, the move, and the ply.
    pub fn of<'a>(choices: impl IntoIterator<Item = (&'a Moment, Move, usize)>, prior: f32) -> Habits {
        let mut positions: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
        for (moment, m, ply) in choices {
            if ply < LAST_PLY {
                *positions.entry(key(moment)).or_default().entry(name(m)).or_default() += 1;
            }
        }
        if positions.len() > MOST_POSITIONS {
            let mut counts: Vec<u32> = positions.values().map(|moves| moves.values().sum()).collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            let least = counts[MOST_POSITIONS];
            positions.retain(|_, moves| moves.values().sum::<u32>() > least);
        }
        Habits { prior, positions }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        within("habits.positions", self.positions.len(), 0..=MOST_POSITIONS)?;
        match self.prior.is_finite() && self.prior >= 0.0 {
            true => Ok(()),
            false => Err(format!("habits.prior is {}, not a number from 0 up", self.prior)),
        }
    }
}

fn key(moment: &Moment) -> String {
    format!("{:016x}", moment.past.key())
}

fn name(m: Move) -> String {
    m.to_uci(CastlingMode::Standard).to_string()
}

/// Habits as they are looked up.
#[derive(Debug)]
pub struct Choices {
    prior: f32,
    known: HashMap<u64, Vec<(String, u32)>>,
}

impl Choices {
    pub fn of(habits: &Habits) -> Choices {
        let known = habits.positions.iter().filter_map(|(key, moves)| {
            let moves = moves.iter().map(|(m, &count)| (m.clone(), count)).collect();
            Some((u64::from_str_radix(key, 16).ok()?, moves))
        });
        Choices { prior: habits.prior, known: known.collect() }
    }

    /// Makes of the network's chances what she chose, as shares of all that she chose here, with the network's word as `prior` further
    /// choices.
    pub fn blend(&self, moment: &Moment, policy: &mut [f32]) {
        let Some(choices) = self.known.get(&moment.past.key()) else { return };
        let count = |m: Move| {
            let name = name(m);
            choices.iter().find(|(known, _)| *known == name).map_or(0, |&(_, count)| count) as f32
        };
        let counts: Vec<f32> = moment.legal_moves().into_iter().map(count).collect();
        let all: f32 = counts.iter().sum();
        if all > 0.0 {
            for (chance, count) in policy.iter_mut().zip(counts) {
                *chance = (count + self.prior * *chance) / (all + self.prior);
            }
        }
    }
}

/// A mind that knows what people play, in the place of one person.
pub struct PersonBrain {
    brain: Arc<dyn Brain>,
    rating: Option<u16>,
    choices: Choices,
}

impl PersonBrain {
    pub fn new(brain: Arc<dyn Brain>, person: &Person) -> PersonBrain {
        PersonBrain { brain, rating: person.rating, choices: Choices::of(&person.habits) }
    }

    /// With the person in the place of the side to move.
    fn seated(&self, moment: &Moment) -> Moment {
        let mut moment = moment.clone();
        if let Some(rating) = self.rating {
            let players = moment.players.unwrap_or(Ratings::lichess(Some(rating), Some(rating)));
            moment.players = Some(moment.turn().fold_wb(
                Ratings { white: Some(rating), ..players },
                Ratings { black: Some(rating), ..players },
            ));
        }
        moment
    }
}

impl Brain for PersonBrain {
    fn traits(&self) -> &Traits {
        self.brain.traits()
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        let seated: Vec<Moment> = moments.iter().map(|moment| self.seated(moment)).collect();
        let mut opinions = self.brain.judge(&seated, wants);
        for (opinion, moment) in opinions.iter_mut().zip(moments) {
            if let Some(policy) = &mut opinion.policy {
                self.choices.blend(moment, policy);
            }
        }
        opinions
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        Evaluated::by_judging(self, positions, wants)
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        self.brain.comparer()
    }
}

impl std::fmt::Debug for PersonBrain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PersonBrain({} positions)", self.choices.known.len())
    }
}

#[cfg(test)]
mod tests {
    use chess::MoveScores;

    use super::*;

    /// Holds all moves for equally likely, and tells the rating that it was asked about as thinking for so many seconds.
    struct Even(Traits);

    impl Brain for Even {
        fn traits(&self) -> &Traits {
            &self.0
        }

        fn judge(&self, moments: &[Moment], _: Wants) -> Vec<Opinion> {
            let opinion = |moment: &Moment| {
                let count = moment.legal_moves().len();
                let rating = moment.players.and_then(|players| players.of(moment.turn())).unwrap_or(0);
                let wdl = chess::Wdl::from_weights(f32::from(rating), 0.0, 1000.0);
                Opinion {
                    policy: Some(vec![1.0 / count as f32; count]),
                    wdl: Some(wdl),
                    ..Opinion::default()
                }
            };
            moments.iter().map(opinion).collect()
        }

        fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
            Evaluated::by_judging(self, positions, wants)
        }

        fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
            None
        }
    }

    fn even() -> Arc<dyn Brain> {
        Arc::new(Even(Traits {
            policy: Some(MoveScores::Chances),
            value: true,
            think: false,
            line: false,
            context: true,
            bins: None,
            hand_made: false,
            most_effort: 0,
            search: chess::search_name::INSTANT,
        }))
    }

    fn chance(brain: &PersonBrain, moment: &Moment, uci: &str) -> f32 {
        let m = moment.parse_uci(uci).unwrap();
        let at = moment.legal_moves().iter().position(|&legal| legal == m).unwrap();
        brain.judge(std::slice::from_ref(moment), Wants::ALL)[0].policy.as_ref().unwrap()[at]
    }

    #[test]
    fn known_positions_are_played_as_they_were_and_unknown_ones_as_the_network_says() {
        let start = Moment::default();
        let choose = |uci: &str| (&start, start.parse_uci(uci).unwrap(), 0);
        let habits = Habits::of([choose("e2e4"), choose("e2e4"), choose("d2d4")], 1.0);
        let person = Person { name: "Ann".to_owned(), rating: Some(2000), games: 3, habits };
        let brain = PersonBrain::new(even(), &person);
        for (uci, count) in [("e2e4", 2.0), ("d2d4", 1.0), ("a2a3", 0.0)] {
            assert!((chance(&brain, &start, uci) - (count + 0.05) / 4.0).abs() < 1e-6, "{uci}");
        }
        let after = Moment::default().after_uci(["e2e4"]).unwrap();
        assert!((chance(&brain, &after, "e7e5") - 0.05).abs() < 1e-6);
        let all: f32 =
            brain.judge(std::slice::from_ref(&start), Wants::ALL)[0].policy.as_ref().unwrap().iter().sum();
        assert!((all - 1.0).abs() < 1e-5);
    }

    #[test]
    fn she_plays_at_her_own_rating_on_either_side() {
        let person = Person { rating: Some(2000), ..Person::default() };
        let brain = PersonBrain::new(even(), &person);
        for moves in [&[][..], &["e2e4"]] {
            let moment = Moment::default().after_uci(moves.iter().copied()).unwrap();
            let weak = Moment { players: Some(Ratings::lichess(Some(1000), Some(1000))), ..moment };
            let won = brain.judge(&[weak], Wants::ALL)[0].wdl.unwrap().win();
            assert!((won - 2.0 / 3.0).abs() < 1e-5, "{won}");
        }
    }

    #[test]
    fn a_person_survives_json_and_castling_is_one_move() {
        let moment =
            Moment::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", CastlingMode::Standard).unwrap();
        let castle = moment.parse_uci("e1g1").unwrap();
        let habits = Habits::of([(&moment, castle, 3), (&moment, castle, LAST_PLY)], 0.5);
        assert_eq!(habits.positions.values().next().unwrap()["e1g1"], 1, "late plies are left out");
        let person = Person { name: "Ann".to_owned(), rating: None, games: 1, habits };
        let text = serde_json::to_string(&person).unwrap();
        assert_eq!(serde_json::from_str::<Person>(&text).unwrap(), person);
        assert!(Habits { prior: f32::NAN, ..Habits::default() }.check().is_err());
    }
}
