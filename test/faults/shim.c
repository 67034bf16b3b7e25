/*
 * Fails one file call of a program, for real.
 *
 * Counts the calls that change something below the folders in FI_ROOTS (separated by colons) and, at call FI_AT,
 * does what FI_MODE says: kill (dead before the call), killafter (dead after it), torn (half of a write, then dead),
 * or the name of an error that the call gives back instead of being made. With FI_STICKY every later call fails too.
 * FI_LOG takes a line for each call, `<number> <call> <path>`, and before the fault `fired <number> <call> <path>`.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum fault { NONE, KILL, KILL_AFTER, TORN, FAIL };

static atomic_long calls;
static const char *roots = "";
static long at = -1;
static enum fault mode = NONE;
static int failure;
static int sticky;
static int log_fd = -1;

static const struct {
  const char *name;
  enum fault mode;
  int failure;
} MODES[] = {
    {"kill", KILL, 0},   {"killafter", KILL_AFTER, 0}, {"torn", TORN, 0},
    {"EIO", FAIL, EIO}, {"ENOSPC", FAIL, ENOSPC},     {"EROFS", FAIL, EROFS},
};

__attribute__((constructor)) static void begin(void) {
  const char *value;
  if ((value = getenv("FI_ROOTS"))) roots = value;
  if ((value = getenv("FI_AT"))) at = atol(value);
  sticky = getenv("FI_STICKY") != NULL;
  if ((value = getenv("FI_MODE")))
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++)
      if (strcmp(value, MODES[i].name) == 0) mode = MODES[i].mode, failure = MODES[i].failure;
  if ((value = getenv("FI_LOG")))
    log_fd = (int)syscall(SYS_openat, AT_FDCWD, value, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* The path that an open file has now, or an empty text. */
static void path_of_fd(int fd, char *out, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, out, size - 1);
  out[length > 0 ? length : 0] = 0;
}

/* A path in full. `/proc/self/fd/23/latest.json` and names relative to a folder begin at that folder. */
static void path_of(int folder, const char *path, char *out, size_t size) {
  static const char PREFIX[] = "/proc/self/fd/";
  if (path == NULL) path = "";
  if (strncmp(path, PREFIX, sizeof PREFIX - 1) == 0) {
    char *rest;
    folder = (int)strtol(path + sizeof PREFIX - 1, &rest, 10);
    path = *rest == '/' ? rest + 1 : rest;
  } else if (path[0] == '/') {
    snprintf(out, size, "%s", path);
    return;
  }
  char base[4096] = "";
  if (folder == AT_FDCWD) {
    if (getcwd(base, sizeof base) == NULL) base[0] = 0;
  } else
    path_of_fd(folder, base, sizeof base);
  snprintf(out, size, *path ? "%s/%s" : "%s%s", base, path);
}

static int is_watched(const char *path) {
  for (const char *root = roots; *root;) {
    size_t length = strcspn(root, ":");
    if (length > 0 && strncmp(path, root, length) == 0 && (path[length] == 0 || path[length] == '/')) return 1;
    root += length + (root[length] == ':');
  }
  return 0;
}

static void say(const char *first, long number, const char *call, const char *path) {
  if (log_fd < 0) return;
  char line[8300];
  int length = snprintf(line, sizeof line, "%s%ld %s %s\n", first, number, call, path);
  syscall(SYS_write, log_fd, line, length);
}

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

