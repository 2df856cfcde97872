"""A library, loaded before others, with which one write, fsync or rename of the store fails."""

import shutil
import subprocess
import sys
from pathlib import Path

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int is_ours(int fd) {
    char link[64], path[4096];
    const char *home = getenv("ATTACK_HOME");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = home ? readlink(link, path, sizeof path - 1) : -1;
    if (n < 0) return 0;
    path[n] = 0;
    return strncmp(path, home, strlen(home)) == 0;
}
/* Whether this is the call that fails. Calls of all processes of one command are counted in one file, a byte each. */
static int fails(void) {
    static ssize_t (*plain)(int, const void *, size_t);
    if (!plain) plain = dlsym(RTLD_NEXT, "write");
    int fd = open(getenv("ATTACK_COUNT"), O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (fd < 0) return 0;
    plain(fd, "x", 1);
    long count = lseek(fd, 0, SEEK_END);
    close(fd);
    return count == atol(getenv("ATTACK_AT"));
}
static int refuse(void) { errno = atoi(getenv("ATTACK_ERROR")); return -1; }
#define NEXT(name) static __typeof__(name) *next; if (!next) next = dlsym(RTLD_NEXT, #name)
ssize_t write(int fd, const void *b, size_t n) { NEXT(write); return is_ours(fd) && fails() ? refuse() : next(fd, b, n); }
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t o) {
    NEXT(pwrite64);
    return is_ours(fd) && fails() ? refuse() : next(fd, b, n, o);
}
ssize_t pwrite(int fd, const void *b, size_t n, off_t o) {
    NEXT(pwrite);
    return is_ours(fd) && fails() ? refuse() : next(fd, b, n, o);
}
int fsync(int fd) { NEXT(fsync); return is_ours(fd) && fails() ? refuse() : next(fd); }
int fdatasync(int fd) { NEXT(fdatasync); return is_ours(fd) && fails() ? refuse() : next(fd); }
int rename(const char *a, const char *b) {
    NEXT(rename);
    const char *home = getenv("ATTACK_HOME");
    return home && strncmp(b, home, strlen(home)) == 0 && fails() ? refuse() : next(a, b);
}
"""


def compiled_shim(folder: Path) -> Path | None:
    """The library that lets calls fail; None, with a line on stderr, where there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        print("no C compiler: no I/O errors are tried", file=sys.stderr)
        return None
    source, made = folder / "shim.c", folder / "shim.so"
    source.write_text(SHIM)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", made, source, "-ldl"], check=True)
    return made
