#!/usr/bin/env bash
# Makes an archive for others: the program without a need for any library, its licence, manual pages, completions and checksums.
#
#     runs/release.sh                                  # x86_64-unknown-linux-musl: runs on any Linux
#     TARGET=x86_64-unknown-linux-gnu runs/release.sh  # this machine's C library or a newer one
#
# Needs the target (`rustup target add`) and, for musl, `musl-gcc` (Debian: musl-tools). The same commit gives the same archive.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=${TARGET:-x86_64-unknown-linux-musl}
out=${OUT:-target/release-archives}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
name=tabiya-$version-$target
export SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)

if [[ $target == *-musl ]]; then
    command -v musl-gcc > /dev/null || { echo "musl-gcc is not there; Debian has it in musl-tools" >&2; exit 2; }
    export CC_x86_64_unknown_linux_musl=musl-gcc CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER=musl-gcc
fi
# No path of this machine in the program.
export RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=$PWD=. --remap-path-prefix=$HOME=~"
cargo build --release --locked -p app --target "$target"
binary=target/$target/release/tabiya

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/$name"/{man,completions,docs} "$out"
install -m 755 "$binary" "$folder/$name/tabiya"
cp LICENSE README.md "$folder/$name"
cp docs/*.md "$folder/$name/docs"
"$binary" man --out "$folder/$name/man"
for shell in bash zsh fish; do
    "$binary" completions $shell > "$folder/$name/completions/tabiya.$shell"
done
(cd "$folder/$name" && find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum > SHA256SUMS)
tar -C "$folder" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -c "$name" | xz -T1 > "$out/$name.tar.xz"
(cd "$out" && sha256sum "$name.tar.xz" > "$name.tar.xz.sha256")

# The archive, as somebody else unpacks it.
tar -C "$folder" -xf "$out/$name.tar.xz" --one-top-level=unpacked
(cd "$folder/unpacked/$name" && sha256sum --quiet -c SHA256SUMS && printf 'position startpos\ngo depth 6\n' | ./tabiya uci | tail -1)
[[ $target != *-musl ]] || ! ldd "$binary" 2> /dev/null | grep -q '=>' || { echo "$binary needs libraries" >&2; exit 1; }
ls -l "$out/$name.tar.xz"
