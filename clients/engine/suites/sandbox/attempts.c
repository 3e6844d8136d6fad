/*
 * attempts: what somebody would try who has taken ffmpeg over, each by its name. It stands in ffmpeg's place in tests.
 *
 *   attempts NAME SERVICE_PID OTHER_JOB OUTPUT TCP_PORT SECRET
 *   attempts -version           as ffmpeg does when the sandbox is looked for
 *   attempts -names             one a line
 *   attempts ANYTHING ELSE      as ffmpeg is called for a job: makes a socket
 *
 * SERVICE_PID is a process that the test has started in the service's place. It listens at TCP_PORT and at the socket
 * `socket`, by path and by that path as an abstract name; at the address SECRET of its memory lies what IS_SECRET says.
 * OTHER_JOB is a folder, its name with a slash at the end, that has the socket and the files `source`, `deleted` and
 * `renamed`. OUTPUT is the file that may be written, which is executable.
 *
 * The exit code says what came of it: 0, it succeeded to the end; 1, it was refused; 2, it failed otherwise, and stderr
 * has the error's number; 3, it cannot be tried. What is executed is this program, the service's or a shell, each of which
 * ends with 0. As root it attempts nothing. Whatever it reaches is the test's own: processes get SIGCONT, mounts name
 * nothing that could be mounted, and every loop is short.
 */
#include <asm/errno.h>
#include <asm/ioctls.h>
#include <asm/signal.h>
#include <linux/bpf.h>
#include <linux/fcntl.h>
#include <linux/in.h>
#include <linux/io_uring.h>
#include <linux/ipc.h>
#include <linux/kcmp.h>
#include <linux/keyctl.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <linux/personality.h>
#include <linux/ptrace.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/stat.h>
#include <linux/uio.h>
#include <linux/un.h>

#include "system-call.h"

enum { SUCCEEDED = 0, REFUSED = 1, FAILED = 2, NOT_TRIED = 3 };
enum { HERE = AT_FDCWD, OUTPUT_STREAM = 1, ERROR_STREAM = 2, NO_FILE = -1, PAGE = 4096 };
/* Of the C library's headers. */
enum { UNIX = 1, INTERNET = 2, NETLINK = 16, VSOCK = 40, STREAM = 1, DATAGRAM = 2, RAW = 3, EMPTY_PATH = 0x1000 };

struct targets {
  const char *program;
  int service;
  const char *service_files;
  const char *other_job;
  const char *output;
  unsigned short port;
  word secret;
};
static struct targets targets;
#define IS_SECRET "of the service"

/* Two texts in one; each is used up before the next one is made. */
static const char *join(const char *first, const char *second) {
  static char joined[4096];
  char *at = joined;
  while (*first != 0 && at < joined + 2000) *at++ = *first++;
  while (*second != 0 && at < joined + 4000) *at++ = *second++;
  *at = 0;
  return joined;
}

static const char *of_service(const char *name) { return join(targets.service_files, name); }
static const char *of_other_job(const char *name) { return join(targets.other_job, name); }

static long open_file(const char *path, int flags) { return CALL(__NR_openat, HERE, path, flags, 0600); }
static long read_file(const char *path) { return open_file(path, O_RDONLY); }
static long list_folder(const char *path) {
  static char entries[1024];
  long folder = open_file(path, O_RDONLY | O_DIRECTORY);
  return folder < 0 ? folder : CALL(__NR_getdents64, folder, entries, sizeof entries);
}

/*
 * A call for what another one opens: with nothing opened the kernel has EBADF for it, if it gets to know of it. Else a
 * sandbox that stops the other call would hide that this one is allowed.
 */
#define LET_THROUGH(call)                   \
  do {                                      \
    long alone = (call);                    \
    if (alone != -EBADF) return alone;      \
  } while (0)

/* --- what the service knows --- */

static char borrowed[] = IS_SECRET;
static struct iovec here(void) { return (struct iovec){borrowed, sizeof borrowed - 1}; }
static struct iovec there(void) { return (struct iovec){(void *)targets.secret, sizeof borrowed - 1}; }

