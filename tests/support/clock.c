/* A wall clock that is behind by the seconds that the file $CLOCK_BEHIND holds; preloaded by support.clocks. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t behind(void) {
    char text[32] = "";
    const char *path = getenv("CLOCK_BEHIND");
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY) : -1;
    if (file < 0) return 0;
    (void)!read(file, text, sizeof text - 1);
    close(file);
    return (time_t)atol(text);
}

int clock_gettime(clockid_t id, struct timespec *now) {
    int failed = (int)syscall(SYS_clock_gettime, id, now);
    if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) now->tv_sec -= behind();
    return failed;
}

int gettimeofday(struct timeval *now, void *zone) {
    int failed = (int)syscall(SYS_gettimeofday, now, zone);
    if (!failed) now->tv_sec -= behind();
    return failed;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}
