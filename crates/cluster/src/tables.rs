//! `games(FOLDER)` and `labels(FOLDER, NAME)`: what a dataset holds, as its cards list it.

use std::{path::Path, sync::Arc};

use arrow_schema::SchemaRef;
use data::{Dataset, DatasetError, LabelCard, games_schema, labels_schema};
use datafusion::{
    catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider},
    common::plan_err,
    datasource::{
        file_format::parquet::ParquetFormat,
        listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl},
    },
    error::Result,
    logical_expr::Expr,
    scalar::ScalarValue,
};

use crate::error::external;

/// What stands in quotes in a call.
pub(crate) fn text(argument: &Expr) -> Result<String> {
    match argument {
        Expr::Literal(ScalarValue::Utf8(Some(text)) | ScalarValue::Utf8View(Some(text)), _) => {
            Ok(text.clone())
        }
        other => plan_err!("{other} is no text in quotes"),
    }
}

/// A path that means the same to every process; addresses do.
pub(crate) fn absolute(path: &Path) -> Result<String> {
    let path = match data::storage::is_address(path) {
        true => path.to_owned(),
        false => std::path::absolute(path).map_err(external)?,
    };
    match path.to_str() {
        Some(text) => Ok(text.to_owned()),
        None => plan_err!("`{}` is no text", path.display()),
    }
}

fn listing(folder: &Path, files: &[String], schema: SchemaRef) -> Result<Arc<dyn TableProvider>> {
    let folder = absolute(folder)?;
    let urls = files.iter().map(|file| ListingTableUrl::parse(format!("{folder}/{file}")));
    let options = ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension(".parquet");
    let config = ListingTableConfig::new_with_multi_paths(urls.collect::<Result<_>>()?);
    Ok(Arc::new(ListingTable::try_new(config.with_listing_options(options).with_schema(schema))?))
}

/// The games of a dataset.
pub(crate) fn games(folder: &Path) -> Result<Arc<dyn TableProvider>> {
    let card = Dataset::open(folder).map_err(external)?.card;
    let files: Vec<String> = card.shards.into_iter().map(|shard| shard.file).collect();
    if files.is_empty() {
        return plan_err!("{} holds no games", folder.display());
    }
    listing(folder, &files, games_schema())
}

/// A set of labels of a dataset.
pub(crate) fn labels(folder: &Path, name: &str) -> Result<Arc<dyn TableProvider>> {
    let missing = || DatasetError::Missing(folder.join(format!("labels-{name}.json")));
    let card = LabelCard::read(folder, name).and_then(|card| card.ok_or_else(missing)).map_err(external)?;
    if card.parts.is_empty() {
        return plan_err!("the labels `{name}` of {} are empty", folder.display());
    }
    listing(folder, &card.parts, labels_schema())
}

#[derive(Debug)]
pub(crate) struct GamesFunction;

impl TableFunctionImpl for GamesFunction {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        match args.exprs() {
            [folder] => games(Path::new(&text(folder)?)),
            _ => plan_err!("games('FOLDER')"),
        }
    }
}

#[derive(Debug)]
pub(crate) struct LabelsFunction;

impl TableFunctionImpl for LabelsFunction {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        match args.exprs() {
            [folder, name] => labels(Path::new(&text(folder)?), &text(name)?),
            _ => plan_err!("labels('FOLDER', 'NAME')"),
        }
    }
}
