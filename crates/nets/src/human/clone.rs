//! A small part of the network learns how one person plays: what makes scores of what is known about moves. The trunk stays as it is and
//! is computed as at play, so that a thousand games take minutes on one core.

use burn::tensor::Tensor;
use chess::{Moment, Random, shakmaty::Move};

use super::{
    Architecture, Human, HumanConfig, SwiftInput,
    swift::{Packed, Seen},
};
use crate::{
    Card, TrainConfig, WeightError, WeightFile, choice, device,
    family::Family,
    layers::Builder,
    loading,
    optimiser::Optimiser,
    weights::{Weights, values},
};

/// A choice that somebody made.
#[derive(Clone, Debug)]
pub struct Lesson {
    pub moment: Moment,
    pub played: Move,
    pub ply: usize,
}

/// How a person is learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CloneSettings {
    pub rate: f64,
    pub batch: usize,
    pub seed: u64,
}

impl Default for CloneSettings {
    fn default() -> CloneSettings {
        CloneSettings { rate: 5e-4, batch: 256, seed: 1 }
    }
}

/// A human network on its way to one person.
#[derive(Debug)]
pub struct Cloning {
    config: HumanConfig,
    card: Card,
    /// The network as it was: its trunk is used.
    base: Human,
    packed: Option<Packed>,
    network: Human,
    optimiser: Optimiser,
    train: TrainConfig,
    settings: CloneSettings,
    epoch: u64,
}

impl Cloning {
    /// Begins with the human network in a weight file.
    pub fn begin(file: &WeightFile, settings: CloneSettings) -> Result<Cloning, WeightError> {
        if file.card.family != Human::NAME {
            let found = &file.card.family;
            return Err(WeightError::Family(format!("a person is made of a network `human`, not `{found}`")));
        }
        let config: HumanConfig = serde_json::from_value(file.card.network.clone())
            .map_err(|error| WeightError::Network(error.to_string()))?;
        if config.architecture != Architecture::Swift {
            let sentence = "a person is made of a network of the architecture `swift`";
            return Err(WeightError::Network(sentence.to_owned()));
        }
        let base = loading::network::<Human>(&config, &file.weights)?;
        let empty = Human::init(&config, &mut Builder::zeros(&device().autodiff()));
        let Human::Swift(swift) = &base else { unreachable!("the architecture is swift") };
        Ok(Cloning {
            packed: swift.packed(),
            network: file.weights.install(empty),
            optimiser: Optimiser::new(file.weights.clone()),
            train: TrainConfig { weight_decay: 0.0, mean: 0.97, ..TrainConfig::default() },
            card: file.card.clone(),
            base,
            config,
            settings,
            epoch: 0,
        })
    }