static long read_environ(void) { return read_file(of_service("environ")); }
static long open_memory(void) { return read_file(of_service("mem")); }
static long read_memory_map(void) { return read_file(of_service("maps")); }
static long read_command_line(void) { return read_file(of_service("cmdline")); }
static long list_descriptors(void) { return list_folder(of_service("fd")); }
static long reopen_descriptor(void) { return read_file(of_service("fd/0")); }
static long enter_root(void) { return read_file(of_service("root/proc/version")); }
static long enter_working_folder(void) { return list_folder(of_service("cwd/")); }
static long read_memory(void) {
  struct iovec local = here(), remote = there();
  borrowed[0] = 0;
  long result = CALL(__NR_process_vm_readv, targets.service, &local, 1, &remote, 1);
  return result < 0 || is_same(borrowed, IS_SECRET) ? result : -EIO;
}
/* What lies there already. */
static long write_memory(void) {
  struct iovec local = here(), remote = there();
  return CALL(__NR_process_vm_writev, targets.service, &local, 1, &remote, 1);
}
static long trace(void) { return CALL(__NR_ptrace, 0x4206 /* PTRACE_SEIZE */, targets.service); }
static long open_process(void) { return CALL(__NR_pidfd_open, targets.service, 0); }
static long take_descriptor(void) {
  LET_THROUGH(CALL(__NR_pidfd_getfd, NO_FILE, 0, 0));
  long process = open_process();
  return process < 0 ? process : CALL(__NR_pidfd_getfd, process, 0, 0);
}
static long compare_processes(void) { return CALL(__NR_kcmp, targets.service, targets.service, KCMP_FILES); }

/* --- what the service does --- */

static long signal_service(void) { return CALL(__NR_kill, targets.service, SIGCONT); }
static long signal_thread(void) { return CALL(__NR_tkill, targets.service, SIGCONT); }
static long signal_thread_of_group(void) { return CALL(__NR_tgkill, targets.service, targets.service, SIGCONT); }
static long queue_signal(void) {
  struct {
    int number, error, code, padding[29];
  } info = {.number = SIGCONT, .code = -1 /* SI_QUEUE */};
  return CALL(__NR_rt_sigqueueinfo, targets.service, SIGCONT, &info);
}
static long signal_by_descriptor(void) {
  LET_THROUGH(CALL(__NR_pidfd_send_signal, NO_FILE, SIGCONT));
  long process = open_process();
  return process < 0 ? process : CALL(__NR_pidfd_send_signal, process, SIGCONT);
}
static long own_file(void) { return CALL(__NR_fcntl, OUTPUT_STREAM, F_SETOWN, targets.service); }
static long choose_signal_of_file(void) { return CALL(__NR_fcntl, OUTPUT_STREAM, F_SETSIG, SIGCONT); }
static long limit_service(void) {
  unsigned long long none[2] = {0, 0};
  return CALL(__NR_prlimit64, targets.service, RLIMIT_CORE, none, 0);
}
static long slow_service(void) { return CALL(__NR_setpriority, 0, targets.service, 19); }
/* To the processors that it may use itself. */
static long pin_service(void) {
  static unsigned long processors[128];
  long bytes = CALL(__NR_sched_getaffinity, 0, sizeof processors, processors);
  return bytes < 0 ? bytes : CALL(__NR_sched_setaffinity, targets.service, bytes, processors);
}
static long idle_service(void) {
  int priority = 0;
  return CALL(__NR_sched_setscheduler, targets.service, SCHED_IDLE, &priority);
}
static long slow_disk_of_service(void) { return CALL(__NR_ioprio_set, 1, targets.service, 3 << 13); }

/* --- files --- */

