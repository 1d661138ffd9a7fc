"""Imports a few games and reads the table with DuckDB, by the command that docs/data.md gives to users.

Usage: python runs/duckdb_check.py path/to/tabiya. Needs duckdb from PyPI.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import duckdb

root = pathlib.Path(__file__).resolve().parent.parent
tabiya = pathlib.Path(sys.argv[1]).resolve()
sql = re.search(r"```sql\n(.*?)```", (root / "docs/data.md").read_text(), re.S).group(1)
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([tabiya, "data", "import", root / "testdata/games.pgn", "--out", f"{folder}/games"], check=True)
    rows = duckdb.sql(sql.replace("games/games-*.parquet", f"{folder}/games/games-*.parquet")).fetchall()
    print(rows)
    assert rows, "the documented query finds nothing"
    table = f"'{folder}/games/games-*.parquet'"
    one = duckdb.sql(f"""
        select id, cast(date as varchar), white_elo, base_s, increment_s, result, len(moves), clocks_cs[3], evals[1]
        from {table} where id = 'tabiya01'""").fetchall()[0]
    assert one == ("tabiya01", "2026-01-02", 1500, 180, 2, "1-0", 7, 17800, 20), one
    # Bits 0-5 of a move are its origin, 6-11 its target: the first move is e2e4 (12 to 28).
    origin, target = duckdb.sql(f"select moves[1] & 63, (moves[1] >> 6) & 63 from {table} where id = 'tabiya01'").fetchall()[0]
    assert (origin, target) == (12, 28), (origin, target)
print("DuckDB reads the table.")
