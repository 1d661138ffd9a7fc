//! A mind that does not know how long people think, with the think time of one that does.

use std::sync::Arc;

use chess::{Brain, Evaluated, Moment, Opinion, Traits, Wants, shakmaty::Chess};
use engine::Mind;

use super::{Names, PEOPLE};

struct Paced {
    brain: Arc<dyn Brain>,
    people: Arc<dyn Brain>,
    traits: Traits,
}

/// The mind with the think time of the human network of this program, where it has none of its own.
pub(crate) fn with_think_time(mind: Mind) -> Mind {
    if mind.brain.traits().think {
        return mind;
    }
    let Some(people) = Names::parse(PEOPLE).mind().ok().filter(|people| people.brain.traits().think) else {
        return mind;
    };
    let traits = Traits { think: true, ..mind.brain.traits().clone() };
    Mind::new(mind.name, Arc::new(Paced { brain: mind.brain, people: people.brain, traits }))
}

impl Brain for Paced {
    fn traits(&self) -> &Traits {
        &self.traits
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        let mut opinions = self.brain.judge(moments, Wants { think: false, ..wants });
        if wants.think {
            let think = self.people.judge(moments, Wants { think: true, ..Wants::NOTHING });
            opinions.iter_mut().zip(think).for_each(|(opinion, think)| opinion.think = think.think);
        }
        opinions
    }

    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        self.brain.evaluate(positions, wants)
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        self.brain.comparer()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_others_borrows_think_time_and_nothing_else() {
        let file = tempfile::Builder::new().suffix(".onnx").tempfile().unwrap();
        std::fs::write(file.path(), nets::others::samples::maia3_onnx(3)).unwrap();
        let bare = Names { weights: Some(file.path().to_owned()), ..Names::default() }.mind().unwrap();
        let paced = with_think_time(bare.clone());
        let moments = [Moment::default()];
        let (bare, paced) = (bare.brain.judge(&moments, Wants::ALL), paced.brain.judge(&moments, Wants::ALL));
        assert!(bare[0].think.is_none() && paced[0].think.is_some());
        assert_eq!((&bare[0].policy, bare[0].wdl), (&paced[0].policy, paced[0].wdl));
    }

    #[test]
    fn a_mind_that_compares_still_does_with_borrowed_think_time() {
        let bare = Names::parse("comparator").mind().unwrap();
        assert!(bare.brain.comparer().is_some() && !bare.brain.traits().think);
        let paced = with_think_time(bare);
        assert!(paced.brain.comparer().is_some() && paced.brain.traits().think);
    }
}
