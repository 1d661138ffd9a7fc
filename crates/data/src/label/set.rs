//! A set of labels that several machines made in parts: `labels-NAME.part-003-of-040.json` and so on. Merging is a listing: once all
//! parts are there and finished, they are the set.

use std::path::Path;

use super::LabelCard;
use crate::{DatasetError, Part, Recipe, error::At, storage};

/// The name under which a part of a set is kept.
pub(crate) fn part_name(name: &str, part: Part) -> String {
    format!("{name}.part-{:03}-of-{:03}", part.number(), part.of())
}

/// The parts of the set `name` as one card; `None` if there is none of them.
pub(super) fn read(folder: &Path, name: &str) -> Result<Option<LabelCard>, DatasetError> {
    let Some(of) = parts_of(folder, name)? else { return Ok(None) };
    let mut whole: Option<LabelCard> = None;
    for part in (1..=of).filter_map(|number| Part::new(number, of)) {
        let file = part_name(name, part);
        let card = LabelCard::read_one(folder, &file)?;
        let card = card.filter(|card| card.finished);
        let card = card.ok_or_else(|| DatasetError::UnfinishedPart { name: name.to_owned(), part })?;
        match &mut whole {
            None => whole = Some(without_part(card)),
            Some(whole) => add(whole, without_part(card), name)?,
        }
    }
    Ok(whole)
}

/// How many parts the set has, by the names of its files.
fn parts_of(folder: &Path, name: &str) -> Result<Option<u32>, DatasetError> {
    let (before, after) = (format!("labels-{name}.part-"), ".json");
    let mut found = None;
    for file in storage::names(folder).at(folder)? {
        let numbers = file.strip_prefix(&before).and_then(|file| file.strip_suffix(after));
        let Some(of) = numbers.and_then(|numbers| numbers.split_once("-of-")?.1.parse().ok()) else {
            continue;
        };
        if found.is_some_and(|found| found != of) {
            return Err(DatasetError::MixedParts(name.to_owned()));
        }
        found = Some(of);
    }
    Ok(found)
}

fn without_part(card: LabelCard) -> LabelCard {
    LabelCard { recipe: Recipe { part: None, ..card.recipe }, ..card }
}

fn add(whole: &mut LabelCard, part: LabelCard, name: &str) -> Result<(), DatasetError> {
    if part.recipe != whole.recipe {
        return Err(DatasetError::MixedParts(name.to_owned()));
    }
    whole.rows += part.rows;
    whole.analysed += part.analysed;
    whole.from_evals += part.from_evals;
    whole.fingerprint.add_all(part.fingerprint);
    whole.parts.extend(part.parts);
    Ok(())
}
