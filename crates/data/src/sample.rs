//! One training example: a moment of a stored game and what became of it.

use std::sync::Arc;

use chess::{
    Evaluation, Moment, Replay,
    shakmaty::{Chess, Move},
};

use crate::{Game, Label, Opinions, SoftTargets};

/// The moment before a move, the move, and what is known about both.
#[derive(Clone, Debug)]
pub struct Sample {
    pub moment: Moment,
    pub played: Move,
    /// Time spent on the move, in centiseconds.
    pub spent_cs: Option<u32>,
    /// The engine's word on the position, where there is one.
    pub label: Option<Label>,
    /// What a teacher says about the moment, where it was asked.
    pub teacher: Option<SoftTargets>,
    /// Moves played before; the game holds the result and the players.
    pub ply: u16,
    pub game: Arc<Game>,
}

impl Sample {
    /// Replays `game` up to `ply`. The game must be sound (see [`Game::is_sound`]).
    pub(crate) fn new(
        game: &Arc<Game>,
        ply: u16,
        label: Option<Label>,
        replay: &mut Replay,
    ) -> Option<Sample> {
        let at = usize::from(ply);
        let mut moment = replay.moment(game.start(), &game.moves[..at])?;
        let played = game.moves.get(at)?.fit(&moment.position)?;
        moment.clocks = game.clocks_at(at, moment.turn());
        moment.players = game.ratings();
        let (spent_cs, game) = (game.spent_cs(at), Arc::clone(game));
        Some(Sample { moment, played, spent_cs, label, teacher: None, ply, game })
    }

    /// With what a teacher says. If it was asked for other players, they are the ones of the moment, without clocks: nobody knows how
    /// they would have spent their time.
    pub(crate) fn taught(mut self, opinions: &Opinions) -> Sample {
        let Some(opinion) = opinions.get(&self.game.id, self.ply) else { return self };
        if let Some(players) = opinion.ratings() {
            (self.moment.players, self.moment.clocks, self.spent_cs) = (Some(players), None, None);
        }
        self.teacher = Some(opinions.soft_targets(opinion));
        self
    }

    /// What the position is worth to White: the engine's label before the game's own annotation.
    pub fn evaluation(&self) -> Option<Evaluation> {
        self.label.as_ref().map(|label| label.score).or_else(|| self.game.eval_at(self.ply.into()))
    }

    /// The last `len` positions, oldest first, the present one included; fewer near the start of a game.
    pub fn window(&self, len: usize) -> Vec<&Chess> {
        let mut window: Vec<_> = self.moment.past.positions().take(len.saturating_sub(1)).collect();
        window.reverse();
        window.push(&self.moment.position);
        window
    }
}