    /// Goes once through the lessons in an order of chance, and returns the mean loss. `tell` hears of the share that is done.
    pub fn epoch(&mut self, lessons: &[&Lesson], tell: &mut dyn FnMut(f32)) -> f64 {
        self.epoch += 1;
        let mut order: Vec<&Lesson> = lessons.to_vec();
        let mut random = Random::keyed(self.settings.seed, self.epoch);
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at + 1));
        }
        let mut sum = 0.0;
        for (number, some) in order.chunks(self.settings.batch).enumerate() {
            sum += self.step(some) * some.len() as f64;
            tell(((number + 1) * self.settings.batch) as f32 / order.len() as f32);
        }
        sum / order.len().max(1) as f64
    }

    fn step(&mut self, lessons: &[&Lesson]) -> f64 {
        let moments: Vec<&Moment> = lessons.iter().map(|lesson| &lesson.moment).collect();
        let legal: Vec<_> = moments.iter().map(|moment| moment.legal_moves()).collect();
        let place = |(lesson, moves): (&&Lesson, &chess::shakmaty::MoveList)| {
            moves.iter().position(|&m| m == lesson.played).map_or(choice::UNKNOWN, |at| at as i32)
        };
        let played: Vec<i32> = lessons.iter().zip(&legal).map(place).collect();
        let counts: Vec<usize> = legal.iter().map(|moves| moves.len()).collect();
        let input = SwiftInput::new(&moments);
        let (Human::Swift(base), Human::Swift(network)) = (&self.base, &self.network) else {
            unreachable!("the architecture is swift")
        };
        let Seen { squares, context } = base.look(&input, self.packed.as_ref());
        let device = device().autodiff();
        let squares = Tensor::<3>::from_data(squares.into_data(), &device);
        let around = network.around(Tensor::<2>::from_data(context.into_data(), &device));
        let said = network.head(&input.moves, squares, around, None);
        let loss = choice::loss(said.moves, &counts, &played);
        let gradients = Weights::gradients(&self.network, &loss.backward());
        self.optimiser.step(&gradients, self.settings.rate, &self.train);
        self.network = self.optimiser.weights.install(self.network.clone());
        f64::from(values(loss)[0])
    }

    /// The network as it is now.
    pub fn now(&self) -> WeightFile {
        let steps = self.optimiser.step;
        let card = Card {
            step: steps,
            samples: steps * self.settings.batch as u64,
            figures: Default::default(),
            curve: Vec::new(),
            ..self.card.clone()
        };
        WeightFile { card, weights: self.optimiser.mean.clone() }
    }

    pub fn config(&self) -> &HumanConfig {
        &self.config
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use burn::tensor::Device;
    use chess::Wants;

    use super::*;
    use crate::{DataCard, card::VERSION};

    fn file(config: &HumanConfig) -> WeightFile {
        let network = Human::init(config, &mut Builder::new(5, &Device::flex()));
        let card = Card {
            version: VERSION,
            family: Human::NAME.to_owned(),
            network: serde_json::to_value(config).unwrap(),
            training: serde_json::Value::Null,
            encoding: "swift".to_owned(),
            parameters: 0,
            step: 0,
            samples: 0,
            hours: 0.0,
            data: DataCard::default(),
            figures: BTreeMap::new(),
            curve: Vec::new(),
        };
        WeightFile { card, weights: Weights::of(&network) }
    }

    fn config(architecture: Architecture) -> HumanConfig {
        let mut all = HumanConfig::all_tiny().into_iter();
        all.find(|config| config.architecture == architecture).expect("one of each")
    }

    /// Somebody who always moves a knight.
    fn lessons() -> Vec<Lesson> {
        let lines = ["", "e2e4", "d2d4 d7d5", "e2e4 e7e5 g1f3", "c2c4 e7e6 b1c3 g8f6"];
        let lesson = |line: &str| {
            let moment = Moment::default().after_uci(line.split_whitespace()).unwrap();
            let knight = |m: &&Move| m.role() == chess::shakmaty::Role::Knight;
            let played = *moment.legal_moves().iter().find(knight).unwrap();
            Lesson { moment, played, ply: 0 }
        };
        lines.map(lesson).into()
    }

    #[test]
    fn a_person_is_learned_by_the_head_alone() {
        let before = file(&config(Architecture::Swift));
        let settings = CloneSettings { rate: 3e-3, batch: 2, seed: 1 };
        let mut cloning = Cloning::begin(&before, settings).unwrap();
        let lessons = lessons();
        let lessons: Vec<&Lesson> = lessons.iter().collect();
        let losses: Vec<f64> = (0..60).map(|_| cloning.epoch(&lessons, &mut |_| {})).collect();
        assert!(losses[59] < 0.3 * losses[0], "{losses:?}");
        let after = cloning.now();
        for (name, array) in &before.weights.0 {
            let part = name.trim_start_matches("Swift.").split('.').next().unwrap();
            let learns = ["around", "moves", "hidden", "score", "from", "to"].contains(&part);
            assert_eq!(after.weights.0[name] != *array, learns, "{name}");
        }
        let brain = loading::network::<Human>(cloning.config(), &after.weights).unwrap();
        let brain = brain.brain(cloning.config().clone());
        let policy = brain.judge(&[Moment::default()], Wants::POLICY)[0].policy.clone().unwrap();
        let at = |m: &Move| Moment::default().legal_moves().iter().position(|legal| legal == m).unwrap();
        assert!(policy[at(&lessons[0].played)] > 0.5, "{policy:?}");
    }

    #[test]
    fn the_card_of_a_file_is_read_from_its_head_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.safetensors");
        let file = file(&config(Architecture::Swift));
        file.write(&path).unwrap();
        assert_eq!(WeightFile::card_of(&path).unwrap(), file.card);
        std::fs::write(&path, b"nonsense").unwrap();
        assert!(WeightFile::card_of(&path).is_err());
    }

    #[test]
    fn only_networks_that_can_learn_a_person_are_taken() {
        let hc3 = file(&config(Architecture::Hc3));
        let error = Cloning::begin(&hc3, CloneSettings::default()).unwrap_err().to_string();
        assert!(error.contains("`swift`"), "{error}");
        let mut other = file(&config(Architecture::Swift));
        other.card.family = "ranker".to_owned();
        let error = Cloning::begin(&other, CloneSettings::default()).unwrap_err().to_string();
        assert!(error.contains("not `ranker`"), "{error}");
    }
}
