/**
 * The system calls of a codec, as a seccomp filter for one architecture.
 *
 * Listed calls pass. Calls that no codec makes end the process with SIGSYS, which shows an attack. All others are
 * refused with EPERM, so that an honest codec that tries one goes on without it. What may be opened is for Landlock to
 * say: a filter sees numbers, and no paths.
 */
import { type Code, keepBits, loadArchitecture, loadArgument, loadNumber, returnWith, when } from './bpf.ts';
import { type Architecture, SYSTEM_CALLS } from './system-calls.ts';

/** A dynamically linked program has a loader, which maps code: such a program may make code of its own, too. */
export type FilterKind = 'static' | 'dynamic';

/** linux/seccomp.h */
export const ALLOW = 0x7fff0000;
export const KILL_PROCESS = 0x80000000;
const ERROR = 0x00050000;
export const REFUSE = ERROR | 1; // EPERM
export const NOT_IMPLEMENTED = ERROR | 38; // ENOSYS
export const NOT_A_TERMINAL = ERROR | 25; // ENOTTY

/** Calls of x32, the other one under the audit number of x64, have this bit. */
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
  // Landlock grants ffmpeg alone. The launcher itself starts it by this call.
  'execve',
];

/** A loader finds out where its program lies. Elsewhere links would show what other processes have open. */
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
/** F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC; by others a file's owner gets signals, of one's choice. */
const FCNTL_COMMANDS = [0, 1, 2, 3, 4, 1030];

/** asm-generic/ioctls.h: whether a file is a terminal. */
const TCGETS = 0x5401;
/** asm/prctl.h: where a thread's own data lies. */
const ARCH_SET_FS = 0x1002;

/** A system call by its number, and what judges it. */
type Rule = readonly [number: number, judge: Code];

/** What the launcher has the kernel run for each system call of ffmpeg. */
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
    // Its flags lie in memory, which a filter cannot read. Libraries use clone instead.
    ...on('clone3', returnWith(NOT_IMPLEMENTED)),
    ...on('prlimit64', argumentAmong(0, [0])),
    ...on('fcntl', argumentAmong(1, FCNTL_COMMANDS)),
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

/** By halves: as it sets a filter, the kernel runs it for every number, which is most of the cost of a start. */
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

/** O_TRUNC empties a file also without the right to write, of which Landlock knows from its ABI 3 on. */
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
