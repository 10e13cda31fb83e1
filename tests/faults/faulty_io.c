/* Makes calls of the operating system fail, for files in one folder. Loaded with LD_PRELOAD and
 * controlled by `faulty_io.py`: the calls of one kind are counted, and those from the n-th on fail
 * with an error, or transfer fewer bytes than requested. No call
 * waits for the disk. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { NONE, OPEN, READ, WRITE, SYNC, RENAME, TRUNCATE };

static char folder[4096];
static enum kind armed = NONE;
static long first, calls, left;
static int error;     /* the error to return; 0 to transfer fewer bytes */
static size_t most;   /* the most bytes per call, if there is no error */

/* Fails `times` calls of a kind, beginning with the n-th. */
void faulty_arm(const char *under, int kind, long n, long times, int with, size_t bytes) {
    snprintf(folder, sizeof folder, "%s/", under);
    first = n;
    left = times;
    error = with;
    most = bytes;
    __atomic_store_n(&calls, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&armed, kind, __ATOMIC_SEQ_CST);
}

/* Ends the failures; returns how many calls there were. */
long faulty_disarm(void) {
    __atomic_store_n(&armed, NONE, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&calls, __ATOMIC_SEQ_CST);
}

static int inside(const char *path) { return strncmp(path, folder, strlen(folder)) == 0; }

static int open_inside(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return inside(path);
}

/* Whether this call fails. */
static int due(void) {
    long call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    return call >= first && call < first + left;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL_FILE(kind, file) \
    if (armed == (kind) && open_inside(file) && due() && error) { errno = error; return -1; }
#define FAIL_PATH(kind, path) \
    if (armed == (kind) && inside(path) && due() && error) { errno = error; return -1; }
/* Also limits the size. */
#define FAIL_SIZED(kind, file, size) \
    if (armed == (kind) && open_inside(file) && due()) { \
        if (error) { errno = error; return -1; } \
        if (size > most) size = most; \
    }

ssize_t read(int file, void *into, size_t size) {
    REAL(read);
    FAIL_SIZED(READ, file, size)
    return real(file, into, size);
}
ssize_t pread(int file, void *into, size_t size, off_t at) {
    REAL(pread);
    FAIL_SIZED(READ, file, size)
    return real(file, into, size, at);
}
ssize_t pread64(int file, void *into, size_t size, off64_t at) {
    REAL(pread64);
    FAIL_SIZED(READ, file, size)
    return real(file, into, size, at);
}
ssize_t write(int file, const void *from, size_t size) {
    REAL(write);
    FAIL_SIZED(WRITE, file, size)
    return real(file, from, size);
}
ssize_t pwrite(int file, const void *from, size_t size, off_t at) {
    REAL(pwrite);
    FAIL_SIZED(WRITE, file, size)
    return real(file, from, size, at);
}
ssize_t pwrite64(int file, const void *from, size_t size, off64_t at) {
    REAL(pwrite64);
    FAIL_SIZED(WRITE, file, size)
    return real(file, from, size, at);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(writev);
    FAIL_FILE(WRITE, file)
    return real(file, parts, count);
}
int fsync(int file) {
    REAL(fsync);
    FAIL_FILE(SYNC, file)
    return folder[0] && open_inside(file) ? 0 : real(file);
}
int fdatasync(int file) {
    REAL(fdatasync);
    FAIL_FILE(SYNC, file)
    return folder[0] && open_inside(file) ? 0 : real(file);
}
int ftruncate(int file, off_t size) {
    REAL(ftruncate);
    FAIL_FILE(TRUNCATE, file)
    return real(file, size);
}
int ftruncate64(int file, off64_t size) {
    REAL(ftruncate64);
    FAIL_FILE(TRUNCATE, file)
    return real(file, size);
}
int rename(const char *from, const char *to) {
    REAL(rename);
    FAIL_PATH(RENAME, to)
    return real(from, to);
}
int renameat(int folder_from, const char *from, int folder_to, const char *to) {
    REAL(renameat);
    FAIL_PATH(RENAME, to)
    return real(folder_from, from, folder_to, to);
}

#define MODE \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *path, int flags, ...) {
    REAL(open);
    MODE
    FAIL_PATH(OPEN, path)
    return real(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    REAL(open64);
    MODE
    FAIL_PATH(OPEN, path)
    return real(path, flags, mode);
}
