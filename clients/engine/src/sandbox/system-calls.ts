/**
 * Numbers of system calls from the kernel's tables: arch/x86/entry/syscalls/syscall_64.tbl for x64, and
 * include/uapi/asm-generic/unistd.h for arm64, which omits superseded calls (`open`, `fork`, …).
 */
export type Architecture = 'x64' | 'arm64';

interface SystemCallTable {
  /** linux/audit.h: what the kernel calls the architecture in `seccomp_data.arch`. */
  readonly audit: number;
  readonly numbers: Readonly<Record<string, number>>;
}

export const SYSTEM_CALLS: Readonly<Record<Architecture, SystemCallTable>> = {
  x64: {
    audit: 0xc000003e,
    numbers: {
      ...{ read: 0, write: 1, open: 2, close: 3, stat: 4, fstat: 5, lstat: 6, poll: 7, lseek: 8, mmap: 9 },
      ...{ mprotect: 10, munmap: 11, brk: 12, rt_sigaction: 13, rt_sigprocmask: 14, rt_sigreturn: 15 },
      ...{ ioctl: 16, pread64: 17, pwrite64: 18, readv: 19, writev: 20, access: 21, pipe: 22, select: 23 },
      ...{ sched_yield: 24, mremap: 25, madvise: 28, dup: 32, dup2: 33, nanosleep: 35, getpid: 39 },
      ...{
        socket: 41,
        connect: 42,
        accept: 43,
        sendto: 44,
        recvfrom: 45,
        sendmsg: 46,
        recvmsg: 47,
        bind: 49,
      },
      ...{ listen: 50, socketpair: 53, clone: 56, fork: 57, vfork: 58, execve: 59, exit: 60, uname: 63 },
      ...{ fcntl: 72, fsync: 74, ftruncate: 77, getcwd: 79, readlink: 89, gettimeofday: 96, getrlimit: 97 },
      ...{ getrusage: 98, sysinfo: 99, times: 100, ptrace: 101, getuid: 102, syslog: 103, getgid: 104 },
      ...{ geteuid: 107, getegid: 108, setpgid: 109, setsid: 112, sigaltstack: 131, personality: 135 },
      ...{ modify_ldt: 154, pivot_root: 155, arch_prctl: 158, chroot: 161, mount: 165, umount2: 166 },
      ...{ reboot: 169, init_module: 175, gettid: 186, time: 201, futex: 202, sched_getaffinity: 204 },
      ...{ set_tid_address: 218, restart_syscall: 219, clock_gettime: 228, clock_getres: 229 },
      ...{ clock_nanosleep: 230, exit_group: 231, kexec_load: 246, add_key: 248, request_key: 249 },
      ...{ keyctl: 250, openat: 257, newfstatat: 262, readlinkat: 267, faccessat: 269, pselect6: 270 },
      ...{ ppoll: 271, unshare: 272, set_robust_list: 273, accept4: 288, dup3: 292, pipe2: 293 },
      ...{ perf_event_open: 298, prlimit64: 302, open_by_handle_at: 304, setns: 308 },
      ...{ process_vm_readv: 310, process_vm_writev: 311, kcmp: 312, finit_module: 313, getrandom: 318 },
      ...{ memfd_create: 319, bpf: 321, execveat: 322, userfaultfd: 323, statx: 332, rseq: 334 },
      ...{ pidfd_send_signal: 424, io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427 },
      ...{ open_tree: 428, move_mount: 429, fsopen: 430, fsmount: 432, pidfd_open: 434, clone3: 435 },
      ...{ pidfd_getfd: 438, faccessat2: 439, mount_setattr: 442, memfd_secret: 447 },
    },
  },
  arm64: {
    audit: 0xc00000b7,
    numbers: {
      ...{ getcwd: 17, dup: 23, dup3: 24, fcntl: 25, ioctl: 29, umount2: 39, mount: 40, pivot_root: 41 },
      ...{ ftruncate: 46, faccessat: 48, chroot: 51, openat: 56, close: 57, pipe2: 59, lseek: 62, read: 63 },
      ...{ write: 64, readv: 65, writev: 66, pread64: 67, pwrite64: 68, pselect6: 72, ppoll: 73 },
      ...{ readlinkat: 78, newfstatat: 79, fstat: 80, fsync: 82, personality: 92, exit: 93, exit_group: 94 },
      ...{ set_tid_address: 96, unshare: 97, futex: 98, set_robust_list: 99, nanosleep: 101 },
      ...{ kexec_load: 104, init_module: 105, clock_gettime: 113, clock_getres: 114, clock_nanosleep: 115 },
      ...{ syslog: 116, ptrace: 117, sched_getaffinity: 123, sched_yield: 124, restart_syscall: 128 },
      ...{ sigaltstack: 132, rt_sigaction: 134, rt_sigprocmask: 135, rt_sigreturn: 139, reboot: 142 },
      ...{ times: 153, setpgid: 154, setsid: 157, uname: 160, getrlimit: 163, getrusage: 165 },
      ...{ gettimeofday: 169, getpid: 172, getuid: 174, geteuid: 175, getgid: 176, getegid: 177 },
      ...{ gettid: 178, sysinfo: 179, socket: 198, socketpair: 199, bind: 200, listen: 201, accept: 202 },
      ...{ connect: 203, sendto: 206, recvfrom: 207, sendmsg: 211, recvmsg: 212, brk: 214, munmap: 215 },
      ...{ mremap: 216, add_key: 217, request_key: 218, keyctl: 219, clone: 220, execve: 221, mmap: 222 },
      ...{ mprotect: 226, madvise: 233, perf_event_open: 241, accept4: 242, prlimit64: 261 },
      ...{ open_by_handle_at: 265, setns: 268, process_vm_readv: 270, process_vm_writev: 271, kcmp: 272 },
      ...{ finit_module: 273, getrandom: 278, memfd_create: 279, bpf: 280, execveat: 281 },
      ...{ userfaultfd: 282, statx: 291, rseq: 293, pidfd_send_signal: 424, io_uring_setup: 425 },
      ...{ io_uring_enter: 426, io_uring_register: 427, open_tree: 428, move_mount: 429, fsopen: 430 },
      ...{ fsmount: 432, pidfd_open: 434, clone3: 435, pidfd_getfd: 438, faccessat2: 439 },
      ...{ mount_setattr: 442, memfd_secret: 447 },
    },
  },
};
