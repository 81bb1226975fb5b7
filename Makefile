# Builds and installs the drop-in C library. Everything else is built by `swift build`.
PREFIX ?= /usr/local
VERSION := 3.53.4
SCRATCH := .build/libsqlite3
LIB := .build/lib

.PHONY: libsqlite3 install

# The library holds the Swift runtime itself, and exports only names of SQLite's library.
libsqlite3:
	swift build -c release --product sqlite3 --scratch-path $(SCRATCH) -Xswiftc -static-stdlib \
	  -Xlinker --version-script=$(CURDIR)/Sources/CSQLite3/exports.map \
	  -Xlinker -soname=libsqlite3.so.0
	mkdir -p $(LIB)
	install -m 755 $(SCRATCH)/release/libsqlite3.so $(LIB)/libsqlite3.so.0
	ln -sf libsqlite3.so.0 $(LIB)/libsqlite3.so

install: libsqlite3
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include
	install -m 755 $(LIB)/libsqlite3.so.0 $(DESTDIR)$(PREFIX)/lib/
	ln -sf libsqlite3.so.0 $(DESTDIR)$(PREFIX)/lib/libsqlite3.so
	for header in sqlite3 sqlite3ext sqlite3rtree sqlite3session; do \
	  install -m 644 Sources/CSQLite3/include/$$header.h $(DESTDIR)$(PREFIX)/include/; done
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$${prefix}/lib' 'includedir=$${prefix}/include' '' \
	  'Name: SQLite' 'Description: SQL database engine (Martlet)' 'Version: $(VERSION)' \
	  'Libs: -L$${libdir} -lsqlite3' 'Cflags: -I$${includedir}' \
	  > $(DESTDIR)$(PREFIX)/lib/pkgconfig/sqlite3.pc
