//! Connections: how many there may be, and how long a client may take to say what it wants. Whoever opens them by the hundred
//! and says nothing loses the oldest; those with a request under way are left alone.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{Router, body::Body};
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpListener, sync::Notify};
use tower::ServiceExt;

/// Bytes of a request before its body.
const LONGEST_HEAD: usize = 64 * 1024;
/// How long to wait when the system has no more descriptors; connections that end give some back.
const OUT_OF_DESCRIPTORS: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Connections at once; with as many sockets they stay below the usual 1024 descriptors.
    pub(crate) connections: usize,
    /// Time for the head of a request, counted from the end of the last one: idle connections end as well.
    pub(crate) head: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { connections: 384, head: Duration::from_secs(20) }
    }
}

/// For as long as the listener lives.
pub(crate) async fn serve(listener: TcpListener, router: Router, limits: Limits) -> Infallible {
    let open = Open::default();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(LONGEST_HEAD);
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                open.make_room(0);
                tokio::time::sleep(OUT_OF_DESCRIPTORS).await;
                continue;
            }
        };
        if !open.make_room(limits.connections - 1) {
            // Every connection has a request under way.
            continue;
        }
        // Answers are small and whole; without it the last packet of each may wait for the client's word.
        let _ = stream.set_nodelay(true);
        let visit = open.enter();
        let (connection, router) = (Arc::clone(&visit.connection), router.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let (busy, router) = (Busy::begin(&connection), router.clone());
            async move {
                let answer = router.oneshot(request.map(Body::new)).await;
                drop(busy);
                answer
            }
        });
        let serving = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        tokio::spawn(async move {
            // An error here is the client's affair: it left, or was too slow.
            tokio::select! {
                _ = serving => {}
                () = visit.connection.leave.notified() => {}
            }
        });
    }
}

/// All connections, the oldest first.
#[derive(Clone, Debug, Default)]
struct Open(Arc<Mutex<Numbered>>);

/// How many there ever were, and those that are open, by number.
type Numbered = (u64, BTreeMap<u64, Arc<Connection>>);

#[derive(Debug, Default)]
struct Connection {
    requests: AtomicUsize,
    under_way: AtomicUsize,
    leave: Notify,
}

/// A connection's entry in the list.
#[derive(Debug)]
struct Visit {
    open: Open,
    number: u64,
    connection: Arc<Connection>,
}

impl Open {
    fn lock(&self) -> MutexGuard<'_, Numbered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self) -> Visit {
        let connection = Arc::<Connection>::default();
        let mut open = self.lock();
        open.0 += 1;
        let number = open.0;
        open.1.insert(number, Arc::clone(&connection));
        Visit { open: self.clone(), number, connection }
    }

    /// Closes a connection if there are more than `most`: the oldest that never asked for anything, or else the oldest that has nothing
    /// under way. Whether there are `most` at the most now.
    fn make_room(&self, most: usize) -> bool {
        let mut open = self.lock();
        if open.1.len() <= most {
            return true;
        }
        let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let idle = |connection: &Connection| count(&connection.under_way) == 0;
        let silent = open.1.iter().find(|(_, connection)| count(&connection.requests) == 0);
        let oldest = silent.or_else(|| open.1.iter().find(|(_, connection)| idle(connection)));
        let Some(number) = oldest.map(|(&number, _)| number) else { return false };
        if let Some(connection) = open.1.remove(&number) {
            connection.leave.notify_one();
        }
        open.1.len() <= most
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.open.lock().1.remove(&self.number);
    }
}

/// A request under way.
struct Busy(Arc<Connection>);

impl Busy {
    fn begin(connection: &Arc<Connection>) -> Busy {
        connection.requests.fetch_add(1, Ordering::Relaxed);
        connection.under_way.fetch_add(1, Ordering::Relaxed);
        Busy(Arc::clone(connection))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::routing::get;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
    };

    use super::*;

    async fn start(limits: Limits) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/", get(async || "here")).route(
            "/slow",
            get(async || {
                tokio::time::sleep(Duration::from_secs(1)).await;
                "here"
            }),
        );
        tokio::spawn(serve(listener, router, limits));
        address
    }

    /// All that comes until the server hangs up.
    async fn ask(address: SocketAddr, path: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn connections_that_say_nothing_shut_nobody_out() {
        let limits = Limits { connections: 20, ..Limits::default() };
        let address = start(limits).await;
        let slow = tokio::spawn(ask(address, "/slow"));
        tokio::time::sleep(Duration::from_millis(100)).await;
        let mut silent = Vec::new();
        for _ in 0..100 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nhost:").await.unwrap();
            silent.push(stream);
        }
        assert!(ask(address, "/").await.ends_with("here"));
        assert!(slow.await.unwrap().ends_with("here"), "a request under way is left alone");
        let mut byte = [0];
        let oldest = tokio::time::timeout(Duration::from_secs(10), silent[0].read(&mut byte)).await;
        assert!(
            matches!(oldest, Ok(Ok(0) | Err(_))),
            "the oldest of the silent ones was hung up on: {oldest:?}"
        );
    }

    #[tokio::test]
    async fn whoever_takes_too_long_is_hung_up_on() {
        let address = start(Limits { head: Duration::from_millis(50), ..Limits::default() }).await;
        for head in ["", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(head.as_bytes()).await.unwrap();
            let mut answer = Vec::new();
            let ended = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await;
            assert!(ended.is_ok(), "after {head:?}");
        }
    }
}
