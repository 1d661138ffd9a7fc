//! Labels a dataset: draws positions, asks a pool of engines, and keeps what it learns every few seconds.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use chess::shakmaty::{EnPassantMode, Position, fen::Fen};
use crossbeam_channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, bounded, unbounded};
use thiserror::Error;
use uci::Failure;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    EngineError,
    process::{Engine, Manner},
};
use crate::{
    Dataset, DatasetError, Fingerprint, Label, LabelCard, Limit, Part, Policy, Recipe, Sample, Sampler,
    SamplerError, SamplerOptions, Split,
    error::At,
    label::{
        part_name,
        table::{self, Row},
    },
    seen::Seen,
    storage::{self, Claim, Draft},
};

/// Rows of a part at most, and how long they may wait for it.
const PART_ROWS: usize = 4_096;
const PART_TIME: Duration = Duration::from_secs(10);
/// How often a waiting thread looks for answers, and whether the work is to end.
const GLANCE: Duration = Duration::from_millis(20);
/// Times that a position may bring an engine down.
const ATTEMPTS: u32 = 3;
/// Who speaks where the game's own annotations do.
const FROM_PGN: &str = "pgn";

#[derive(Clone, Debug)]
pub struct LabelOptions {
    /// The set's name: several may lie beside each other.
    pub name: String,
    /// Command of a UCI engine; `None`: only evaluations that came with the games.
    pub engine: Option<String>,
    pub limit: Limit,
    pub multipv: u32,
    /// Let engines keep their memory from position to position.
    pub keep_memory: bool,
    /// Use `[%eval]` comments where there are any, and ask the engine for the rest.
    pub evals: bool,
    pub policy: Policy,
    pub split: Option<Split>,
    pub seed: u64,
    /// Positions to label; 0: all that the policy picks.
    pub sample: u64,
    /// Label only these of them: machines that each take a part need not know of each other.
    pub part: Option<Part>,
    /// Engine processes.
    pub engines: usize,
    /// Longest wait for one answer.
    pub patience: Duration,
    pub resume: bool,
    /// Set from another thread, it ends the work in good order: what was answered is kept, and `resume` goes on from there.
    pub stop: Arc<AtomicBool>,
}

impl LabelOptions {
    /// Under which the labels of this run are kept.
    fn file_name(&self) -> String {
        self.part.map_or_else(|| self.name.clone(), |part| part_name(&self.name, part))
    }

