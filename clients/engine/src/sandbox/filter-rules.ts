/**
 * The system calls of a codec, as a seccomp filter for one architecture.
 *
 * Listed calls are allowed. Calls that no codec makes end the process with SIGSYS, which indicates an attack.
 * All others fail with EPERM, so that an honest codec that tries one continues without it. Landlock decides
 * which files may be opened, because a filter sees numbers and no paths.
 */
import { type Code, keepBits, loadArchitecture, loadArgument, loadNumber, returnWith, when } from './bpf.ts';
import { type Architecture, SYSTEM_CALLS } from './system-calls.ts';

/**
 * A dynamically linked program has a loader, which maps code, so such a program can also create code itself.
 */
export type FilterKind = 'static' | 'dynamic';

/** linux/seccomp.h */
export const ALLOW = 0x7fff0000;
export const KILL_PROCESS = 0x80000000;
const ERROR = 0x00050000;
export const REFUSE = ERROR | 1; // EPERM
export const NOT_IMPLEMENTED = ERROR | 38; // ENOSYS
export const NOT_A_TERMINAL = ERROR | 25; // ENOTTY

/** Calls of x32, which shares the audit number of x64, have this bit. */
const X32_BIT = 0x40000000;

const PASSING = [
  ...['read', 'write', 'readv', 'writev', 'pread64', 'pwrite64', 'lseek', 'close', 'fsync', 'ftruncate'],
  ...['stat', 'lstat', 'fstat', 'newfstatat', 'statx', 'access', 'faccessat', 'faccessat2', 'getcwd'],
  ...['dup', 'dup2', 'dup3', 'pipe', 'pipe2', 'poll', 'ppoll', 'select', 'pselect6'],
  ...['brk', 'munmap', 'mremap', 'madvise', 'futex', 'set_robust_list', 'rseq', 'set_tid_address'],
  ...['rt_sigaction', 'rt_sigprocmask', 'rt_sigreturn', 'sigaltstack', 'restart_syscall'],
  ...['gettimeofday', 'time', 'clock_gettime', 'clock_getres', 'clock_nanosleep', 'nanosleep', 'times'],
  ...['getpid', 'gettid', 'getuid', 'geteuid', 'getgid', 'getegid', 'getrlimit', 'getrusage', 'getrandom'],
  ...['uname', 'sysinfo', 'sched_yield', 'sched_getaffinity', 'exit', 'exit_group'],
  // Landlock allows executing only ffmpeg. The launcher itself starts it with this call.
  'execve',
];

/** A loader determines where its program is. Links elsewhere would show what other processes have open. */
const PASSING_FOR_LOADERS = ['readlink', 'readlinkat'];

const HOSTILE = [
  ...['socket', 'socketpair', 'connect', 'bind', 'listen', 'accept', 'accept4'],
  ...['sendto', 'recvfrom', 'sendmsg', 'recvmsg'],
  ...['ptrace', 'process_vm_readv', 'process_vm_writev', 'kcmp'],
  ...['pidfd_open', 'pidfd_getfd', 'pidfd_send_signal', 'memfd_create', 'memfd_secret', 'execveat'],
  ...['fork', 'vfork', 'setsid', 'setpgid', 'personality', 'modify_ldt', 'unshare', 'setns', 'chroot'],
  ...['pivot_root', 'mount', 'umount2', 'open_tree', 'move_mount', 'fsopen', 'fsmount', 'mount_setattr'],
  ...['open_by_handle_at', 'io_uring_setup', 'io_uring_enter', 'io_uring_register', 'bpf', 'userfaultfd'],
  ...['perf_event_open', 'keyctl', 'add_key', 'request_key', 'init_module', 'finit_module', 'kexec_load'],
  ...['reboot', 'syslog'],
];

/** linux/sched.h */
const CLONE_THREAD = 0x00010000;
/** CLONE_NEW…: time, mount, control groups, host name, messages, users, processes, network. */
const CLONE_NEW_NAMESPACE = 0x7e020080;

/** asm-generic/mman-common.h */
const PROT_EXEC = 0x4;

/** asm-generic/fcntl.h */
const O_ACCMODE = 0x3;
const O_TRUNC = 0x200;
/** Other commands can set a file's owner, to which the kernel then sends signals of the caller's choice. */
const FCNTL_COMMANDS = {
  ...{ F_DUPFD: 0, F_GETFD: 1, F_SETFD: 2, F_GETFL: 3, F_SETFL: 4, F_DUPFD_CLOEXEC: 1030 },
};

/** asm-generic/ioctls.h: whether a file is a terminal. */
const TCGETS = 0x5401;
/** asm/prctl.h: the address of a thread's own data. */
const ARCH_SET_FS = 0x1002;