static long read_sources(void) { return read_file(of_service("exe")); }
static long read_users(void) { return read_file("/etc/passwd"); }
static long list_root(void) { return list_folder("/"); }
static long list_processes(void) { return list_folder("/proc"); }
static long read_own_environ(void) { return read_file("/proc/self/environ"); }
static long read_other_job(void) { return read_file(of_other_job("source")); }
static long list_other_job(void) { return list_folder(targets.other_job); }
static long write_other_job(void) { return open_file(of_other_job("source"), O_WRONLY); }
static long empty_other_job(void) { return CALL(__NR_truncate, of_other_job("source"), 0); }
static long create_in_other_job(void) { return open_file(of_other_job("created"), O_WRONLY | O_CREAT); }
static long delete_in_other_job(void) { return CALL(__NR_unlinkat, HERE, of_other_job("deleted"), 0); }
static long rename_in_other_job(void) {
  return CALL(__NR_renameat2, HERE, of_other_job("renamed"), HERE, "renamed-by-attempt", 0);
}
static long link_from_other_job(void) { return CALL(__NR_linkat, HERE, of_other_job("source"), HERE, "linked", 0); }
static long make_symbolic_link(void) { return CALL(__NR_symlinkat, "/etc/passwd", HERE, "symbolic"); }
static long make_folder(void) { return CALL(__NR_mkdirat, HERE, "folder", 0700); }
static long make_device(void) { return CALL(__NR_mknodat, HERE, "fifo", 0010600 /* a FIFO */, 0); }
static long write_elsewhere(void) { return open_file("elsewhere", O_WRONLY | O_CREAT); }
static long change_mode(void) { return CALL(__NR_fchmodat, HERE, of_other_job("source"), 0644); }
static long change_owner(void) {
  return CALL(__NR_fchownat, HERE, of_other_job("source"), CALL(__NR_geteuid), CALL(__NR_getegid), 0);
}
static long change_times(void) { return CALL(__NR_utimensat, HERE, of_other_job("source"), 0, 0); }
static long set_attribute(void) { return CALL(__NR_setxattr, of_other_job("source"), "user.attempt", "x", 1, 0); }
/* Four times what the test allows. Beyond it there is SIGXFSZ, which ends the attempt. */
static long fill_disk(void) {
  static char block[1 << 16];
  long file = open_file(targets.output, O_WRONLY);
  if (file < 0) return file;
  for (int blocks = 0; blocks < 4; blocks++) {
    long written = CALL(__NR_write, file, block, sizeof block);
    if (written < 0) return written;
    if (written != (long)sizeof block) return -EPERM;
  }
  return 0;
}

/* --- the network --- */

static long socket_of(int family, int type) { return CALL(__NR_socket, family, type, 0); }
static struct sockaddr_in loopback(unsigned short port) {
  unsigned short swapped = (unsigned short)(port << 8 | port >> 8);
  return (struct sockaddr_in){.sin_family = INTERNET, .sin_port = swapped, .sin_addr = {0x0100007f}};
}
static long connect_to(int family, const void *address, word length) {
  LET_THROUGH(CALL(__NR_connect, NO_FILE, address, length));
  long socket = socket_of(family, STREAM);
  return socket < 0 ? socket : CALL(__NR_connect, socket, address, length);
}
static long connect_tcp(void) {
  struct sockaddr_in address = loopback(targets.port);
  return connect_to(INTERNET, &address, sizeof address);
}
static long send_udp(void) {
  struct sockaddr_in address = loopback(targets.port);
  LET_THROUGH(CALL(__NR_sendto, NO_FILE, "x", 1, 0, &address, sizeof address));
  long socket = socket_of(INTERNET, DATAGRAM);
  return socket < 0 ? socket : CALL(__NR_sendto, socket, "x", 1, 0, &address, sizeof address);
}
static long listen_tcp(void) {
  struct sockaddr_in address = loopback(0);
  LET_THROUGH(CALL(__NR_bind, NO_FILE, &address, sizeof address));
  LET_THROUGH(CALL(__NR_listen, NO_FILE, 1));
  long socket = socket_of(INTERNET, STREAM);
  if (socket < 0) return socket;
  long bound = CALL(__NR_bind, socket, &address, sizeof address);
  return bound < 0 ? bound : CALL(__NR_listen, socket, 1);
}
static long connect_unix(int is_abstract) {
  struct sockaddr_un address = {.sun_family = UNIX};
  const char *path = of_other_job("socket");
  word length = length_of(path);
  if (length > sizeof address.sun_path - 2) return -ENAMETOOLONG;
  for (word at = 0; at < length; at++) address.sun_path[at + is_abstract] = path[at];
  return connect_to(UNIX, &address, sizeof address.sun_family + length + 1);
}
static long connect_unix_path(void) { return connect_unix(0); }
static long connect_unix_abstract(void) { return connect_unix(1); }
static long open_netlink(void) { return socket_of(NETLINK, RAW); }
static long open_vsock(void) { return socket_of(VSOCK, STREAM); }
static long pair_sockets(void) {
  int pair[2];
  return CALL(__NR_socketpair, UNIX, STREAM, 0, pair);
}

