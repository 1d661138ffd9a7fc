//! Lists what goes into the binary: the page, which npm builds, and the weights in `models/`. Without Node, or without a network to
//! fetch packages from, the program is built all the same, with a page that says what is missing.

use std::{
    collections::BTreeMap,
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
};

/// What the page is made of. Nothing else under `web/` makes it stale.
const SOURCES: [&str; 7] = [
    "src",
    "public",
    "index.html",
    "package.json",
    "package-lock.json",
    "vite.config.ts",
    "svelte.config.js",
];
/// Set to skip npm, for those who work on anything but the page.
const SKIP: &str = "TABIYA_SKIP_PAGE";

fn main() {
    println!("cargo:rustc-env=TABIYA_COMMIT={}", commit().unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    println!("cargo:rerun-if-env-changed={SKIP}");
    for source in SOURCES.iter().map(|name| web.join(name)).filter(|path| path.exists()) {
        println!("cargo:rerun-if-changed={}", source.display());
    }
    let page = out.join("page");
    let files = match build(&web, &page) {
        Ok(()) => files_under(&page),
        Err(reason) => {
            println!("cargo:warning=the page was not built: {reason}");
            // A file that never exists makes cargo ask again next time: Node may have come in the meantime.
            println!("cargo:rerun-if-changed={}", web.join(".never").display());
            let missing = out.join("missing.html");
            fs::write(&missing, missing_page(&reason)).expect("OUT_DIR can be written");
            BTreeMap::from([("/index.html".to_owned(), missing)])
        }
    };
    let built = files.len() > 1;
    fs::write(out.join("assets.rs"), list(&files, built)).expect("OUT_DIR can be written");
    fs::write(out.join("weights.rs"), weights()).expect("OUT_DIR can be written");
}

/// The commit that is released. Other builds go without, as every commit would build the program anew.
fn commit() -> Option<String> {
    if env::var_os("PROFILE").is_none_or(|profile| profile != "release") {
        return None;
    }
    let folder = output("git", &["rev-parse", "--git-dir"])?;
    for name in ["HEAD", "logs/HEAD"] {
        let path = Path::new(folder.trim()).join(name);
        if path.exists() {
            println!("cargo:rerun-if-changed={}", path.display());
        }
    }
    Some(output("git", &["rev-parse", "--short=12", "HEAD"])?.trim().to_owned())
}

/// The weight files in `models/` under the names of their files.
fn weights() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(&folder).expect("the folder `models` is there");
    let files = entries.map(|entry| entry.expect("the folder `models` can be read").path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "safetensors")).collect();
    files.sort();
    let item = |path: &PathBuf| {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name in Unicode");
        format!("    Embedded {{ name: {name:?}, bytes: include_bytes!({path:?}) }},\n")
    };
    format!("&[\n{}]\n", files.iter().map(item).collect::<String>())
}

fn build(web: &Path, page: &Path) -> Result<(), String> {
    if env::var_os(SKIP).is_some_and(|value| !value.is_empty() && value != "0") {
        return Err(format!("{SKIP} is set"));
    }
    let version = output("node", &["--version"]).ok_or("Node.js is not installed")?;
    if !is_new_enough(&version) {
        return Err(format!("Node.js {} is too old, 20.19 is needed", version.trim()));
    }
    // Builds of two profiles may meet in the folder of the packages.
    let lock = fs::File::create(web.join(".lock")).map_err(|error| format!("{}: {error}", web.display()))?;
    lock.lock().map_err(|error| format!("cannot lock {}: {error}", web.display()))?;
    install(web)?;
    let _ = fs::remove_dir_all(page);
    let page = page.to_str().ok_or("the path of the build is not Unicode")?;
    npm(web, &["run", "build", "--", "--outDir", page, "--emptyOutDir", "--logLevel", "warn"])
}

/// Fetches the packages if they are not those of the lock file.
fn install(web: &Path) -> Result<(), String> {
    let wanted =
        fs::read(web.join("package-lock.json")).map_err(|error| format!("package-lock.json: {error}"))?;
    let stamp = web.join("node_modules/.tabiya-lock");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    npm(web, &["ci", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1"])?;
    fs::write(stamp, wanted).map_err(|error| format!("node_modules: {error}"))
}

fn npm(web: &Path, words: &[&str]) -> Result<(), String> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let output = Command::new(program).args(words).current_dir(web).output();
    let output = output.map_err(|error| format!("npm cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let reasons: Vec<&str> = said.lines().filter(|line| !line.starts_with("npm warn")).take(4).collect();
    Err(format!("npm {} failed: {}", words[0], reasons.join(" / ")))
}

fn output(program: &str, words: &[&str]) -> Option<String> {
    let output = Command::new(program).args(words).output().ok()?;
    String::from_utf8(output.stdout).ok()
}

fn is_new_enough(version: &str) -> bool {
    let mut numbers =
        version.trim().trim_start_matches('v').split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let (major, minor) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    (major, minor) >= (20, 19)
}

fn files_under(page: &Path) -> BTreeMap<String, PathBuf> {
    let mut files = BTreeMap::new();
    let mut folders = vec![page.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(inner) = path.strip_prefix(page) {
                let address = inner.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
                files.insert(format!("/{}", address.collect::<Vec<_>>().join("/")), path);
            }
        }
    }
    files
}

fn list(files: &BTreeMap<String, PathBuf>, built: bool) -> String {
    let mut code = format!("const BUILT: bool = {built};\nstatic ASSETS: &[Asset] = &[\n");
    for (address, path) in files {
        let mut hasher = DefaultHasher::new();
        fs::read(path).expect("the page was just written").hash(&mut hasher);
        let etag = format!("\"{:016x}\"", hasher.finish());
        code +=
            &format!("    Asset {{ path: {address:?}, bytes: include_bytes!({path:?}), etag: {etag:?} }},\n");
    }
    code + "];\n"
}

fn missing_page(reason: &str) -> String {
    let reason = reason.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Tabiya</title>\n\
         <h1>The page is not in this program</h1>\n<p>It was built without it: {reason}.</p>\n\
         <p>Install Node.js 20.19 or newer with npm, then build again with <code>cargo build --release</code>. \
         Everything else works: <code>tabiya --help</code>, and the <a href=\"/api/openapi.json\">interface</a>.</p>\n"
    )
}
