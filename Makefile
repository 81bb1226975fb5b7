# Builds and installs the drop-in C library, and the pages of the documentation. Everything else is
# built by `swift build`.
PREFIX ?= /usr/local
VERSION := 3.53.4
SCRATCH := .build/libsqlite3
LIB := .build/lib
RUNTIME = $(shell swiftc -print-target-info -static-stdlib \
  | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/linux
NAMES := sqlite3_* sqlite3session_* sqlite3changeset_* sqlite3changegroup_* sqlite3rebaser_*

PAGES := .build/pages
DOCUMENTED := Martlet MartletTyped MartletEngine MartletSearch MartletSpatial MartletSession
TRIPLE = $(shell swiftc -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p')

.PHONY: libsqlite3 install documentation always

# Both libraries hold the Swift runtime themselves, and export only names of SQLite's library. The
# static one is a single object, in which all other names are local. The linker is lld because gold
# leaves local names among the dynamic ones. The shared one holds what it needs of the C++ runtime,
# too: loading that is half of what a process would pay for the library.
libsqlite3:
	swift build -c release --product sqlite3 --scratch-path $(SCRATCH) -Xswiftc -static-stdlib
	mkdir -p $(LIB) $(SCRATCH)/static
	ln -sf $$(clang -print-file-name=libstdc++.a) $(SCRATCH)/static/libstdc++.a
	swiftc -emit-library -static-stdlib -use-ld=lld -o $(LIB)/libsqlite3.so.0 \
	  -L$(SCRATCH)/static -Xclang-linker -static-libgcc \
	  @$(SCRATCH)/release/sqlite3.product/Objects.LinkFileList -Xlinker --gc-sections \
	  -Xlinker --version-script=$(CURDIR)/Sources/CSQLite3/exports.map \
	  -Xlinker -soname=libsqlite3.so.0
	ln -sf libsqlite3.so.0 $(LIB)/libsqlite3.so
	ld -r -o $(SCRATCH)/all.o $(RUNTIME)/$(shell uname -m)/swiftrt.o \
	  @$(SCRATCH)/release/sqlite3.product/Objects.LinkFileList -L$(RUNTIME) --start-group \
	  -lswiftCore -lswift_Concurrency -lswift_StringProcessing -lswift_RegexParser \
	  -lswiftSynchronization -lswiftGlibc -lswiftSwiftOnoneSupport -ldispatch -lBlocksRuntime --end-group
	objcopy --wildcard $(foreach name,$(NAMES),-G '$(name)') $(SCRATCH)/all.o $(SCRATCH)/sqlite3.o
	rm -f $(LIB)/libsqlite3.a
	ar rcs $(LIB)/libsqlite3.a $(SCRATCH)/sqlite3.o

install: libsqlite3
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include
	install -m 755 -s $(LIB)/libsqlite3.so.0 $(DESTDIR)$(PREFIX)/lib/
	ln -sf libsqlite3.so.0 $(DESTDIR)$(PREFIX)/lib/libsqlite3.so
	install -m 644 $(LIB)/libsqlite3.a $(DESTDIR)$(PREFIX)/lib/
	strip --strip-debug $(DESTDIR)$(PREFIX)/lib/libsqlite3.a
	for header in sqlite3 sqlite3ext fts5 sqlite3rtree sqlite3session; do \
	  install -m 644 Sources/CSQLite3/include/$$header.h $(DESTDIR)$(PREFIX)/include/; done
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$${prefix}/lib' 'includedir=$${prefix}/include' '' \
	  'Name: SQLite' 'Description: SQL database engine (Martlet)' 'Version: $(VERSION)' \
	  'Libs: -L$${libdir} -lsqlite3' 'Libs.private: -lstdc++ -lm -ldl -lpthread' 'Cflags: -I$${includedir}' \
	  > $(DESTDIR)$(PREFIX)/lib/pkgconfig/sqlite3.pc

# All public names of the Swift modules and the articles about them, as pages for any web server.
# `make documentation MODULES=FOLDER` takes modules that were built, and compiles nothing.
documentation: $(DOCUMENTED:%=$(PAGES)/%.doccarchive)
	rm -rf $(PAGES)/site
	docc merge $^ --synthesized-landing-page-name Martlet --output-path $(PAGES)/site
	@echo 'python3 -m http.server -d $(PAGES)/site, then http://localhost:8000/documentation/'

$(PAGES)/%.doccarchive: always
	$(if $(MODULES),,swift build -c release --target $*)
	mkdir -p $(PAGES)/$*
	swift symbolgraph-extract -module-name $* -target $(TRIPLE) -output-dir $(PAGES)/$* \
	  -I $(or $(MODULES),$$(swift build -c release --show-bin-path)/Modules)
	docc convert $(wildcard Sources/$*/$*.docc) --output-path $@ \
	  --fallback-display-name $* --fallback-bundle-identifier $* \
	  --additional-symbol-graph-dir $(PAGES)/$* >$(PAGES)/$*.log 2>&1