/**
 * The names in the kernel's headers for the numbers above, on both architectures; the build of the launcher
 * compares them.
 */
export const NAMED_IN_HEADERS: Readonly<Record<string, number>> = {
  ...{
    SECCOMP_RET_ALLOW: ALLOW,
    SECCOMP_RET_KILL_PROCESS: KILL_PROCESS,
    'SECCOMP_RET_ERRNO | EPERM': REFUSE,
  },
  ...{ 'SECCOMP_RET_ERRNO | ENOSYS': NOT_IMPLEMENTED, 'SECCOMP_RET_ERRNO | ENOTTY': NOT_A_TERMINAL },
  'CLONE_NEWTIME | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET':
    CLONE_NEW_NAMESPACE,
  ...{ CLONE_THREAD, PROT_EXEC, O_ACCMODE, O_TRUNC, TCGETS, ...FCNTL_COMMANDS },
};

/** A system call by its number, and the rule that decides about it. */
type Rule = readonly [number: number, judge: Code];

/** The program that the kernel runs for each system call of ffmpeg, installed by the launcher. */
export function seccompFilter(architecture: Architecture, kind: FilterKind): Code {
  const { audit, numbers } = SYSTEM_CALLS[architecture];
  const on = (name: string, judge: Code): readonly Rule[] => {
    const number = numbers[name];
    return number === undefined ? [] : [[number, judge]];
  };
  const eachOf = (names: readonly string[], result: number): readonly Rule[] =>
    names.flatMap((name) => on(name, returnWith(result)));
  const isDynamic = kind === 'dynamic';
  const rules: readonly Rule[] = [
    ...eachOf([...PASSING, ...(isDynamic ? PASSING_FOR_LOADERS : [])], ALLOW),
    ...eachOf(HOSTILE, KILL_PROCESS),
    ...on('open', openUntruncated(1)),
    ...on('openat', openUntruncated(2)),
    ...on('mmap', isDynamic ? returnWith(ALLOW) : dataOnly()),
    ...on('mprotect', isDynamic ? returnWith(ALLOW) : dataOnly()),
    ...on('clone', threadsOnly()),
    // Its flags are in memory, which a filter cannot read. Libraries use clone instead.
    ...on('clone3', returnWith(NOT_IMPLEMENTED)),
    ...on('prlimit64', argumentAmong(0, [0])),
    ...on('fcntl', argumentAmong(1, Object.values(FCNTL_COMMANDS))),
    ...on('arch_prctl', argumentAmong(0, [ARCH_SET_FS])),
    ...on('ioctl', [
      ...loadArgument(1),
      ...when('is', TCGETS, returnWith(NOT_A_TERMINAL)),
      ...returnWith(REFUSE),
    ]),
  ];
  return [
    ...loadArchitecture,
    ...when('is not', audit, returnWith(KILL_PROCESS)),
    ...loadNumber,
    ...(architecture === 'x64' ? when('is at least', X32_BIT, returnWith(KILL_PROCESS)) : []),
    ...search(rules.toSorted(([one], [other]) => one - other)),
  ];
}

/**
 * A binary search: when a filter is installed, the kernel runs it for every number, which is most of the cost
 * of a start.
 */
function search(rules: readonly Rule[]): Code {
  if (rules.length <= 3) {
    return [...rules.flatMap(([number, judge]) => when('is', number, judge)), ...returnWith(REFUSE)];
  }
  const [pivot] = rules[Math.floor(rules.length / 2)] ?? [0];
  return [
    ...when('is at least', pivot, search(rules.filter(([number]) => number >= pivot))),
    ...search(rules.filter(([number]) => number < pivot)),
  ];
}

/** O_TRUNC also empties a file without write permission; Landlock covers that only from its ABI 3 on. */
function openUntruncated(flags: number): Code {
  return [
    ...loadArgument(flags),
    ...keepBits(O_TRUNC | O_ACCMODE),
    ...when('is', O_TRUNC, returnWith(REFUSE)),
    ...returnWith(ALLOW),
  ];
}

function dataOnly(): Code {
  return [...loadArgument(2), ...when('has a bit of', PROT_EXEC, returnWith(REFUSE)), ...returnWith(ALLOW)];
}

function threadsOnly(): Code {
  return [
    ...loadArgument(0),
    ...keepBits(CLONE_THREAD | CLONE_NEW_NAMESPACE),
    ...when('is', CLONE_THREAD, returnWith(ALLOW)),
    ...returnWith(KILL_PROCESS),
  ];
}

function argumentAmong(index: number, allowed: readonly number[]): Code {
  return [
    ...loadArgument(index),
    ...allowed.flatMap((value) => when('is', value, returnWith(ALLOW))),
    ...returnWith(REFUSE),
  ];
}