    fn manner(&self) -> Manner {
        let LabelOptions { limit, multipv, keep_memory, patience, .. } = *self;
        Manner { limit, multipv, keeps_memory: keep_memory, patience, stop: Arc::clone(&self.stop) }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct LabelProgress {
    /// Rows of this run, those of earlier runs, and rows to come where the number is known.
    pub rows: u64,
    pub earlier: u64,
    pub total: Option<u64>,
    pub analysed: u64,
    pub gave_up: u64,
    pub restarts: u64,
}

#[derive(Debug, Error)]
pub enum LabelError {
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error(transparent)]
    Sampler(#[from] SamplerError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("labels `{0}` exist already; --resume goes on with them, --name begins another set")]
    Exists(String),
    #[error("labels `{0}` were made in another way; resume with the same engine, limit and policy")]
    OtherRecipe(String),
    #[error("another process labels `{0}`")]
    Busy(String),
    #[error("interrupted; --resume goes on from here")]
    Interrupted,
}

/// Makes or finishes the set of labels that `options` describe.
pub fn label(
    folder: &Path,
    options: &LabelOptions,
    progress: impl FnMut(LabelProgress),
) -> Result<(LabelCard, LabelProgress), LabelError> {
    let dataset = Dataset::open(folder)?;
    let name = options.file_name();
    let lock_path = folder.join(format!(".labels-{name}.lock"));
    let claim = Claim::take(&lock_path).at(&lock_path)?.ok_or_else(|| LabelError::Busy(name.clone()))?;

    // A wrong command is found before anything is written; the first engine then joins the pool by being started again.
    let engine = match &options.engine {
        Some(command) => Engine::start(command, options.manner())
            .map_err(|error| started(error, options))?
            .name()
            .to_owned(),
        None => "none".to_owned(),
    };
    let recipe = Recipe {
        engine,
        limit: options.limit,
        multipv: options.multipv,
        keep_memory: options.keep_memory,
        evals: options.evals,
        policy: options.policy.clone(),
        split: options.split,
        seed: options.seed,
        sample: options.sample,
        part: options.part,
    };
    let card = match LabelCard::read_one(folder, &name)? {
        Some(_) if !options.resume => return Err(LabelError::Exists(name)),
        Some(card) if card.recipe != recipe => return Err(LabelError::OtherRecipe(name)),
        Some(card) => card,
        None => LabelCard {
            version: LabelCard::VERSION,
            recipe,
            rows: 0,
            analysed: 0,
            from_evals: 0,
            fingerprint: Fingerprint::default(),
            parts: Vec::new(),
            finished: false,
        },
    };
    let mut run = Run::open(folder, claim, options, card, progress)?;
    // However it ends, the threads end with it, and each of them ends its engine.
    thread::scope(|scope| {
        let (questions, answers) = start_pool(scope, options);
        let drawn = run.draw(&dataset, questions, &answers);
        // No engine need finish what nobody waits for.
        drawn.inspect_err(|_| options.stop.store(true, Ordering::Relaxed))
    })?;
    run.commit(true)?;
    Ok((run.card, run.progress))
}

/// A start that was broken off is nobody's fault.
fn started(error: EngineError, options: &LabelOptions) -> LabelError {
    match options.stop.load(Ordering::Relaxed) {
        true => LabelError::Interrupted,
        false => error.into(),
    }
}

/// A position on its way to an engine: its key and FEN.
type Question = (u64, String);

struct Answer {
    key: u64,
    label: Option<Label>,
    restarts: u64,
}

/// Starts the engines. Without an engine the questions go nowhere, and none is asked.
fn start_pool<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    options: &'scope LabelOptions,
) -> (Sender<Question>, Receiver<Answer>) {
    let (question_sender, questions) = bounded::<Question>(2 * options.engines);
    let (answer_sender, answers) = unbounded();
    for _ in 0..options.engines.max(1) {
        let (questions, answer_sender) = (questions.clone(), answer_sender.clone());
        scope.spawn(move || {
            let Some(command) = &options.engine else { return };
            let mut engine = None;
            for (key, fen) in questions {
                let (mut label, mut failures) = (None, 0);
                while label.is_none() && failures < ATTEMPTS && !options.stop.load(Ordering::Relaxed) {
                    let answer = match &mut engine {
                        Some(engine) => Engine::analyse(engine, &fen),
                        None => Engine::start(command, options.manner())
                            .and_then(|fresh| engine.insert(fresh).analyse(&fen)),
                    };
                    match answer {
                        Ok(found) => label = Some(found),
                        // A position is not to blame for the end of the work.
                        Err(EngineError::Failed(Failure::Aborted)) => return,
                        Err(_) => {
                            failures += 1;
                            engine = None;
                        }
                    }
                }
                if answer_sender.send(Answer { key, label, restarts: failures.into() }).is_err() {
                    return;
                }
            }
        });
    }
    (question_sender, answers)
}

struct Run<'a, P> {
    folder: &'a Path,
    claim: Claim,
    name: String,
    card: LabelCard,
    evals: bool,
    report: P,
    progress: LabelProgress,
    /// (game, ply) that have a row.
    done: Seen,
    /// Every position that was analysed: positions that occur again cost nothing.
    known: HashMap<u64, Arc<Label>>,
    /// Rows that wait for the answer to their position.
    waiting: HashMap<u64, Vec<(String, u16)>>,
    rows: Vec<Row>,
    since: Instant,
    stop: Arc<AtomicBool>,
}

impl<'a, P: FnMut(LabelProgress)> Run<'a, P> {
    fn open(
        folder: &'a Path,
        claim: Claim,
        options: &'a LabelOptions,
        card: LabelCard,
        report: P,
    ) -> Result<Self, LabelError> {
        let mut done = Seen::new(&storage::scratch(folder));
        let mut known = HashMap::new();
        for part in &card.parts {
            let path = folder.join(part);
            let mut failed = None;
            table::read(&path, |row| {
                failed = failed.take().or(done.insert(place(&row.game_id, row.ply)).err());
                if row.engine != FROM_PGN {
                    known.entry(row.key).or_insert_with(|| Arc::new(row.label));
                }
            })
            .at(&path)?;
            if let Some(error) = failed {
                return Err(DatasetError::Io { path, error }.into());
            }
        }
        let total = (options.sample > 0).then_some(options.sample);
        let progress = LabelProgress { earlier: card.rows, total, ..LabelProgress::default() };
        let (name, evals) = (options.file_name(), options.evals || options.engine.is_none());
        let (waiting, rows, since) = (HashMap::new(), Vec::new(), Instant::now());
        let stop = Arc::clone(&options.stop);
        Ok(Run {
            folder,
            claim,
            name,
            card,
            evals,
            report,
            progress,
            done,
            known,
            waiting,
            rows,
            since,
            stop,
        })
    }

    /// Goes through the positions in the sampler's order, which is the same in every run.
    fn draw(
        &mut self,
        dataset: &Dataset,
        questions: Sender<Question>,
        answers: &Receiver<Answer>,
    ) -> Result<(), LabelError> {
        let recipe = self.card.recipe.clone();
        let options = SamplerOptions {
            epochs: 1,
            batch: 64,
            threads: 1,
            ..SamplerOptions::new(recipe.policy, recipe.split, recipe.seed)
        };
        let limit = if recipe.sample == 0 { usize::MAX } else { recipe.sample as usize };
        let mut left = limit;
        for batch in Sampler::new(dataset, &options) {
            for sample in batch?.into_iter().take(left) {
                left -= 1;
                self.heed_stop()?;
                self.meet(&sample, recipe.engine != "none", &questions, answers)?;
            }
            if left == 0 {
                break;
            }
        }
        drop(questions);
        while !self.waiting.is_empty() {
            self.heed_stop()?;
            match answers.recv_timeout(GLANCE) {
                Ok(answer) => self.take(answer)?,
                Err(RecvTimeoutError::Timeout) => {}
                // The last engine may have ended because all is to end.
                Err(RecvTimeoutError::Disconnected) => {
                    self.heed_stop()?;
                    return Err(EngineError::Ended.into());
                }
            }
        }
        Ok(())
    }

