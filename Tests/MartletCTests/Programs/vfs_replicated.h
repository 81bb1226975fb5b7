/* A VFS of the program's own as replication over several machines needs it: databases, logs and
   the memory of their indexes are in the heap; a transaction's frames are kept aside when it is
   committed, and are appended to the log of this VFS and of others later, or never
   (c3ref/io_methods, walformat). Whatever is read and written has to have the size and place that
   such a VFS knows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

enum { LOG_HEADER = 32, FRAME_HEADER = 24, INDEX_HEADER = 48, REGION = 32768, MAGIC = 0x377f0682 };

typedef struct {
  unsigned char header[FRAME_HEADER];
  unsigned char *page;
} frame;

typedef struct {
  frame *frames;
  int count;
} list;

/* A database as one machine has it. */
typedef struct {
  sqlite3_vfs vfs;
  unsigned char **pages;
  int page_count;
  unsigned page_size;
  unsigned char log_header[LOG_HEADER];
  list log, pending;
  unsigned char **regions;
  int region_count, users;
  int shared[SQLITE_SHM_NLOCK], exclusive[SQLITE_SHM_NLOCK];
} machine;

typedef struct {
  sqlite3_file base;
  machine *at;
  int kind;
} file;

static int is_telling;

static unsigned number(const unsigned char *bytes) {
  return (unsigned)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

static void put(unsigned char *bytes, unsigned value) {
  bytes[0] = value >> 24, bytes[1] = value >> 16, bytes[2] = value >> 8, bytes[3] = value;
}

/* Of words in the order of this machine, which is little-endian (fileformat2 §4.2). */
static void checksum(unsigned *sum, const unsigned char *bytes, unsigned count) {
  unsigned i, words[2];
  for (i = 0; i < count; i += 8) {
    memcpy(words, bytes + i, 8);
    sum[0] += words[0] + sum[1];
    sum[1] += words[1] + sum[0];
  }
}

static void *copy(const void *bytes, size_t count) {
  return memcpy(malloc(count), bytes, count);
}

static frame *add(list *frames) {
  frames->frames = realloc(frames->frames, (frames->count + 1) * sizeof(frame));
  return memset(&frames->frames[frames->count++], 0, sizeof(frame));
}

static void clear(list *frames) {
  while (frames->count > 0) free(frames->frames[--frames->count].page);
  free(frames->frames);
  frames->frames = 0;
}

/* ---- Files */

static int unexpected(const char *what, file *f, int count, sqlite3_int64 offset) {
  printf("  %s of %d bytes at %lld of a %s\n", what, count, offset,
         f->kind & SQLITE_OPEN_WAL ? "log" : "database");
  return SQLITE_IOERR;
}

/* The frame at an offset of the log, and where in it. */
static frame *frame_at(machine *at, sqlite3_int64 offset, int *inside) {
  sqlite3_int64 size = at->page_size + FRAME_HEADER, place = (offset - LOG_HEADER) / size;
  *inside = (int)((offset - LOG_HEADER) % size);
  if (place < at->log.count) return &at->log.frames[place];
  place -= at->log.count;
  return place < at->pending.count ? &at->pending.frames[place] : 0;
}

static int read_log(file *f, unsigned char *bytes, int count, sqlite3_int64 offset) {
  machine *at = f->at;
  frame *found;
  int inside;
  if (offset < LOG_HEADER) {
    if (offset + count > LOG_HEADER) return unexpected("read", f, count, offset);
    memcpy(bytes, at->log_header + offset, count);
    return SQLITE_OK;
  }
  found = frame_at(at, offset, &inside);
  if (!found) {
    memset(bytes, 0, count);
    return SQLITE_IOERR_SHORT_READ;
  }
  if (inside == 0 && count >= FRAME_HEADER) {
    memcpy(bytes, found->header, FRAME_HEADER);
    if (count == FRAME_HEADER) return SQLITE_OK;
    if (count != FRAME_HEADER + (int)at->page_size) return unexpected("read", f, count, offset);
    memcpy(bytes + FRAME_HEADER, found->page, at->page_size);
    return SQLITE_OK;
  }
  if (inside == 16 && count == 8) {
    memcpy(bytes, found->header + 16, 8);
    return SQLITE_OK;
  }
  if (inside != FRAME_HEADER || count != (int)at->page_size)
    return unexpected("read", f, count, offset);
  memcpy(bytes, found->page, count);
  return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
  file *f = (file *)base;
  machine *at = f->at;
  sqlite3_int64 place;
  if (f->kind & SQLITE_OPEN_WAL) return read_log(f, bytes, count, offset);
  memset(bytes, 0, count);
  if (f->kind & SQLITE_OPEN_MAIN_JOURNAL || at->page_size == 0) return SQLITE_IOERR_SHORT_READ;
  place = offset / at->page_size;
  if (place >= at->page_count) return SQLITE_IOERR_SHORT_READ;
  if (offset % at->page_size + count > at->page_size) return unexpected("read", f, count, offset);
  memcpy(bytes, at->pages[place] + offset % at->page_size, count);
  return SQLITE_OK;
}

static int write_log(file *f, const unsigned char *bytes, int count, sqlite3_int64 offset) {
  machine *at = f->at;
  frame *found;
  int inside;
  if (offset == 0) {
    if (count != LOG_HEADER) return unexpected("write", f, count, offset);
    memcpy(at->log_header, bytes, count);
    at->page_size = number(bytes + 8);
    return SQLITE_OK;
  }
  found = frame_at(at, offset, &inside);
  if (inside == 0 && count == FRAME_HEADER) {
    if (!found) {
      if (offset != LOG_HEADER + (sqlite3_int64)(at->log.count + at->pending.count)
                                   * (at->page_size + FRAME_HEADER))
        return unexpected("write", f, count, offset);
      found = add(&at->pending);
    }
    memcpy(found->header, bytes, count);
    return SQLITE_OK;
  }
  if (!found || inside != FRAME_HEADER || count != (int)at->page_size)
    return unexpected("write", f, count, offset);
  free(found->page);
  found->page = copy(bytes, count);
  return SQLITE_OK;
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  file *f = (file *)base;
  machine *at = f->at;
  if (is_telling && !(f->kind & SQLITE_OPEN_MAIN_JOURNAL))
    printf("  %s: %d at %lld\n", f->kind & SQLITE_OPEN_WAL ? "log" : "database", count, offset);
  if (f->kind & SQLITE_OPEN_WAL) return write_log(f, bytes, count, offset);
  if (f->kind & SQLITE_OPEN_MAIN_JOURNAL) return SQLITE_OK;
  if (offset == 0) {
    const unsigned char *size = (const unsigned char *)bytes + 16;
    if (at->page_size == 0) at->page_size = size[0] << 8 | size[1];
  }
  if (count != (int)at->page_size || offset % count) return unexpected("write", f, count, offset);
  while (at->page_count <= offset / count) {
    at->pages = realloc(at->pages, (at->page_count + 1) * sizeof *at->pages);
    at->pages[at->page_count++] = calloc(1, count);
  }
  memcpy(at->pages[offset / count], bytes, count);
  return SQLITE_OK;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
  file *f = (file *)base;
  if (is_telling) printf("  truncate to %lld\n", size);
  if (f->kind & SQLITE_OPEN_WAL) {
    if (size) return unexpected("truncation", f, 0, size);
    clear(&f->at->log);
    memset(f->at->log_header, 0, LOG_HEADER);
  } else if (f->kind & SQLITE_OPEN_MAIN_DB) {
    while (f->at->page_count > size / f->at->page_size) free(f->at->pages[--f->at->page_count]);
  }
  return SQLITE_OK;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
  file *f = (file *)base;
  machine *at = f->at;
  *size = 0;
  if (f->kind & SQLITE_OPEN_MAIN_DB) *size = (sqlite3_int64)at->page_count * at->page_size;
  /* An intercepted transaction is not part of the log yet. */
  if (f->kind & SQLITE_OPEN_WAL && number(at->log_header))
    *size = LOG_HEADER + (sqlite3_int64)at->log.count * (at->page_size + FRAME_HEADER);
  return SQLITE_OK;
}

static int file_sync(sqlite3_file *base, int flags) {
  printf("  sync\n");
  return SQLITE_OK;
}

static int file_close(sqlite3_file *base) { return SQLITE_OK; }
static int file_lock(sqlite3_file *base, int level) { return SQLITE_OK; }
static int file_is_reserved(sqlite3_file *base, int *result) { return *result = 0, SQLITE_OK; }
static int file_sector(sqlite3_file *base) { return 0; }
static int file_promises(sqlite3_file *base) { return 0; }

static int file_control(sqlite3_file *base, int code, void *argument) {
  file *f = (file *)base;
  char **words = argument;
  if (is_telling && code == SQLITE_FCNTL_COMMIT_PHASETWO) printf("  committed\n");
  if (code == SQLITE_FCNTL_PERSIST_WAL) return *(int *)argument = 1, SQLITE_OK;
  if (code != SQLITE_FCNTL_PRAGMA || !words[2]) return SQLITE_NOTFOUND;
  if (!strcmp(words[1], "page_size") && f->at->page_size
      && atoi(words[2]) != (int)f->at->page_size) {
    words[0] = sqlite3_mprintf("the size of pages stays %d", f->at->page_size);
    return SQLITE_IOERR;
  }
  if (!strcmp(words[1], "journal_mode") && strcasecmp(words[2], "wal")) {
    words[0] = sqlite3_mprintf("%s is no mode here", words[2]);
    return SQLITE_IOERR;
  }
  return SQLITE_NOTFOUND;
}

/* ---- Shared memory */

static int map(sqlite3_file *base, int region, int size, int extend, void volatile **result) {
  machine *at = ((file *)base)->at;
  *result = 0;
  if (size != REGION) return printf("  region of %d bytes\n", size), SQLITE_IOERR;
  if (region >= at->region_count) {
    if (!extend) return SQLITE_OK;
    if (region > at->region_count) return printf("  region %d first\n", region), SQLITE_IOERR;
    at->regions = realloc(at->regions, (region + 1) * sizeof *at->regions);
    at->regions[at->region_count++] = calloc(1, REGION);
  }
  if (region == 0) at->users++;
  *result = at->regions[region];
  return SQLITE_OK;
}

static int unmap(sqlite3_file *base, int deletes) {
  machine *at = ((file *)base)->at;
  if (--at->users > 0) return SQLITE_OK;
  if (at->users < 0) printf("  more memory is given back than was taken\n");
  while (at->region_count > 0) free(at->regions[--at->region_count]);
  free(at->regions);
  at->regions = 0;
  return SQLITE_OK;
}

static void barrier(sqlite3_file *base) {}

static int memory_lock(sqlite3_file *base, int first, int count, int flags) {
  machine *at = ((file *)base)->at;
  int i;
  if (first < 0 || first + count > SQLITE_SHM_NLOCK || (flags & SQLITE_SHM_SHARED && count != 1))
    printf("  lock of %d from %d\n", count, first);
  if (flags & SQLITE_SHM_UNLOCK) {
    for (i = first; i < first + count; i++)
      if (flags & SQLITE_SHM_SHARED) at->shared[i]--; else at->exclusive[i] = 0;
    /* What is behind the commit was taken back; all of it is where there is no commit. */
    if (first == 0 && flags & SQLITE_SHM_EXCLUSIVE)
      while ((i = at->pending.count) > 0 && number(at->pending.frames[i - 1].header + 4) == 0)
        free(at->pending.frames[--at->pending.count].page);
    return SQLITE_OK;
  }
  for (i = first; i < first + count; i++)
    if (at->exclusive[i] || (flags & SQLITE_SHM_EXCLUSIVE && at->shared[i])) return SQLITE_BUSY;
  for (i = first; i < first + count; i++)
    if (flags & SQLITE_SHM_SHARED) at->shared[i]++; else at->exclusive[i] = 1;
  if (first == 0 && at->pending.count > 0) printf("  a writer before the last one is done\n");
  return SQLITE_OK;
}

static sqlite3_io_methods methods = {
  2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_lock,
  file_is_reserved, file_control, file_sector, file_promises, map, memory_lock, barrier, unmap,
};

/* ---- The VFS */

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags,
                    int *result) {
  file *f = (file *)base;
  if (!name) return SQLITE_CANTOPEN;
  f->base.pMethods = &methods;
  f->at = vfs->pAppData;
  f->kind = flags;
  if (result) *result = flags;
  return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) { return SQLITE_OK; }

