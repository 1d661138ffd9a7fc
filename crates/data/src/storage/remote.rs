//! Objects in stores, read and written by threads that wait. Each request is tried again for three minutes, with pauses that grow, when the
//! connection breaks or the store answers that it is busy; a body that breaks off goes on where it was.

mod pages;
mod stream;
mod upload;

use std::{
    collections::HashMap,
    io,
    path::Path as FilePath,
    sync::{Arc, LazyLock, Mutex, OnceLock},
};

use object_store::{ObjectStore, ObjectStoreExt, ObjectStoreScheme, path::Path};
use tokio::runtime::Runtime;
use url::{Position, Url};

pub(crate) use self::{
    pages::{PageReader, Pages},
    upload::Upload,
};
use super::StoreError;

/// An object, or what its name begins with.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    store: Arc<dyn ObjectStore>,
    path: Path,
    /// Whether the store takes uploads in parts, which web servers do not.
    in_parts: bool,
}

static STORES: LazyLock<Mutex<HashMap<String, Arc<dyn ObjectStore>>>> = LazyLock::new(Mutex::default);

/// The store of an address and the place in it. Keys and endpoints come from the environment (`AWS_*`, `GOOGLE_*`, `AZURE_*`).
pub fn store(url: &Url) -> io::Result<(Arc<dyn ObjectStore>, Path)> {
    let known = matches!(url.scheme(), "s3" | "s3a" | "gs" | "az" | "abfs" | "abfss" | "http" | "https");
    if !known {
        let told = format!("`{}` is none of s3, gs, az and https", url.scheme());
        return Err(io::Error::new(io::ErrorKind::Unsupported, StoreError(told)));
    }
    let (_, path) = ObjectStoreScheme::parse(url).map_err(|error| refused(error.into()))?;
    let server = url[..Position::BeforePath].to_owned();
    let mut stores = STORES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(store) = stores.get(&server) {
        return Ok((Arc::clone(store), path));
    }
    let ours = |name: &str| ["AWS_", "GOOGLE_", "AZURE_"].iter().any(|start| name.starts_with(start));
    let mut settings: Vec<(String, String)> = std::env::vars().filter(|(name, _)| ours(name)).collect();
    if url.scheme() == "http" {
        settings.push(("allow_http".to_owned(), "true".to_owned()));
    }
    let (store, path) = object_store::parse_url_opts(url, settings).map_err(refused)?;
    let store: Arc<dyn ObjectStore> = Arc::from(store);
    stores.insert(server, Arc::clone(&store));
    Ok((store, path))
}

/// The threads that carry the requests.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(2).thread_name("storage").enable_all().build().expect("threads can be started")
    })
}

/// Waits for a request. A thread that carries requests of others cannot wait itself: another does.
fn wait<T: Send>(work: impl Future<Output = object_store::Result<T>> + Send) -> io::Result<T> {
    let done = match tokio::runtime::Handle::try_current() {
        Err(_) => runtime().block_on(work),
        Ok(_) => std::thread::scope(|scope| {
            let waiting = scope.spawn(|| runtime().block_on(work));
            waiting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        }),
    };
    done.map_err(refused)
}

fn refused(error: object_store::Error) -> io::Error {
    let kind = match &error {
        object_store::Error::NotFound { .. } => io::ErrorKind::NotFound,
        object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. } => {
            io::ErrorKind::PermissionDenied
        }
        _ => io::ErrorKind::Other,
    };
    let told = match kind {
        io::ErrorKind::NotFound => "there is no such object".to_owned(),
        _ => error.to_string().split_whitespace().collect::<Vec<_>>().join(" "),
    };
    io::Error::new(kind, StoreError(told))
}

impl Object {
    pub(crate) fn find(path: &FilePath) -> io::Result<Object> {
        let text = path.to_string_lossy();
        let wrong = |error: &dyn std::fmt::Display| {
            io::Error::new(io::ErrorKind::InvalidInput, StoreError(format!("no address: {error}")))
        };
        let url = Url::parse(&text).map_err(|error| wrong(&error))?;
        let (store, path) = store(&url)?;
        let web = ObjectStoreScheme::parse(&url).is_ok_and(|(scheme, _)| scheme == ObjectStoreScheme::Http);
        Ok(Object { store, path, in_parts: !web })
    }

    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        wait(async { self.store.get(&self.path).await?.bytes().await }).map(Vec::from)
    }

    pub(crate) fn write(&self, bytes: Vec<u8>) -> io::Result<()> {
        wait(self.store.put(&self.path, bytes.into())).map(drop)
    }

    /// Takes the object away; one that is left does no harm.
    pub(crate) fn delete(&self) {
        let _ = wait(self.store.delete(&self.path));
    }

    /// Names right under this one.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let listed = async {
            let found = self.store.list_with_delimiter(Some(&self.path)).await?;
            Ok(found.objects)
        };
        let objects = wait(listed)?;
        Ok(objects.iter().filter_map(|object| Some(object.location.filename()?.to_owned())).collect())
    }

    pub(crate) fn pages(&self) -> io::Result<Pages> {
        let length = wait(self.store.head(&self.path))?.size;
        Ok(Pages::new(self.clone(), length))
    }

    pub(crate) fn upload(self) -> io::Result<Upload> {
        Ok(Upload::new(self))
    }

    /// Its length, and what it holds from front to end.
    pub(crate) fn stream(self) -> io::Result<(u64, Box<dyn io::Read + Send>)> {
        stream::open(self)
    }
}
