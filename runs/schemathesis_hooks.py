"""Games go over the wire as text."""

import schemathesis

schemathesis.serializer.alias("application/x-chess-pgn", "text/plain")
