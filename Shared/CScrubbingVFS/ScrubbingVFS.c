#include "CScrubbingVFS.h"

#include <sqlite3.h>
#include <string.h>

#define MAX_PAGE_SIZE 65536
#define FILE_HEADER_SIZE 100
/// The lock that a checkpoint holds, by the number that SQLite gives it (sqlite.org/walformat.html, section 2.3).
#define CHECKPOINT_LOCK 1

/// A database's main file. The operating system's follows it in memory.
typedef struct {
  sqlite3_file base;
  /// The size of a page and the part of it that SQLite uses; 0 until they are known, -1 where nothing may be scrubbed.
  int page_size;
  int usable;
  /// How many bytes the file has or is about to have, at least.
  sqlite3_int64 size;
  unsigned char *page;
} scrubbing_file;

static sqlite3_vfs vfs;
static sqlite3_vfs *system_vfs;
static sqlite3_io_methods methods;

static sqlite3_file *below(sqlite3_file *file) { return (sqlite3_file *)((scrubbing_file *)file + 1); }

static int two(const unsigned char *bytes) { return bytes[0] << 8 | bytes[1]; }

// MARK: - Pages

/// Whether all freeblocks lie in order between `first` and `end`.
static int are_freeblocks_sound(const unsigned char *page, int block, int first, int end) {
  int last = first;
  while (block != 0) {
    if (block < last || block > end - 4) return 0;
    int size = two(page + block + 2);
    if (size < 4 || block + size > end) return 0;
    last = block + size;
    block = two(page + block);
  }
  return 1;
}

/// Zeroes bytes; whether any was another.
static int zero(unsigned char *bytes, int count) {
  for (int index = 0; index < count; index++) {
    if (bytes[index] != 0) {
      memset(bytes + index, 0, (size_t)(count - index));
      return 1;
    }
  }
  return 0;
}

int scrubbing_scrub_page(unsigned char *page, int usable, int is_first) {
  int start = is_first ? FILE_HEADER_SIZE : 0;
  unsigned char *header = page + start;
  // An interior page of an index and of a table, a leaf of either.
  int kind = header[0];
  if (kind != 2 && kind != 5 && kind != 10 && kind != 13) return 0;
  int cells = two(header + 3);
  int content = two(header + 5);
  if (content == 0) content = 65536;
  int pointers = start + (kind == 2 || kind == 5 ? 12 : 8);
  int gap = pointers + 2 * cells;
  if (gap > content || content > usable) return 0;
  for (int cell = 0; cell < cells; cell++) {
    int offset = two(page + pointers + 2 * cell);
    if (offset < content || offset > usable - 4) return 0;
  }
  if (!are_freeblocks_sound(page, two(header + 1), content, usable)) return 0;
  int is_changed = zero(page + gap, content - gap);
  for (int block = two(header + 1); block != 0; block = two(page + block)) {
    is_changed |= zero(page + block + 4, two(page + block + 2) - 4);
  }
  return is_changed;
}

// MARK: - Files

/// Takes from a file's header what has to be known of its pages.
static void learn(scrubbing_file *file, const unsigned char *header) {
  if (memcmp(header, "SQLite format 3", 16) != 0) return;
  int size = two(header + 16);
  if (size == 1) size = MAX_PAGE_SIZE;
  int is_sound = size >= 512 && size <= MAX_PAGE_SIZE && (size & (size - 1)) == 0;
  // With auto_vacuum there are pages that begin as those of a b-tree do and are none.
  int is_vacuumed = memcmp(header + 52, "\0\0\0\0", 4) != 0;
  file->page_size = is_sound && !is_vacuumed ? size : -1;
  file->usable = size - header[20];
}

/// Whether what is written there is a page that may be scrubbed.
static int is_page(scrubbing_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  if (offset + count > file->size) file->size = offset + count;
  if (offset == 0 && count >= FILE_HEADER_SIZE) {
    learn(file, bytes);
  } else if (file->page_size == 0) {
    unsigned char header[FILE_HEADER_SIZE];
    sqlite3_file *system = below(&file->base);
    if (system->pMethods->xRead(system, header, FILE_HEADER_SIZE, 0) == SQLITE_OK) learn(file, header);
  }
  return file->page_size > 0 && count == file->page_size && offset % count == 0
    && file->size / file->page_size < SCRUBBING_MAX_PAGES;
}