    fn heed_stop(&mut self) -> Result<(), LabelError> {
        if !self.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.commit(false)?;
        Err(LabelError::Interrupted)
    }

    /// Whether a position is for this run: equal positions go to the same part, and so are analysed once.
    fn is_ours(&self, key: u64) -> bool {
        self.card.recipe.part.is_none_or(|part| part.has_key(key))
    }

    fn meet(
        &mut self,
        sample: &Sample,
        ask: bool,
        questions: &Sender<Question>,
        answers: &Receiver<Answer>,
    ) -> Result<(), LabelError> {
        let (id, ply, key) = (&sample.game.id, sample.ply, sample.moment.past.key());
        if !self.is_ours(key) || !self.done.insert(place(id, ply)).at(self.folder)? {
            return Ok(());
        }
        if let Some(score) = sample.game.eval_at(ply.into()).filter(|_| self.evals) {
            let label = Label { score, depth: 0, line: Vec::new(), best: Vec::new() };
            self.card.from_evals += 1;
            return self.push(Row { game_id: id.clone(), ply, key, engine: FROM_PGN.to_owned(), label });
        }
        if !ask {
            return Ok(());
        }
        if let Some(label) = self.known.get(&key) {
            let label = Label::clone(label);
            return self.push(self.row(id.clone(), ply, key, label));
        }
        let waiting = self.waiting.entry(key).or_default();
        waiting.push((id.clone(), ply));
        if waiting.len() > 1 {
            return Ok(());
        }
        let mut question = (key, bare_fen(sample));
        loop {
            // Answers are taken while the queue is full, so that they are written as they come.
            match questions.send_timeout(question, GLANCE) {
                Ok(()) => break,
                Err(SendTimeoutError::Timeout(back)) => question = back,
                Err(SendTimeoutError::Disconnected(_)) => {
                    self.heed_stop()?;
                    return Err(EngineError::Ended.into());
                }
            }
            self.heed_stop()?;
            while let Ok(answer) = answers.try_recv() {
                self.take(answer)?;
            }
        }
        while let Ok(answer) = answers.try_recv() {
            self.take(answer)?;
        }
        Ok(())
    }

    fn row(&self, game_id: String, ply: u16, key: u64, label: Label) -> Row {
        Row { game_id, ply, key, engine: self.card.recipe.engine.clone(), label }
    }

    fn take(&mut self, answer: Answer) -> Result<(), LabelError> {
        self.progress.restarts += answer.restarts;
        let places = self.waiting.remove(&answer.key).unwrap_or_default();
        let Some(label) = answer.label else {
            self.progress.gave_up += 1;
            return Ok(());
        };
        self.progress.analysed += 1;
        self.card.analysed += 1;
        self.known.insert(answer.key, Arc::new(label.clone()));
        for (game_id, ply) in places {
            self.push(self.row(game_id, ply, answer.key, label.clone()))?;
        }
        Ok(())
    }

    fn push(&mut self, row: Row) -> Result<(), LabelError> {
        self.card.rows += 1;
        self.card.fingerprint.add(row.fingerprint());
        self.rows.push(row);
        self.progress.rows += 1;
        (self.report)(self.progress);
        if self.rows.len() >= PART_ROWS || self.since.elapsed() >= PART_TIME {
            self.commit(false)?;
        }
        Ok(())
    }

    /// Writes the rows as a part, then the card that lists it.
    fn commit(&mut self, finished: bool) -> Result<(), LabelError> {
        if !self.rows.is_empty() {
            let name = format!("labels-{}-{:05}.parquet", self.name, self.card.parts.len());
            let path: PathBuf = self.folder.join(&name);
            let mut draft = Draft::create(&path).at(&path)?;
            table::write(&mut draft, &self.rows).at(&path)?;
            self.claim.check().at(&path)?;
            draft.publish().at(&path)?;
            self.card.parts.push(name);
            self.rows.clear();
        }
        self.since = Instant::now();
        self.card.finished = finished;
        let path = self.folder.join(LabelCard::file(&self.name));
        let text = serde_json::to_vec_pretty(&self.card).expect("a card is plain data");
        self.claim.check().at(&path)?;
        storage::write(&path, &text).at(path)?;
        Ok(())
    }
}

fn place(game_id: &str, ply: u16) -> u64 {
    (xxh3_64(game_id.as_bytes()) ^ u64::from(ply).wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1)
}

/// The position without its counters: equal positions get equal answers, whichever is met first.
fn bare_fen(sample: &Sample) -> String {
    let mut setup = sample.moment.position.to_setup(EnPassantMode::Legal);
    setup.halfmoves = 0;
    setup.fullmoves = std::num::NonZeroU32::MIN;
    Fen::try_from(setup).map_or_else(|_| sample.moment.fen(), |fen| fen.to_string())
}
