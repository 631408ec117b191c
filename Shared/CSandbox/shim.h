#pragma once
// What starting and closing in a process needs of Linux that Swift does not see: macros, and functions without a fixed number of
// arguments.
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Where a started process finds its connection, and the file that it was given.
static const int racha_connection = 3;
static const int racha_file = 4;

// Starts a program with these arguments, without environment, with nothing open but its connection, a file (or -1) and, as its standard
// streams, /dev/null. Both descriptors are above racha_file, and closed by exec. Returns an error's number.
static inline int racha_start(const char *path, char *const arguments[], int connection, int file, pid_t *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return error;
  error = posix_spawnattr_init(&attributes);
  if (error != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  char *const environment[] = {NULL};
  if ((error = posix_spawnattr_setsigmask(&attributes, &none)) == 0 &&
      (error = posix_spawnattr_setsigdefault(&attributes, &all)) == 0 &&
      (error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)) == 0 &&
      (error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0)) == 0 &&
      (error = posix_spawn_file_actions_adddup2(&actions, 0, 1)) == 0 &&
      (error = posix_spawn_file_actions_adddup2(&actions, 0, 2)) == 0 &&
      (error = posix_spawn_file_actions_adddup2(&actions, connection, racha_connection)) == 0 &&
      (file < 0 || (error = posix_spawn_file_actions_adddup2(&actions, file, racha_file)) == 0) &&
      (error = posix_spawn_file_actions_addclosefrom_np(&actions, file < 0 ? racha_file : racha_file + 1)) == 0)
    error = posix_spawn(process, path, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// A copy of a descriptor above those that a started process gets; -1 with errno.
static inline int racha_raise(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 16); }

// Whether this kernel filters system calls: a filter that cannot be read is refused for that alone.
static inline int racha_can_filter(void) {
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) == -1 && errno == EFAULT;
}

// Ends this process when the thread that started it ends; whether its process is still there.
static inline int racha_end_with(pid_t parent) {
  return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid() == parent;
}

static inline int racha_limit_one(int resource, rlim_t most) {
  struct rlimit limit = {most, most};
  return setrlimit((__rlimit_resource_t)resource, &limit) == 0;
}

// Bounds what this process may take: addresses (in bytes), time of the processor (in seconds); no file may be made or grow, no
// descriptor and no process be added. Whether all of that holds.
static inline int racha_limit(unsigned long memory, unsigned long seconds) {
  return racha_limit_one(RLIMIT_AS, memory) && racha_limit_one(RLIMIT_CPU, seconds) && racha_limit_one(RLIMIT_CORE, 0) &&
         racha_limit_one(RLIMIT_FSIZE, 0) && racha_limit_one(RLIMIT_NPROC, 0) && racha_limit_one(RLIMIT_NOFILE, 0) &&
         racha_limit_one(RLIMIT_MEMLOCK, 0) && racha_limit_one(RLIMIT_MSGQUEUE, 0);
}

#if defined(__x86_64__)
#define RACHA_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define RACHA_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "no filter of system calls is written for this processor"
#endif

#define RACHA_LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RACHA_RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define RACHA_FOR(call, what) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), RACHA_RETURN(what)
#define RACHA_ALLOW(call) RACHA_FOR(call, SECCOMP_RET_ALLOW)
#define RACHA_KILL(call) RACHA_FOR(call, SECCOMP_RET_KILL_PROCESS)
// Allowed for memory that holds no code. What is mapped and changed is the third argument of both; both processors are little-endian.
#define RACHA_ALLOW_DATA(call)                                                                     \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4),                                          \
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 2 * sizeof(__u64)), \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 4 /* PROT_EXEC */, 0, 1), RACHA_RETURN(SECCOMP_RET_KILL_PROCESS), RACHA_RETURN(SECCOMP_RET_ALLOW)

// Closes this process in, for good: from here on it computes, and reads and writes what is open, and nothing else. What would start a
// process, reach another one or the network ends it; whatever else fails with EPERM. Returns an error's number.
static inline int racha_close_in(void) {
  struct sock_filter filter[] = {
    RACHA_LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RACHA_ARCHITECTURE, 1, 0),
    RACHA_RETURN(SECCOMP_RET_KILL_PROCESS),
    RACHA_LOAD(nr),
    // The 32-bit calls of x86-64 have numbers of their own.
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
    RACHA_RETURN(SECCOMP_RET_KILL_PROCESS),
    RACHA_ALLOW(read), RACHA_ALLOW(write), RACHA_ALLOW(pread64), RACHA_ALLOW(lseek), RACHA_ALLOW(fstat),
    RACHA_ALLOW(brk), RACHA_ALLOW(munmap), RACHA_ALLOW(mremap), RACHA_ALLOW(madvise),
    RACHA_ALLOW(futex), RACHA_ALLOW(sched_yield), RACHA_ALLOW(sched_getaffinity), RACHA_ALLOW(sysinfo),
    RACHA_ALLOW(clock_gettime), RACHA_ALLOW(clock_getres), RACHA_ALLOW(gettimeofday), RACHA_ALLOW(getrusage), RACHA_ALLOW(getrandom),
    RACHA_ALLOW(getpid), RACHA_ALLOW(gettid), RACHA_ALLOW(rt_sigprocmask), RACHA_ALLOW(rt_sigreturn), RACHA_ALLOW(sigaltstack),
    RACHA_ALLOW(exit), RACHA_ALLOW(exit_group),
    RACHA_KILL(execve), RACHA_KILL(execveat), RACHA_KILL(clone), RACHA_KILL(clone3),
#ifdef __NR_fork
    RACHA_KILL(fork), RACHA_KILL(vfork),
#endif
    RACHA_KILL(socket), RACHA_KILL(socketpair), RACHA_KILL(connect), RACHA_KILL(bind), RACHA_KILL(listen), RACHA_KILL(sendto),
    RACHA_KILL(sendmsg), RACHA_KILL(recvmsg), RACHA_KILL(ptrace), RACHA_KILL(kill), RACHA_KILL(tkill),
    RACHA_KILL(process_vm_readv), RACHA_KILL(process_vm_writev), RACHA_KILL(bpf), RACHA_KILL(unshare), RACHA_KILL(setns),
    RACHA_KILL(mount), RACHA_KILL(perf_event_open), RACHA_KILL(userfaultfd), RACHA_KILL(keyctl), RACHA_KILL(add_key),
    RACHA_KILL(io_uring_setup), RACHA_KILL(pidfd_open), RACHA_KILL(pidfd_getfd), RACHA_KILL(memfd_create),
    RACHA_ALLOW_DATA(mmap), RACHA_ALLOW_DATA(mprotect),
    RACHA_RETURN(SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA)),
  };
  struct sock_fprog program = {(unsigned short)(sizeof(filter) / sizeof(filter[0])), filter};
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  // Of all threads, should there be more than this one.
  long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  if (result == 0) return 0;
  return result > 0 ? ESRCH : errno;
}