/* --- processes and code --- */

static long fork_with(unsigned long flags) {
  long child = CALL(__NR_clone, flags | SIGCHLD);
  if (child == 0) quit(0);
  return child;
}
#ifdef __NR_fork
static long fork_process(void) {
  long child = CALL(__NR_fork);
  if (child == 0) quit(0);
  return child;
}
#else
static long fork_process(void) { return fork_with(0); }
#endif
static long clone_process(void) { return fork_with(0); }
static long clone_and_wait(void) { return fork_with(CLONE_VFORK); }
static long clone3_process(void) {
  struct clone_args arguments = {.exit_signal = SIGCHLD};
  long child = CALL(__NR_clone3, &arguments, sizeof arguments);
  if (child == 0) quit(0);
  return child;
}
/* A bomb of eight. */
static long fork_many(void) {
  long child = 0;
  for (int children = 0; children < 8 && child >= 0; children++) child = clone_process();
  return child;
}
static char *const SHOW_VERSION[] = {"attempts", "-version", 0};
static char *const SHOW_VERSION_OF_NODE[] = {"node", "--version", 0};
static char *const DO_NOTHING[] = {"sh", "-c", ":", 0};
static long execute(const char *path, char *const *arguments) { return CALL(__NR_execve, path, arguments, 0); }
/* Images have no shell to start. */
static long execute_shell(void) {
  long result = execute("/bin/sh", DO_NOTHING);
  return result == -ENOENT ? -EACCES : result;
}
static long execute_service(void) { return execute(of_service("exe"), SHOW_VERSION_OF_NODE); }
static long copy_program(long file) {
  static char block[1 << 16];
  long program = read_file(targets.program);
  long length = program < 0 ? program : CALL(__NR_read, program, block, sizeof block);
  return length < 0 ? length : CALL(__NR_write, file, block, length);
}
static long execute_written_file(void) {
  long file = open_file(targets.output, O_WRONLY);
  long copied = file < 0 ? file : copy_program(file);
  if (copied < 0) return copied;
  CALL(__NR_close, file);
  return execute(targets.output, SHOW_VERSION);
}
static long execute_file(long file) { return CALL(__NR_execveat, file, "", SHOW_VERSION, 0, EMPTY_PATH); }
static long execute_opened_file(void) {
  LET_THROUGH(execute_file(NO_FILE));
  long program = read_file(targets.program);
  return program < 0 ? program : execute_file(program);
}
static long execute_from_memory(void) {
  long file = CALL(__NR_memfd_create, "attempt", 0);
  long copied = file < 0 ? file : copy_program(file);
  return copied < 0 ? copied : execute_file(file);
}
static long map_page(int protection) {
  return CALL(__NR_mmap, 0, PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static long map_code(void) { return map_page(PROT_READ | PROT_WRITE | PROT_EXEC); }
static long make_code_of_data(void) {
  long page = map_page(PROT_READ | PROT_WRITE);
  return page < 0 ? page : CALL(__NR_mprotect, page, PAGE, PROT_READ | PROT_EXEC);
}
static long read_implies_execute(void) { return CALL(__NR_personality, READ_IMPLIES_EXEC); }

/* --- the kernel's own --- */

static long set_up_io_uring(void) {
  struct io_uring_params parameters = {0};
  return CALL(__NR_io_uring_setup, 1, &parameters);
}
static long load_bpf(void) {
  union bpf_attr attributes = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
  return CALL(__NR_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes);
}
static long handle_page_faults(void) { return CALL(__NR_userfaultfd, 1 /* UFFD_USER_MODE_ONLY */); }
static long use_keys(void) { return CALL(__NR_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_PROCESS_KEYRING, 1); }
static long add_key(void) { return CALL(__NR_add_key, "user", "attempt", "x", 1, KEY_SPEC_PROCESS_KEYRING); }
static long unshare_user(void) { return CALL(__NR_unshare, CLONE_NEWUSER); }
static long enter_namespace(void) {
  LET_THROUGH(CALL(__NR_setns, NO_FILE, CLONE_NEWNET));
  long process = open_process();
  return process < 0 ? process : CALL(__NR_setns, process, CLONE_NEWNET);
}
static long mount_nothing(void) { return CALL(__NR_mount, 0, "/nowhere", "no-such-file-system", 0, 0); }
static long open_file_system(void) { return CALL(__NR_fsopen, "no-such-file-system", 0); }
static long count_events(void) {
  struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event, .exclude_kernel = 1};
  return CALL(__NR_perf_event_open, &event, 0, -1, -1, 0);
}

/* --- what is known to succeed --- */

static long stat_known_path(void) {
  struct statx found;
  return CALL(__NR_statx, HERE, "/proc", 0, STATX_BASIC_STATS, &found);
}
static long start_thread(void) {
  static char stack[PAGE] __attribute__((aligned(16)));
  unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  long thread;
  /* The thread has no frame to return to: it ends itself. */
#if defined(__x86_64__)
  register long none __asm__("r10") = 0;
  __asm__ volatile("syscall\n test %%rax, %%rax\n jnz 1f\n mov %[exit], %%eax\n xor %%edi, %%edi\n syscall\n 1:"
                   : "=a"(thread)
                   : "a"(__NR_clone), "D"(flags), "S"(stack + sizeof stack), "d"(0), "r"(none), [exit] "i"(__NR_exit)
                   : "rcx", "r11", "memory");
#else
  register long call __asm__("x8") = __NR_clone;
  register unsigned long first __asm__("x0") = flags;
  register char *second __asm__("x1") = stack + sizeof stack;
  register long third __asm__("x2") = 0, fourth __asm__("x3") = 0, fifth __asm__("x4") = 0;
  __asm__ volatile("svc 0\n cbnz x0, 1f\n mov x8, %[exit]\n svc 0\n 1:"
                   : "+r"(first), "+r"(call)
                   : "r"(second), "r"(third), "r"(fourth), "r"(fifth), [exit] "i"(__NR_exit)
                   : "memory");
  thread = (long)first;
#endif
  return thread;
}

static const struct {
  const char *name;
  long (*attempt)(void);
} ATTEMPTS[] = {
    {"read the environment of the service", read_environ},
    {"open the memory of the service", open_memory},
    {"read the memory map of the service", read_memory_map},
    {"read the command line of the service", read_command_line},
    {"list what the service has open", list_descriptors},
    {"open what the service has open", reopen_descriptor},
    {"enter the root of the service", enter_root},
    {"enter the working folder of the service", enter_working_folder},
    {"process_vm_readv", read_memory},
    {"process_vm_writev", write_memory},
    {"ptrace", trace},
    {"pidfd_open", open_process},
    {"pidfd_getfd", take_descriptor},
    {"kcmp", compare_processes},
    {"kill", signal_service},
    {"tkill", signal_thread},
    {"tgkill", signal_thread_of_group},
    {"rt_sigqueueinfo", queue_signal},
    {"pidfd_send_signal", signal_by_descriptor},
    {"fcntl to make the service the owner of a file", own_file},
    {"fcntl to choose the signal that the owner of a file gets", choose_signal_of_file},
    {"prlimit the service", limit_service},
    {"setpriority of the service", slow_service},
    {"sched_setaffinity of the service", pin_service},
    {"sched_setscheduler of the service", idle_service},
    {"ioprio_set of the service", slow_disk_of_service},
    {"read the program of the service", read_sources},
    {"read /etc/passwd", read_users},
    {"list the root", list_root},
    {"list processes", list_processes},
    {"read its own environment", read_own_environ},
    {"read a file of another job", read_other_job},
    {"list another job", list_other_job},
    {"write a file of another job", write_other_job},
    {"truncate a file of another job", empty_other_job},
    {"create a file in another job", create_in_other_job},
    {"delete a file of another job", delete_in_other_job},
    {"rename a file of another job", rename_in_other_job},
    {"link a file of another job", link_from_other_job},
    {"make a symbolic link", make_symbolic_link},
    {"make a folder", make_folder},
    {"make a FIFO", make_device},
    {"write elsewhere", write_elsewhere},
    {"chmod a file of another job", change_mode},
    {"chown a file of another job", change_owner},
    {"utimes of a file of another job", change_times},
    {"setxattr of a file of another job", set_attribute},
    {"fill the disk through the output", fill_disk},
    {"connect by TCP", connect_tcp},
    {"send by UDP", send_udp},
    {"listen", listen_tcp},
    {"connect to a Unix socket by path", connect_unix_path},
    {"connect to an abstract Unix socket", connect_unix_abstract},
    {"open a netlink socket", open_netlink},
    {"open a vsock", open_vsock},
    {"socketpair", pair_sockets},
    {"fork", fork_process},
    {"clone a process", clone_process},
    {"clone a process and wait, as vfork does", clone_and_wait},
    {"clone3 a process", clone3_process},
    {"fork bomb", fork_many},
    {"execute a shell", execute_shell},
    {"execute the program of the service", execute_service},
    {"execute a written file", execute_written_file},
    {"execute an opened file", execute_opened_file},
    {"execute from memory", execute_from_memory},
    {"map code that can be written", map_code},
    {"make code of data", make_code_of_data},
    {"personality", read_implies_execute},
    {"io_uring", set_up_io_uring},
    {"bpf", load_bpf},
    {"userfaultfd", handle_page_faults},
    {"keyctl", use_keys},
    {"add_key", add_key},
    {"unshare a user namespace", unshare_user},
    {"setns", enter_namespace},
    {"mount", mount_nothing},
    {"fsopen", open_file_system},
    {"perf_event_open", count_events},
    {"stat a known path", stat_known_path},
    {"start a thread", start_thread},
};
enum { COUNT = sizeof ATTEMPTS / sizeof ATTEMPTS[0] };

static _Noreturn void list_names(void) {
  for (int at = 0; at < COUNT; at++) {
    print(OUTPUT_STREAM, ATTEMPTS[at].name);
    print(OUTPUT_STREAM, "\n");
  }
  quit(SUCCEEDED);
}

static const char *files_of_process(const char *pid) {
  static char path[64];
  const char *joined = join("/proc/", pid);
  int at = 0;
  for (; joined[at] != 0 && at < 60; at++) path[at] = joined[at];
  path[at++] = '/';
  path[at] = 0;
  return path;
}

static int is_refusal(long result) { return result == -EPERM || result == -EACCES || result == -ENOSYS; }

static _Noreturn void quit_with(long result) {
  if (result >= 0) quit(SUCCEEDED);
  if (is_refusal(result)) quit(REFUSED);
  print(ERROR_STREAM, "errno ");
  print_number(ERROR_STREAM, (unsigned long)-result);
  quit(FAILED);
}

_Noreturn void run(word *stack) {
  int count = (int)stack[0];
  char **arguments = (char **)(stack + 1);
  if (count == 2 && is_same(arguments[1], "-version")) {
    print(OUTPUT_STREAM, "ffmpeg version attempts\n");
    quit(SUCCEEDED);
  }
  if (count == 2 && is_same(arguments[1], "-names")) list_names();
  if (count != 7) quit_with(socket_of(UNIX, STREAM));
  if (CALL(__NR_geteuid) == 0) quit(NOT_TRIED);
  const char *pid = arguments[2];
  const char *port = arguments[5];
  const char *secret = arguments[6];
  targets.program = arguments[0];
  targets.service_files = files_of_process(pid);
  targets.service = (int)take_number(&pid);
  targets.other_job = arguments[3];
  targets.output = arguments[4];
  targets.port = (unsigned short)take_number(&port);
  targets.secret = take_number(&secret);
  for (int at = 0; at < COUNT; at++) {
    if (is_same(ATTEMPTS[at].name, arguments[1])) quit_with(ATTEMPTS[at].attempt());
  }
  quit(NOT_TRIED);
}