static int vfs_access(sqlite3_vfs *vfs, const char *name, int what, int *result) {
  machine *at = vfs->pAppData;
  const char *end = strrchr(name, '-');
  *result = end && !strcmp(end, "-wal") ? number(at->log_header) != 0 : !end && at->page_count > 0;
  return SQLITE_OK;
}

static int vfs_path(sqlite3_vfs *vfs, const char *name, int size, char *result) {
  sqlite3_snprintf(size, result, "%s", name);
  return SQLITE_OK;
}

static void install(machine *at, const char *name) {
  sqlite3_vfs *unix_vfs = sqlite3_vfs_find("unix");
  memset(at, 0, sizeof *at);
  at->vfs.iVersion = 2;
  at->vfs.szOsFile = sizeof(file);
  at->vfs.mxPathname = 512;
  at->vfs.zName = name;
  at->vfs.pAppData = at;
  at->vfs.xOpen = vfs_open;
  at->vfs.xDelete = vfs_delete;
  at->vfs.xAccess = vfs_access;
  at->vfs.xFullPathname = vfs_path;
  at->vfs.xRandomness = unix_vfs->xRandomness;
  at->vfs.xSleep = unix_vfs->xSleep;
  at->vfs.xCurrentTime = unix_vfs->xCurrentTime;
  at->vfs.xCurrentTimeInt64 = unix_vfs->xCurrentTimeInt64;
  sqlite3_vfs_register(&at->vfs, 0);
}

