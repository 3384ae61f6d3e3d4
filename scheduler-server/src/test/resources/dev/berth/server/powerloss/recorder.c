/*
 * Records what a process does to the files below a directory, in order: for LD_PRELOAD.
 *
 *   BERTH_RECORD=FILE BERTH_RECORD_BELOW=DIRECTORY LD_PRELOAD=recorder.so PROGRAM...
 *
 * A record is: kind (1 byte), inode, offset, lengths of path, second path and data (8 bytes each, in the machine's
 * order), then these three. Calls are made one at a time, so that their order in the record is the true one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATE = 'c', WRITE = 'w', TRUNCATE = 't', SYNC = 's', UNLINK = 'u', RENAME = 'r', LINK = 'l', MKDIR = 'd' };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int record = -1;
static const char *below = "/nonexistent";

static ssize_t (*real_write)(int, const void *, size_t);

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
  real_write = REAL(write);
  const char *file = getenv("BERTH_RECORD");
  if (file != NULL && getenv("BERTH_RECORD_BELOW") != NULL) {
    below = getenv("BERTH_RECORD_BELOW");
    record = REAL(open64)(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (record < 0) abort();
  }
}

static void put(const void *bytes, size_t length) {
  if (length > 0 && real_write(record, bytes, length) != (ssize_t)length) abort();
}

static int watched(const char *path) { return record >= 0 && strncmp(path, below, strlen(below)) == 0; }

static void tell(char kind, uint64_t inode, int64_t offset, const char *path, const char *other, const void *data,
                 size_t length) {
  uint64_t head[5] = {inode, (uint64_t)offset, strlen(path), strlen(other), length};
  put(&kind, 1);
  put(head, sizeof head);
  put(path, head[2]);
  put(other, head[3]);
  put(data, length);
}

/* The path of a descriptor, where it is one to watch; else nothing. */
static int named(int fd, char *path, size_t room, uint64_t *inode) {
  char link[64];
  struct stat is;
  if (record < 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, room - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  if (!watched(path) || fstat(fd, &is) != 0) return 0;
  *inode = is.st_ino;
  return 1;
}

static int opened(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  if (!(flags & (O_CREAT | O_TRUNC)) || !watched(path)) return real(path, flags, mode);
  pthread_mutex_lock(&turn);
  struct stat is;
  int was = lstat(path, &is) == 0;
  int fd = real(path, flags, mode);
  if (fd >= 0 && fstat(fd, &is) == 0) {
    if (!was) tell(CREATE, is.st_ino, 0, path, "", "", 0);
    else if (flags & O_TRUNC) tell(TRUNCATE, is.st_ino, 0, path, "", "", 0);
  }
  pthread_mutex_unlock(&turn);
  return fd;
}

#define OPEN(name)                                      \
  int name(const char *path, int flags, ...) {          \
    va_list more;                                       \
    va_start(more, flags);                              \
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; \
    va_end(more);                                       \
    return opened(REAL(name), path, flags, mode);       \
  }
OPEN(open)
OPEN(open64)

static void wrote(int fd, const void *data, ssize_t length, off64_t offset) {
  char path[4096];
  uint64_t inode;
  if (length > 0 && named(fd, path, sizeof path, &inode)) tell(WRITE, inode, offset, path, "", data, (size_t)length);
}

ssize_t write(int fd, const void *data, size_t length) {
  if (record < 0 || fd <= 2) return (real_write ? real_write : REAL(write))(fd, data, length);
  pthread_mutex_lock(&turn);
  off64_t offset = lseek64(fd, 0, SEEK_CUR);
  ssize_t done = real_write(fd, data, length);
  if (fcntl(fd, F_GETFL) & O_APPEND) offset = lseek64(fd, 0, SEEK_CUR) - done;
  wrote(fd, data, done, offset);
  pthread_mutex_unlock(&turn);
  return done;
}

#define PWRITE(name, type)                                                     \
  ssize_t name(int fd, const void *data, size_t length, type offset) {         \
    pthread_mutex_lock(&turn);                                                 \
    ssize_t done = REAL(name)(fd, data, length, offset);                       \
    wrote(fd, data, done, offset);                                             \
    pthread_mutex_unlock(&turn);                                               \
    return done;                                                               \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

/* Nothing of ours writes so; if that changes, the record would lie. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
  char path[4096];
  uint64_t inode;
  if (named(fd, path, sizeof path, &inode)) abort();
  return REAL(writev)(fd, parts, count);
}

#define TRUNCATED(name, type)                                                        \
  int name(int fd, type length) {                                                    \
    char path[4096];                                                                 \
    uint64_t inode;                                                                  \
    pthread_mutex_lock(&turn);                                                       \
    int failed = REAL(name)(fd, length);                                             \
    if (!failed && named(fd, path, sizeof path, &inode)) tell(TRUNCATE, inode, length, path, "", "", 0); \
    pthread_mutex_unlock(&turn);                                                     \
    return failed;                                                                   \
  }
TRUNCATED(ftruncate, off_t)
TRUNCATED(ftruncate64, off64_t)

#define SYNCED(name)                                                                 \
  int name(int fd) {                                                                 \
    char path[4096];                                                                 \
    uint64_t inode;                                                                  \
    pthread_mutex_lock(&turn);                                                       \
    int failed = REAL(name)(fd);                                                     \
    if (!failed && named(fd, path, sizeof path, &inode)) tell(SYNC, inode, 0, path, "", "", 0); \
    pthread_mutex_unlock(&turn);                                                     \
    return failed;                                                                   \
  }
SYNCED(fsync)
SYNCED(fdatasync)

int unlink(const char *path) {
  pthread_mutex_lock(&turn);
  int failed = REAL(unlink)(path);
  if (!failed && watched(path)) tell(UNLINK, 0, 0, path, "", "", 0);
  pthread_mutex_unlock(&turn);
  return failed;
}

int rename(const char *from, const char *to) {
  pthread_mutex_lock(&turn);
  int failed = REAL(rename)(from, to);
  if (!failed && watched(to)) tell(RENAME, 0, 0, from, to, "", 0);
  pthread_mutex_unlock(&turn);
  return failed;
}

int link(const char *from, const char *to) {
  pthread_mutex_lock(&turn);
  int failed = REAL(link)(from, to);
  if (!failed && watched(to)) tell(LINK, 0, 0, from, to, "", 0);
  pthread_mutex_unlock(&turn);
  return failed;
}

int mkdir(const char *path, mode_t mode) {
  pthread_mutex_lock(&turn);
  int failed = REAL(mkdir)(path, mode);
  if (!failed && watched(path)) tell(MKDIR, 0, 0, path, "", "", 0);
  pthread_mutex_unlock(&turn);
  return failed;
}