static int scrubbing_write(sqlite3_file *any, const void *bytes, int count, sqlite3_int64 offset) {
  scrubbing_file *file = (scrubbing_file *)any;
  if (is_page(file, bytes, count, offset)) {
    // The page is SQLite's, and stays as it is.
    memcpy(file->page, bytes, (size_t)count);
    scrubbing_scrub_page(file->page, file->usable, offset == 0);
    bytes = file->page;
  }
  return below(any)->pMethods->xWrite(below(any), bytes, count, offset);
}

static int scrubbing_control(sqlite3_file *any, int operation, void *argument) {
  scrubbing_file *file = (scrubbing_file *)any;
  // A checkpoint says how large the file is about to become.
  if (operation == SQLITE_FCNTL_SIZE_HINT && *(sqlite3_int64 *)argument > file->size) file->size = *(sqlite3_int64 *)argument;
  int result = below(any)->pMethods->xFileControl(below(any), operation, argument);
  if (operation == SQLITE_FCNTL_VFSNAME && result == SQLITE_OK) {
    *(char **)argument = sqlite3_mprintf(SCRUBBING_VFS_NAME "/%z", *(char **)argument);
  }
  return result;
}

static int scrubbing_close(sqlite3_file *any) {
  scrubbing_file *file = (scrubbing_file *)any;
  int result = below(any)->pMethods->xClose(below(any));
  sqlite3_free(file->page);
  file->page = NULL;
  return result;
}

static int scrubbing_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  return below(file)->pMethods->xRead(below(file), bytes, count, offset);
}
static int scrubbing_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return below(file)->pMethods->xTruncate(below(file), size);
}
static int scrubbing_sync(sqlite3_file *file, int flags) { return below(file)->pMethods->xSync(below(file), flags); }
static int scrubbing_file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return below(file)->pMethods->xFileSize(below(file), size);
}
static int scrubbing_lock(sqlite3_file *file, int lock) { return below(file)->pMethods->xLock(below(file), lock); }
static int scrubbing_unlock(sqlite3_file *file, int lock) { return below(file)->pMethods->xUnlock(below(file), lock); }
static int scrubbing_check_reserved_lock(sqlite3_file *file, int *result) {
  return below(file)->pMethods->xCheckReservedLock(below(file), result);
}
static int scrubbing_sector_size(sqlite3_file *file) { return below(file)->pMethods->xSectorSize(below(file)); }
static int scrubbing_characteristics(sqlite3_file *file) {
  return below(file)->pMethods->xDeviceCharacteristics(below(file));
}
static int scrubbing_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
  return below(file)->pMethods->xShmMap(below(file), region, size, extend, memory);
}
static int scrubbing_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return below(file)->pMethods->xShmLock(below(file), offset, count, flags);
}
static void scrubbing_shm_barrier(sqlite3_file *file) { below(file)->pMethods->xShmBarrier(below(file)); }
static int scrubbing_shm_unmap(sqlite3_file *file, int delete) {
  return below(file)->pMethods->xShmUnmap(below(file), delete);
}

// No mapping of the file into memory (`xFetch`): version 2 of the methods.
static sqlite3_io_methods methods = {
  .iVersion = 2,
  .xClose = scrubbing_close,
  .xRead = scrubbing_read,
  .xWrite = scrubbing_write,
  .xTruncate = scrubbing_truncate,
  .xSync = scrubbing_sync,
  .xFileSize = scrubbing_file_size,
  .xLock = scrubbing_lock,
  .xUnlock = scrubbing_unlock,
  .xCheckReservedLock = scrubbing_check_reserved_lock,
  .xFileControl = scrubbing_control,
  .xSectorSize = scrubbing_sector_size,
  .xDeviceCharacteristics = scrubbing_characteristics,
  .xShmMap = scrubbing_shm_map,
  .xShmLock = scrubbing_shm_lock,
  .xShmBarrier = scrubbing_shm_barrier,
  .xShmUnmap = scrubbing_shm_unmap,
};

// MARK: - The file system

