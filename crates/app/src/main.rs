//! `tabiya`: one verb per file.

fn main() {}
