// Loaded before the C library (LD_PRELOAD) into each of the six: the clock, the disk and the power that a run of histories plays with.
//
// RACHA_HISTORY_CONTROL names a file of 16 bytes that the run writes and this maps:
//   0  int64  milliseconds that the wall clock is off
//   8  int32  1: no file of a store grows (ENOSPC)
//  12  int32  milliseconds that each sync takes
// RACHA_HISTORY_UNDO names a folder. What is written to a store's files and not synced yet can be taken back by it: for each file it
// holds what stood there before, in records of offset, length of the file, and count (uint64 each), and the bytes. A sync empties it.
// Nothing is really synced: the run loses power only where it wants to.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct control {
  int64_t clock_ms;
  int32_t full;
  int32_t sync_ms;
};

static struct control nothing;
static volatile struct control *control = &nothing;

#define FILES 4096
enum { UNKNOWN = 0, OTHER = -1 };
// Of each descriptor: UNKNOWN, OTHER, or one more than the descriptor of its file of undone writes.
static int undo_of[FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int (*real_clock_gettime)(clockid_t, struct timespec *);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_close)(int);

__attribute__((constructor)) static void begin(void) {
  real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite");
  real_write = dlsym(RTLD_NEXT, "write");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate");
  real_close = dlsym(RTLD_NEXT, "close");
  const char *path = getenv("RACHA_HISTORY_CONTROL");
  if (!path) return;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof(struct control), PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) control = mapped;
  real_close(file);
}

// MARK: The clock

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (!real_clock_gettime) real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real_clock_gettime(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t nanoseconds = now->tv_nsec + (control->clock_ms % 1000) * 1000000;
    now->tv_sec += control->clock_ms / 1000;
    if (nanoseconds < 0) {
      nanoseconds += 1000000000;
      now->tv_sec -= 1;
    } else if (nanoseconds >= 1000000000) {
      nanoseconds -= 1000000000;
      now->tv_sec += 1;
    }
    now->tv_nsec = nanoseconds;
  }
  return result;
}

int gettimeofday(struct timeval *now, void *zone) {
  (void)zone;
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *out) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (out) *out = exact.tv_sec;
  return exact.tv_sec;
}

// MARK: The disk

static int undo_file(int file) {
  if (file < 0 || file >= FILES) return OTHER;
  if (undo_of[file] != UNKNOWN) return undo_of[file];
  const char *folder = getenv("RACHA_HISTORY_UNDO");
  char link[64], path[1024], undo[2048];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  int found = OTHER;
  if (folder && length > 0) {
    path[length] = 0;
    const char *name = strrchr(path, '/');
    // The store's file and its write-ahead log.
    if (name && strstr(path, "/stores/") && strstr(name, ".sqlite") && !strstr(name, "-shm") && !strstr(name, "lock")) {
      snprintf(undo, sizeof undo, "%s/%s", folder, name + 1);
      int opened = open(undo, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
      if (opened >= 0) found = opened + 1;
    }
  }
  undo_of[file] = found;
  return found;
}

static void keep(int undo, int file, off_t offset, size_t count) {
  struct stat state;
  if (fstat(file, &state) != 0) return;
  uint64_t head[3] = {(uint64_t)offset, (uint64_t)state.st_size, 0};
  void *old = NULL;
  if (offset < state.st_size) {
    size_t there = (size_t)(state.st_size - offset) < count ? (size_t)(state.st_size - offset) : count;
    old = malloc(there);
    if (!old) abort();
    ssize_t got = pread(file, old, there, offset);
    head[2] = got > 0 ? (uint64_t)got : 0;
  }
  struct iovec parts[2] = {{head, sizeof head}, {old, head[2]}};
  if (writev(undo - 1, parts, 2) < 0) abort();
  free(old);
}

static int has_room(int file, off_t end) {
  struct stat state;
  return !control->full || (fstat(file, &state) == 0 && end <= state.st_size);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  int undo = undo_file(file);
  if (undo > 0) {
    if (!has_room(file, offset + (off_t)count)) {
      errno = ENOSPC;
      return -1;
    }
    pthread_mutex_lock(&lock);
    keep(undo, file, offset, count);
    pthread_mutex_unlock(&lock);
  }
  return real_pwrite(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) { return pwrite(file, bytes, count, offset); }

int ftruncate(int file, off_t length) {
  int undo = undo_file(file);
  if (undo > 0) {
    struct stat state;
    pthread_mutex_lock(&lock);
    if (fstat(file, &state) == 0) keep(undo, file, length, state.st_size > length ? (size_t)(state.st_size - length) : 0);
    pthread_mutex_unlock(&lock);
  }
  return real_ftruncate(file, length);
}

int ftruncate64(int file, off_t length) { return ftruncate(file, length); }

static int synced(int file) {
  int32_t wait = control->sync_ms;
  if (wait > 0) {
    struct timespec pause = {wait / 1000, (wait % 1000) * 1000000L};
    nanosleep(&pause, NULL);
  }
  int undo = undo_file(file);
  if (undo > 0) {
    pthread_mutex_lock(&lock);
    int result = real_ftruncate(undo - 1, 0);
    pthread_mutex_unlock(&lock);
    return result;
  }
  return 0;
}

int fsync(int file) { return synced(file); }
int fdatasync(int file) { return synced(file); }

int close(int file) {
  if (!real_close) real_close = dlsym(RTLD_NEXT, "close");
  if (file >= 0 && file < FILES) {
    if (undo_of[file] > 0) real_close(undo_of[file] - 1);
    undo_of[file] = UNKNOWN;
  }
  return real_close(file);
}
