# For OpenBench, whose workers call `make EXE=NAME` and then `./NAME bench`. Everybody else uses cargo.
EXE ?= tabiya

.PHONY: $(EXE)
$(EXE):
	TABIYA_SKIP_PAGE=1 cargo build --locked --release --package app
	cp target/release/tabiya $(EXE)