/* ---- What replication does */

/* The index says what the log has, frames that are kept aside not among it. */
static void amend(machine *at) {
  unsigned char *index = at->regions[0];
  unsigned sum[2] = {0, 0}, count = at->log.count, pages = at->page_count, value;
  if (index[12] != 1 || index[13] != 0) printf("  index %d %d\n", index[12], index[13]);
  memset(index + 24, 0, 8);
  if (count > 0) {
    frame *last = &at->log.frames[count - 1];
    pages = number(last->header + 4);
    value = number(last->header + 16), memcpy(index + 24, &value, 4);
    value = number(last->header + 20), memcpy(index + 28, &value, 4);
  }
  memcpy(index + 16, &count, 4);
  memcpy(index + 20, &pages, 4);
  checksum(sum, index, 40);
  memcpy(index + 40, sum, 8);
  memcpy(index + INDEX_HEADER, index, INDEX_HEADER);
}

/* Takes the frames of the transaction that was just committed; until they are applied or dropped,
   nobody sees them, and nobody writes. */
static list poll_frames(machine *at) {
  list frames = at->pending;
  memset(&at->pending, 0, sizeof at->pending);
  if (frames.count > 0) {
    at->exclusive[0] = 1;
    amend(at);
  }
  return frames;
}

static void start_log(machine *at) {
  unsigned sum[2] = {0, 0};
  put(at->log_header, MAGIC);
  put(at->log_header + 4, 3007000);
  put(at->log_header + 8, at->page_size);
  put(at->log_header + 12, 0);
  sqlite3_randomness(8, at->log_header + 16);
  checksum(sum, at->log_header, 24);
  put(at->log_header + 24, sum[0]);
  put(at->log_header + 28, sum[1]);
}

/* Each machine has salts and checksums of its own. */
static void apply(machine *at, const list *frames) {
  unsigned sum[2];
  const unsigned char *last;
  int i;
  if (number(at->log_header) == 0) start_log(at);
  for (i = 0; i < frames->count; i++) {
    frame *new;
    last = at->log.count ? at->log.frames[at->log.count - 1].header + 16 : at->log_header + 24;
    sum[0] = number(last), sum[1] = number(last + 4);
    new = add(&at->log);
    new->page = copy(frames->frames[i].page, at->page_size);
    memcpy(new->header, frames->frames[i].header, 8);
    memcpy(new->header + 8, at->log_header + 16, 8);
    checksum(sum, new->header, 8);
    checksum(sum, new->page, at->page_size);
    put(new->header + 16, sum[0]);
    put(new->header + 20, sum[1]);
  }
  if (at->exclusive[0]) {
    at->exclusive[0] = 0;
    amend(at);
  } else if (at->region_count > 0) {
    /* Whoever reads next makes the index again. */
    memset(at->regions[0], 0, 2 * INDEX_HEADER);
  }
}

static void drop(machine *at) { at->exclusive[0] = 0; }