/* What befalls this call. A call that is to fail has errno set. */
static enum fault fate(const char *call, const char *path) {
  if (!is_watched(path)) return NONE;
  long number = atomic_fetch_add(&calls, 1) + 1;
  say("", number, call, path);
  if (mode == NONE || at < 0 || number < at || (number > at && !sticky)) return NONE;
  say("fired ", number, call, path);
  if (mode == KILL) die();
  if (mode == FAIL) errno = failure;
  return mode;
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

/* `full` is the path; the call is made unless it has to fail, and the process may end behind it. */
#define MAKE(call, made) \
  do { \
    enum fault fate_ = fate(call, full); \
    if (fate_ == FAIL) return -1; \
    __typeof__(made) result_ = made; \
    if (fate_ != NONE) die(); \
    return result_; \
  } while (0)

#define CHANGES(flags) (((flags) & O_ACCMODE) != O_RDONLY || ((flags) & (O_CREAT | O_TRUNC)))

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(int, name, const char *, int, ...); \
    va_list rest; \
    va_start(rest, flags); \
    int bits = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0; \
    va_end(rest); \
    if (!CHANGES(flags)) return real(path, flags, bits); \
    char full[8192]; \
    path_of(AT_FDCWD, path, full, sizeof full); \
    MAKE("open", real(path, flags, bits)); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    REAL(int, name, int, const char *, int, ...); \
    va_list rest; \
    va_start(rest, flags); \
    int bits = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0; \
    va_end(rest); \
    if (!CHANGES(flags)) return real(folder, path, flags, bits); \
    char full[8192]; \
    path_of(folder, path, full, sizeof full); \
    MAKE("open", real(folder, path, flags, bits)); \
  }
OPENAT(openat)
OPENAT(openat64)

/* Half of the bytes reach the file before the process ends. */
#define MAKE_WRITE(whole, half) \
  do { \
    char full[4096]; \
    path_of_fd(fd, full, sizeof full); \
    enum fault fate_ = fate("write", full); \
    if (fate_ == FAIL) return -1; \
    ssize_t result_ = fate_ == TORN ? half : whole; \
    if (fate_ != NONE) die(); \
    return result_; \
  } while (0)

ssize_t write(int fd, const void *bytes, size_t size) {
  REAL(ssize_t, write, int, const void *, size_t);
  MAKE_WRITE(real(fd, bytes, size), real(fd, bytes, size / 2));
}

#define PWRITE(name, offset_type) \
  ssize_t name(int fd, const void *bytes, size_t size, offset_type offset) { \
    REAL(ssize_t, name, int, const void *, size_t, offset_type); \
    MAKE_WRITE(real(fd, bytes, size, offset), real(fd, bytes, size / 2, offset)); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, writev, int, const struct iovec *, int);
  MAKE_WRITE(real(fd, parts, count), syscall(SYS_write, fd, parts[0].iov_base, parts[0].iov_len / 2));
}

#define BY_FD(name, parameters, arguments) \
  int name parameters { \
    static int(*real) parameters; \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name); \
    char full[4096]; \
    path_of_fd(fd, full, sizeof full); \
    MAKE(#name, real arguments); \
  }
BY_FD(fsync, (int fd), (fd))
BY_FD(fdatasync, (int fd), (fd))
BY_FD(ftruncate, (int fd, off_t size), (fd, size))
BY_FD(ftruncate64, (int fd, off64_t size), (fd, size))

#define BY_PATH(name, call, parameters, folder, arguments) \
  int name parameters { \
    static int(*real) parameters; \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name); \
    char full[8192]; \
    path_of(folder, path, full, sizeof full); \
    MAKE(call, real arguments); \
  }
BY_PATH(unlink, "unlink", (const char *path), AT_FDCWD, (path))
BY_PATH(unlinkat, "unlink", (int in, const char *path, int flags), in, (in, path, flags))
BY_PATH(rmdir, "rmdir", (const char *path), AT_FDCWD, (path))
BY_PATH(mkdir, "mkdir", (const char *path, mode_t bits), AT_FDCWD, (path, bits))
BY_PATH(mkdirat, "mkdir", (int in, const char *path, mode_t bits), in, (in, path, bits))
/* A file that gets another name counts where the new name is. */
BY_PATH(rename, "rename", (const char *from, const char *path), AT_FDCWD, (from, path))
BY_PATH(renameat, "rename", (int a, const char *from, int in, const char *path), in, (a, from, in, path))
BY_PATH(renameat2, "rename", (int a, const char *from, int in, const char *path, unsigned flags), in,
        (a, from, in, path, flags))
BY_PATH(link, "link", (const char *from, const char *path), AT_FDCWD, (from, path))
BY_PATH(linkat, "link", (int a, const char *from, int in, const char *path, int flags), in,
        (a, from, in, path, flags))
