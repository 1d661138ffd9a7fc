#!/usr/bin/env python3
"""Wraps the prose of Markdown at 120 columns. Tables, code and headings stay; so do paragraphs without a longer line.

    python3 runs/wrap_docs.py docs/*.md README.md CONTRIBUTING.md [--check]

With --check nothing is written; exit 1 if a file would change.
"""

import argparse
import pathlib
import re
import sys
import textwrap

WIDTH = 120
ITEM = re.compile(r"\s*(?:[-*]|\d+\.) ")


def stays(line):
    """Whether a line is no prose: blank, table, heading, fence, picture, formula, or code by its indent."""
    return not line.strip() or line.lstrip().startswith(("|", "#", "```", "<", "!", "$$")) or re.match(r" {4,}\S", line)


def wrapped(text):
    lines, out, at, in_fence = text.split("\n"), [], 0, False
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.lstrip().startswith("```"):
            in_fence = not in_fence
        if in_fence or stays(line):
            out.append(line)
            continue
        paragraph = [line]
        while at < len(lines) and not stays(lines[at]) and not ITEM.match(lines[at]):
            paragraph.append(lines[at])
            at += 1
        if all(len(line) <= WIDTH for line in paragraph):
            out += paragraph
            continue
        item = ITEM.match(line)
        lead = item[0] if item else re.match(r"\s*", line)[0]
        words = " ".join([line[len(lead):].strip(), *(line.strip() for line in paragraph[1:])])
        indents = {"initial_indent": lead, "subsequent_indent": " " * len(lead)}
        out += textwrap.wrap(words, WIDTH, break_long_words=False, break_on_hyphens=False, **indents)
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="write nothing, tell what would change")
    args = parser.parse_args()
    changed = 0
    for path in args.files:
        text = path.read_text()
        new = wrapped(text)
        if new != text:
            changed += 1
            print(path)
            if not args.check:
                path.write_text(new)
    return 1 if args.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
