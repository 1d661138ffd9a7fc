use std::{fs, path::PathBuf};

use chess::{Moment, Opinion, Ratings, Wants};
use kernels::Arithmetic;
use proptest::prelude::*;

use super::{load, load_at, samples, testing::pytorch_file};

/// A folder with one small network of each kind.
struct Networks(tempfile::TempDir);

impl Networks {
    fn new() -> Networks {
        let networks = Networks(tempfile::tempdir().unwrap());
        networks.write("residual.pb", &samples::leela_residual(1));
        networks.write("classical.pb", &samples::leela_classical(2));
        networks.write("attention.pb", &samples::leela_attention(3));
        networks.write("maia3.onnx", &samples::maia3_onnx(4));
        networks.write("maia3.pt", &pytorch_file(&samples::maia3(4)));
        networks.write("levels/maia-1100.pb", &samples::leela_residual(1));
        networks.write("levels/maia-1900.pb", &samples::leela_residual(5));
        networks
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

const NAMES: [&str; 6] = ["residual.pb", "classical.pb", "attention.pb", "maia3.onnx", "maia3.pt", "levels"];

fn moments() -> Vec<Moment> {
    let mut moment = Moment::default();
    let mut moments = vec![moment.clone()];
    for text in ["e2e4", "c7c5", "g1f3", "d7d6", "d2d4", "c5d4", "f3d4", "g8f6", "b1c3", "a7a6"] {
        moment.play(moment.parse_uci(text).unwrap());
        moments.push(moment.clone());
    }
    moments
}

fn rated(own: u16) -> Moment {
    Moment { players: Some(Ratings::lichess(Some(own), Some(own))), ..Moment::default() }
}

fn distance(a: &Opinion, b: &Opinion) -> f32 {
    let [a, b] = [a, b].map(|opinion| opinion.policy.as_ref().unwrap());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn every_kind_answers_the_same_alone_and_among_others_in_every_arithmetic() {
    let networks = Networks::new();
    let moments = moments();
    for name in NAMES {
        let mut first: Option<Vec<Opinion>> = None;
        for arithmetic in Arithmetic::all() {
            let (_, brain) = load_at(&networks.path(name), arithmetic).unwrap();
            let together = brain.judge(&moments, Wants::ALL);
            for (moment, opinion) in moments.iter().zip(&together) {
                let policy = opinion.policy.as_ref().unwrap();
                assert_eq!(policy.len(), moment.legal_moves().len());
                assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{name} {arithmetic}");
                let alone = brain.judge(std::slice::from_ref(moment), Wants::ALL).pop().unwrap();
                assert!(distance(&alone, opinion) < 1e-4, "{name} {arithmetic}");
            }
            let first = first.get_or_insert_with(|| together.clone());
            let most = first.iter().zip(&together).map(|(a, b)| distance(a, b)).fold(0.0, f32::max);
            assert!(most < 0.05, "{name} {arithmetic}: {most}");
        }
    }
}

#[test]
fn a_checkpoint_of_pytorch_is_the_network_of_the_onnx_file() {
    let networks = Networks::new();
    let [onnx, pytorch] = ["maia3.onnx", "maia3.pt"]
        .map(|name| load(&networks.path(name)).unwrap().1.judge(&moments(), Wants::POLICY_AND_VALUE));
    for (onnx, pytorch) in onnx.iter().zip(&pytorch) {
        assert_eq!((&onnx.policy, onnx.wdl), (&pytorch.policy, pytorch.wdl));
    }
}

#[test]
fn a_folder_follows_the_rating_and_blends_its_neighbours() {
    let networks = Networks::new();
    let (_, levels) = load(&networks.path("levels")).unwrap();
    let one = |name: &str| {
        let (_, brain) = load(&networks.path(name)).unwrap();
        brain.judge(&[rated(1500)], Wants::POLICY).pop().unwrap()
    };
    let [low, high] = [one("levels/maia-1100.pb"), one("levels/maia-1900.pb")];
    for (rating, share) in [(600, 0.0), (1100, 0.0), (1300, 0.25), (1500, 0.5), (1900, 1.0), (2500, 1.0)] {
        let found = levels.judge(&[rated(rating)], Wants::POLICY).pop().unwrap();
        let pairs = low.policy.iter().flatten().zip(high.policy.iter().flatten());
        let policy = pairs.map(|(low, high)| (1.0 - share) * low + share * high).collect();
        let expected = Opinion { policy: Some(policy), ..Opinion::default() };
        assert!(distance(&found, &expected) < 1e-5, "{rating}");
    }
}

#[test]
fn only_what_is_wanted_is_there_and_a_game_that_is_over_has_no_moves() {
    let networks = Networks::new();
    let mated = Moment::default().after_uci(["f2f3", "e7e5", "g2g4", "d8h4"]).unwrap();
    for name in NAMES {
        let (_, brain) = load(&networks.path(name)).unwrap();
        let moments = [Moment::default(), mated.clone()];
        let both = brain.judge(&moments, Wants::POLICY);
        assert!(both[0].wdl.is_none() && both[1].policy == Some(Vec::new()), "{name}");
        let value = brain.judge(&moments, Wants::VALUE);
        assert!(value[0].policy.is_none() && value[0].wdl.is_some(), "{name}");
    }
}

#[test]
fn files_that_are_not_understood_are_refused_in_a_sentence() {
    let networks = Networks::new();
    networks.write("empty.onnx", b"");
    networks.write("text.pb", b"no network at all");
    networks.write("text.pt", b"no network at all");
    networks.write("half.pb", &samples::leela_residual(1)[..5000]);
    networks.write("unrated/network.pb", &samples::leela_residual(1));
    networks.write("twice/maia-1500.pb", &samples::leela_residual(1));
    networks.write("twice/other-1500.pb", &samples::leela_residual(1));
    networks.write("damaged/maia-1500.pb", b"\x0d\xc0\x01\x00\x00");
    let mut other = samples::maia3(1);
    other.0.remove("token_projection.weight");
    networks.write("other.pt", &pytorch_file(&other));
    let mut short = samples::maia3(1);
    short.0.remove("last_ln.bias");
    networks.write("short.pt", &pytorch_file(&short));
    for (name, words) in [
        ("missing.onnx", "cannot read `"),
        ("empty.onnx", "it is not a whole ONNX file"),
        ("text.pb", "it is not a whole Leela file"),
        ("text.pt", "it is not a whole PyTorch file"),
        ("half.pb", "it is not a whole Leela file"),
        ("unrated", "the name of `"),
        ("twice", "two of its networks are for players of 1500"),
        ("damaged", "`"),
        ("other.pt", "it is no network that is known here: a PyTorch checkpoint without Maia-3's array"),
        ("short.pt", "it has no array `last_ln.bias`"),
    ] {
        let error = load(&networks.path(name)).map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with(words), "{name}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_damage_to_a_file_is_more_than_an_error(at in 0usize..20_000, byte: u8, cut in 0usize..20_000) {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = samples::leela_residual(7);
        let at = at % bytes.len();
        bytes[at] = byte;
        bytes.truncate(bytes.len() - cut % bytes.len() / 4);
        let path = folder.path().join("x.pb");
        fs::write(&path, bytes).unwrap();
        if let Ok((_, brain)) = load(&path) {
            brain.judge(&[Moment::default()], Wants::ALL);
        }
    }
}
