//! A folder of networks for players of different ratings, such as Maia-1's: one mind that follows the rating of the side to move and
//! blends the two networks next to it.

use std::{fs, path::Path};

use chess::{Brain, Evaluated, Moment, Opinion, Traits, Wants, Wdl, search_name, shakmaty::Chess};
use kernels::Arithmetic;

use super::Leela;
use crate::others::{OtherError, brain, is_leela};

/// The most networks of a folder: each is in memory.
const MOST_NETWORKS: usize = 32;

#[derive(Debug)]
pub(in crate::others) struct Levels {
    /// By rating, lowest first.
    networks: Vec<(u16, Leela)>,
    traits: Traits,
}

impl Levels {
    pub(in crate::others) fn read(arithmetic: Arithmetic, folder: &Path) -> Result<Levels, OtherError> {
        let wrong = |error| OtherError::Read { path: folder.to_owned(), error };
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(wrong)? {
            let path = entry.map_err(wrong)?.path();
            if is_leela(&path) {
                let rating = rating(&path).ok_or_else(|| OtherError::NoRating(path.clone()))?;
                files.push((rating, path));
            }
        }
        files.sort();
        if files.is_empty() || files.len() > MOST_NETWORKS {
            return Err(OtherError::Folder(files.len()));
        }
        if let Some(pair) = files.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(OtherError::SameRating(pair[0].0));
        }
        let read = |(rating, path): (u16, std::path::PathBuf)| {
            let network = Leela::read(arithmetic, &path);
            Ok::<_, OtherError>((
                rating,
                network.map_err(|error| OtherError::InFile { path, error: Box::new(error) })?,
            ))
        };
        let networks = files.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(Levels { networks, traits: brain::traits(search_name::INSTANT) })
    }

    /// The lower of the two networks next to a rating, and the share of the upper one.
    fn between(&self, rating: u16) -> (usize, f32) {
        let upper = self.networks.partition_point(|&(level, _)| level <= rating);
        let Some(lower) = upper.checked_sub(1) else { return (0, 0.0) };
        match self.networks.get(upper) {
            None => (lower, 0.0),
            Some(&(above, _)) => {
                let below = self.networks[lower].0;
                (lower, f32::from(rating - below) / f32::from(above - below))
            }
        }
    }

    fn judge_alive(&self, moments: &[&Moment], wants: Wants) -> Vec<Opinion> {
        let between: Vec<(usize, f32)> =
            moments.iter().map(|moment| self.between(brain::ratings(moment)[0])).collect();
        let mut blended: Vec<Blend> = moments.iter().map(|_| Blend::default()).collect();
        for (number, (_, network)) in self.networks.iter().enumerate() {
            let share = |&(lower, upper): &(usize, f32)| match () {
                () if lower == number => 1.0 - upper,
                () if lower + 1 == number => upper,
                () => 0.0,
            };
            let shares: Vec<(usize, f32)> =
                between.iter().map(share).enumerate().filter(|&(_, share)| share > 0.0).collect();
            let asked: Vec<&Moment> = shares.iter().map(|&(at, _)| moments[at]).collect();
            for ((at, share), opinion) in shares.into_iter().zip(network.judge_alive(&asked, wants)) {
                blended[at].add(share, opinion);
            }
        }
        blended.into_iter().map(Blend::opinion).collect()
    }
}

/// Opinions by their shares.
#[derive(Default)]
struct Blend {
    policy: Option<Vec<f32>>,
    /// Win, draw, loss.
    outcome: Option<[f32; 3]>,
}

impl Blend {
    fn add(&mut self, share: f32, opinion: Opinion) {
        if let Some(policy) = opinion.policy {
            let sums = self.policy.get_or_insert_with(|| vec![0.0; policy.len()]);
            sums.iter_mut().zip(policy).for_each(|(sum, chance)| *sum += share * chance);
        }
        if let Some(wdl) = opinion.wdl {
            let sums = self.outcome.get_or_insert([0.0; 3]);
            let chances = [wdl.win(), wdl.draw(), wdl.loss()];
            sums.iter_mut().zip(chances).for_each(|(sum, chance)| *sum += share * chance);
        }
    }

    fn opinion(self) -> Opinion {
        let wdl = self.outcome.map(|[win, draw, loss]| Wdl::from_weights(win, draw, loss));
        Opinion { policy: self.policy, wdl, ..Opinion::default() }
    }
}

impl Brain for Levels {
    fn traits(&self) -> &Traits {
        &self.traits
    }

    fn judge(&self, moments: &[Moment], wants: Wants) -> Vec<Opinion> {
        brain::judge_alive(moments, wants, |alive| self.judge_alive(alive, wants))
    }

    /// As strong players see the positions.
    fn evaluate(&self, positions: &[Chess], wants: Wants) -> Evaluated {
        brain::evaluate_as_strong(self, positions, wants)
    }

    fn comparer(&self) -> Option<Box<dyn chess::Comparer>> {
        None
    }
}

/// The last number of three or four digits in a file's name: `maia-1500.pb.gz` is for 1500.
pub(in crate::others) fn rating(path: &Path) -> Option<u16> {
    let name = path.file_name()?.to_string_lossy();
    let mut numbers =
        name.split(|c: char| !c.is_ascii_digit()).filter(|digits| (3..=4).contains(&digits.len()));
    numbers.next_back()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_from_names() {
        for (name, expected) in [
            ("maia-1500.pb.gz", Some(1500)),
            ("800_final.pb", Some(800)),
            ("t1-256x10-1900.pb.gz", Some(1900)),
            ("network.pb.gz", None),
            ("t79-20250101.pb.gz", None),
        ] {
            assert_eq!(rating(Path::new(name)), expected, "{name}");
        }
    }
}
