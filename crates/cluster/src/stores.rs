//! Lets the engine read and write by address as the rest of the program does.

use std::sync::Arc;

use datafusion::{
    error::Result,
    execution::{
        object_store::ObjectStoreRegistry,
        runtime_env::{RuntimeEnv, RuntimeEnvBuilder},
    },
};
use object_store::{ObjectStore, local::LocalFileSystem};
use url::Url;

use crate::error::external;

/// Finds stores by themselves; nothing needs to be registered.
#[derive(Debug, Default)]
struct Stores;

impl ObjectStoreRegistry for Stores {
    fn register_store(&self, _: &Url, _: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        None
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        match url.scheme() {
            "file" | "" => Ok(Arc::new(LocalFileSystem::new())),
            _ => Ok(data::storage::store(url).map_err(external)?.0),
        }
    }
}

/// What queries run in. Sorting and joining beyond the memory goes to files in `folder`, or where the system keeps such.
pub(crate) fn runtime(folder: Option<&str>) -> Result<Arc<RuntimeEnv>> {
    let mut builder = RuntimeEnvBuilder::new().with_object_store_registry(Arc::new(Stores));
    if let Some(folder) = folder {
        builder = builder.with_temp_file_path(folder);
    }
    builder.build_arc()
}
