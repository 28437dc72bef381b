/*
 * Loaded before everything else (LD_PRELOAD), it keeps a second copy of a folder that has only what a power cut would leave:
 * what was written with O_DSYNC, and whole files as they were when they were last synced. Files that are removed are gone there
 * at once, which is the worst a disk may do.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t copying = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Where the copy of a path lies; 0 when the path is not in the folder. */
static int survivor_of(const char *path, char *copy) {
  const char *folder = getenv("POWER_CUT_FOLDER");
  const char *survivors = getenv("POWER_CUT_SURVIVORS");
  if (!folder || !survivors || !path) return 0;
  size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0 || path[length] != '/') return 0;
  return snprintf(copy, PATH_MAX, "%s%s", survivors, path + length) < PATH_MAX;
}

static int path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return 1;
}

static void make_folders_of(char *path) {
  for (char *at = path + 1; *at; at++) {
    if (*at != '/') continue;
    *at = 0;
    mkdir(path, 0700);
    *at = '/';
  }
}

/* Written beside and renamed, so that a kill in the middle leaves the older copy. */
static void copy_file(const char *path, char *copy) {
  char fresh[PATH_MAX + 8];
  snprintf(fresh, sizeof fresh, "%s.part", copy);
  make_folders_of(copy);
  int from = open(path, O_RDONLY);
  int to = open(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  char block[65536];
  ssize_t size;
  while (from >= 0 && to >= 0 && (size = read(from, block, sizeof block)) > 0)
    if (REAL(write)(to, block, size) != size) break;
  if (from >= 0) close(from);
  if (to >= 0) close(to);
  REAL(rename)(fresh, copy);
}

static void synced(int fd) {
  char path[PATH_MAX], copy[PATH_MAX];
  struct stat facts;
  if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) return;
  if (!path_of(fd, path) || !survivor_of(path, copy)) return;
  pthread_mutex_lock(&copying);
  copy_file(path, copy);
  pthread_mutex_unlock(&copying);
}

static void written(int fd, const void *bytes, ssize_t size, off_t at) {
  char path[PATH_MAX], copy[PATH_MAX];
  if (size <= 0 || !(fcntl(fd, F_GETFL) & O_DSYNC) || !path_of(fd, path) || !survivor_of(path, copy)) return;
  pthread_mutex_lock(&copying);
  make_folders_of(copy);
  int to = open(copy, O_WRONLY | O_CREAT, 0600);
  if (to >= 0) {
    if (REAL(pwrite)(to, bytes, size, at) != size) perror(copy);
    close(to);
  }
  pthread_mutex_unlock(&copying);
}

int fsync(int fd) {
  int result = REAL(fsync)(fd);
  if (result == 0) synced(fd);
  return result;
}

int fdatasync(int fd) {
  int result = REAL(fdatasync)(fd);
  if (result == 0) synced(fd);
  return result;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  ssize_t result = REAL(pwrite)(fd, bytes, size, at);
  written(fd, bytes, result, at);
  return result;
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  ssize_t result = REAL(pwrite64)(fd, bytes, size, at);
  written(fd, bytes, result, at);
  return result;
}

int unlink(const char *path) {
  char copy[PATH_MAX];
  int result = REAL(unlink)(path);
  if (result == 0 && survivor_of(path, copy)) REAL(unlink)(copy);
  return result;
}

int rename(const char *from, const char *to) {
  char copy_from[PATH_MAX], copy_to[PATH_MAX];
  int result = REAL(rename)(from, to);
  if (result == 0 && survivor_of(from, copy_from) && survivor_of(to, copy_to)) REAL(rename)(copy_from, copy_to);
  return result;
}

int link(const char *from, const char *to) {
  char copy_from[PATH_MAX], copy_to[PATH_MAX];
  int result = REAL(link)(from, to);
  if (result == 0 && survivor_of(from, copy_from) && survivor_of(to, copy_to)) REAL(link)(copy_from, copy_to);
  return result;
}
