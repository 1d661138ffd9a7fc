//! `tabiya play`: the page in the browser, and the server behind it.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

use anyhow::Context;
use tokio::{net::TcpListener, sync::Notify};
use tracing::warn;

use crate::{
    play::{
        game::journal::Journals,
        http::{assets, guard::Guard, router, server, state::AppState},
        minds::catalogue::Minds,
    },
    terminal::interrupt,
};

const PORT: u16 = 7878;
/// Threads that answer requests; thinking has its own.
const MOST_SERVING: usize = 4;

/// Play, practise and review on a page in the browser.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Port to listen on; 0 takes any that is free.
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// Address to listen on. The default can be reached from this machine alone; 0.0.0.0 lets the whole network in,
    /// without a password.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "ADDRESS")]
    host: IpAddr,
    /// A name by which browsers may call the server, besides localhost and addresses; may be repeated.
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
    /// Folder for games and saved positions; the default is the user's folder for data of programs.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Args {
    /// For `tabiya` alone on a terminal: as the defaults say, on any port if the usual one is taken.
    pub(crate) fn bare() -> Args {
        let taken = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, PORT)).is_err();
        let port = if taken { 0 } else { PORT };
        Args { port, host: Ipv4Addr::LOCALHOST.into(), name: Vec::new(), open: false, data: None }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    nets::memory::give_back();
    let folder = args.data.clone().map_or_else(usual_folder, Ok)?;
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let serving = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(MOST_SERVING));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(serving)
        .max_blocking_threads(Minds::most_threads())
        .enable_all()
        .build()?;
    runtime.block_on(serve(args, folder))?;
    // Searches that are still running are of no use to anybody.
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
}

fn usual_folder() -> anyhow::Result<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "tabiya");
    let folders = folders.context("there is no home folder to keep games in; name one with --data")?;
    Ok(folders.data_dir().to_owned())
}

async fn serve(args: &Args, folder: PathBuf) -> anyhow::Result<()> {
    let address = SocketAddr::new(args.host, args.port);
    let listener = TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
    let guard = Guard {
        loopback_only: args.host.is_loopback(),
        names: args.name.iter().map(|name| name.to_ascii_lowercase()).collect(),
    };
    let state = Arc::new(AppState::new(Journals::new(folder), Arc::new(Minds::all())));
    let page = router::router(state, guard);
    let url = address_of_page(listener.local_addr()?);
    println!("Tabiya is at {url}   (Ctrl-C ends it; games are kept)");
    if !assets::is_built() {
        warn!("the page was not built into this program; {url} says what is missing");
    }
    if args.open
        && let Err(error) = open::that_detached(&url)
    {
        warn!("cannot open the browser: {error}");
    }
    let ended = Arc::new(Notify::new());
    let interrupted = Arc::clone(&ended);
    interrupt::flag_and(move || interrupted.notify_one())?;
    // Open sockets would keep a graceful shutdown waiting for as long as someone looks at the page. Every move is on
    // disk already, so there is nothing to wait for.
    tokio::select! {
        never = server::serve(listener, page, server::Limits::default()) => match never {},
        () = ended.notified() => {}
    }
    Ok(())
}

/// What a browser on this machine can call.
fn address_of_page(bound: SocketAddr) -> String {
    let host = if bound.ip().is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { bound.ip() };
    format!("http://{}/", SocketAddr::new(host, bound.port()))
}
