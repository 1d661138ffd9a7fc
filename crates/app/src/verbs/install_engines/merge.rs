//! New entries beside those that a file has: of two with the same name the new one stays.

use anyhow::{Context, ensure};
use serde_json::{Map, Value};

/// Lists of objects with a `name`.
pub(super) fn lists(before: &str, entries: &str) -> anyhow::Result<String> {
    let read = |text: &str| serde_json::from_str::<Vec<Value>>(text);
    let new = read(entries).context("the new entries")?;
    let mut all = match before.trim() {
        "" => Vec::new(),
        text => read(text).context("no list of engines")?,
    };
    all.retain(|old| new.iter().all(|new| new["name"] != old["name"]));
    all.extend(new);
    Ok(format!("{:#}\n", Value::Array(all)))
}

/// Objects with a field for each engine.
pub(super) fn objects(before: &str, entries: &str) -> anyhow::Result<String> {
    let read = |text: &str| serde_json::from_str::<Map<String, Value>>(text);
    let mut all = match before.trim() {
        "" => Map::new(),
        text => read(text).context("no list of engines")?,
    };
    all.extend(read(entries).context("the new entries")?);
    ensure!(!all.is_empty(), "no engines at all");
    Ok(format!("{:#}\n", Value::Object(all)))
}

/// Sections of lines under `[Name]`.
pub(super) fn sections(before: &str, entries: &str) -> String {
    let is_head = |line: &str| line.starts_with('[');
    let new: Vec<&str> = entries.lines().filter(|line| is_head(line)).collect();
    let mut kept = String::new();
    let mut keeps = true;
    for line in before.lines() {
        if is_head(line) {
            keeps = !new.contains(&line);
        }
        if keeps {
            kept += line;
            kept.push('\n');
        }
    }
    kept + entries
}