static int scrubbing_open(sqlite3_vfs *self, sqlite3_filename path, sqlite3_file *any, int flags, int *opened) {
  (void)self;
  // Logs and temporary files are the operating system's own.
  if (!(flags & SQLITE_OPEN_MAIN_DB)) return system_vfs->xOpen(system_vfs, path, any, flags, opened);
  scrubbing_file *file = (scrubbing_file *)any;
  memset(file, 0, sizeof *file);
  file->page = sqlite3_malloc(MAX_PAGE_SIZE);
  if (file->page == NULL) return SQLITE_NOMEM;
  int result = system_vfs->xOpen(system_vfs, path, below(any), flags, opened);
  sqlite3_int64 size = 0;
  if (result == SQLITE_OK) {
    result = below(any)->pMethods->xFileSize(below(any), &size);
    if (result != SQLITE_OK) below(any)->pMethods->xClose(below(any));
  }
  if (result != SQLITE_OK) {
    sqlite3_free(file->page);
    file->page = NULL;
    return result;
  }
  file->size = size;
  file->base.pMethods = &methods;
  return SQLITE_OK;
}

static void register_once(void) {
  system_vfs = sqlite3_vfs_find(NULL);
  if (system_vfs == NULL) return;
  // All but the opening of files is the operating system's: its functions take its own structure for what they are called with, whose
  // members this one has.
  vfs = *system_vfs;
  vfs.pNext = NULL;
  vfs.zName = SCRUBBING_VFS_NAME;
  vfs.szOsFile = (int)sizeof(scrubbing_file) + system_vfs->szOsFile;
  vfs.xOpen = scrubbing_open;
}

int scrubbing_register(void) {
  int result = sqlite3_initialize();
  if (result != SQLITE_OK) return result;
  sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
  sqlite3_mutex_enter(mutex);
  if (system_vfs == NULL) {
    register_once();
    result = system_vfs == NULL ? SQLITE_ERROR : sqlite3_vfs_register(&vfs, 0);
  }
  sqlite3_mutex_leave(mutex);
  return result;
}

// MARK: - Connections

static scrubbing_file *main_file(sqlite3 *database) {
  sqlite3_file *file = NULL;
  int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  return result == SQLITE_OK && file != NULL && file->pMethods == &methods ? (scrubbing_file *)file : NULL;
}

int scrubbing_is_used(sqlite3 *database) { return main_file(database) != NULL; }

/// Scrubs the pages from `first` up to `end`, of which the file has so many.
static int scrub_pages(scrubbing_file *file, sqlite3_int64 first, sqlite3_int64 end, int *changed) {
  sqlite3_file *system = below(&file->base);
  for (sqlite3_int64 page = first; page < end; page++) {
    sqlite3_int64 offset = (page - 1) * file->page_size;
    int result = system->pMethods->xRead(system, file->page, file->page_size, offset);
    if (result != SQLITE_OK) return result;
    if (!scrubbing_scrub_page(file->page, file->usable, page == 1)) continue;
    result = system->pMethods->xWrite(system, file->page, file->page_size, offset);
    if (result != SQLITE_OK) return result;
    *changed += 1;
  }
  return *changed > 0 ? system->pMethods->xSync(system, SQLITE_SYNC_NORMAL) : SQLITE_OK;
}

int scrubbing_scrub(sqlite3 *database, int64_t first, int count, int64_t *next, int *changed) {
  *next = 0;
  *changed = 0;
  scrubbing_file *file = main_file(database);
  if (file == NULL || first < 1 || count < 1) return SQLITE_MISUSE;
  sqlite3_file *system = below(&file->base);
  sqlite3_int64 size = 0;
  int result = system->pMethods->xFileSize(system, &size);
  if (result != SQLITE_OK || size < FILE_HEADER_SIZE) return result;
  unsigned char header[FILE_HEADER_SIZE];
  result = system->pMethods->xRead(system, header, FILE_HEADER_SIZE, 0);
  if (result != SQLITE_OK) return result;
  learn(file, header);
  if (file->page_size <= 0) return SQLITE_MISUSE;
  sqlite3_int64 pages = size / file->page_size;
  if (pages >= SCRUBBING_MAX_PAGES) return SQLITE_TOOBIG;
  sqlite3_int64 end = first + count <= pages + 1 ? first + count : pages + 1;
  // A checkpoint, were it of another process, must not write a page between its being read here and written.
  result = system->pMethods->xShmLock(system, CHECKPOINT_LOCK, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
  if (result != SQLITE_OK) return result;
  result = scrub_pages(file, first, end, changed);
  int unlocked = system->pMethods->xShmLock(system, CHECKPOINT_LOCK, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
  if (end <= pages) *next = end;
  return result != SQLITE_OK ? result : unlocked;
}
