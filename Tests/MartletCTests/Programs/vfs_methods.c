/* Which methods the files of the built-in VFSs have (c3ref/io_methods): what stands between a
   program and them may call those of shared memory, whatever the file is. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sqlite3.h>

static void look(const char *vfsName, const char *name, int flags) {
  char folder[500], path[600];
  sqlite3_vfs *vfs = sqlite3_vfs_find(vfsName);
  sqlite3_file *file = calloc(1, vfs->szOsFile);
  int code;
  if (name) {
    if (!getcwd(folder, sizeof folder)) return;
    snprintf(path, sizeof path, "%s/%s", folder, name);
  }
  code = vfs->xOpen(vfs, name ? sqlite3_create_filename(path, "", "", 0, 0) : 0, file,
                    flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0);
  printf("%s %s: %d", vfsName, name ? name : "(none)", code);
  if (code == SQLITE_OK) {
    const sqlite3_io_methods *methods = file->pMethods;
    printf(" map %d lock %d barrier %d unmap %d fetch %d", methods->xShmMap != 0,
           methods->xShmLock != 0, methods->xShmBarrier != 0, methods->xShmUnmap != 0,
           methods->xFetch != 0);
    methods->xShmBarrier(file);
    printf(" -> %d", methods->xShmUnmap(file, 0));
    methods->xClose(file);
  }
  printf("\n");
  free(file);
}

int main(void) {
  static const char *const names[] = {"unix", "unix-none", "unix-dotfile", "unix-excl"};
  for (int i = 0; i < 4; i++) {
    look(names[i], "main.db", SQLITE_OPEN_MAIN_DB);
    look(names[i], "main.db-journal", SQLITE_OPEN_MAIN_JOURNAL);
    look(names[i], 0, SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_DELETEONCLOSE);
  }
  return 0;
}
