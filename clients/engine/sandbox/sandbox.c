/*
 * sandbox: gives up whatever a codec of audio does not need, then becomes the command.
 *
 *   sandbox [OPTION]... -- COMMAND [ARGUMENT]...
 *
 *     --cpu-seconds=SOFT:HARD  --address-space=BYTES  --file-size=BYTES  --open-files=NUMBER
 *     --landlock       only the files below may be opened:
 *     --execute=PATH   may be read and executed; of a folder, whatever lies in it
 *     --read=PATH      may be read
 *     --write=PATH     is made, empty, and may be read and written
 *     --filter=KIND    system calls, for a `static` or a `dynamic` (dynamically linked) program
 *
 *   sandbox --try=environ|socket|fork   does it; its exit code is the error's number, 0 where it was allowed
 *
 * The command keeps the process: its id, its group, its standard streams and pipe 3. Where anything fails, the command is
 * not started: one line says why, and the exit code is 125.
 *
 * The order matters: limits and rules are set while they may be, the filter comes last, and all of it holds for the
 * command and whatever it starts, since neither Landlock nor seccomp can be taken back.
 */
#include <asm/signal.h>
#include <linux/fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/seccomp.h>

#include "system-call.h"
/* Generated from clients/engine/src/sandbox/filter-rules.ts for each build: STATIC_FILTER and DYNAMIC_FILTER. */
#include "filters.h"

enum { NOT_STARTED = 125, STANDARD_ERROR = 2, FIRST_UNUSED_DESCRIPTOR = 4, HERE = AT_FDCWD };
/* Of the C library. */
enum { UNIX_SOCKETS = 1, STREAM = 1 };

enum {
  MAY_READ = LANDLOCK_ACCESS_FS_READ_FILE,
  MAY_EXECUTE = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE,
  MAY_WRITE = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE,
};

static const struct sock_filter STATIC_FILTER_CODE[] = {STATIC_FILTER};
static const struct sock_filter DYNAMIC_FILTER_CODE[] = {DYNAMIC_FILTER};

/* Landlock's rights by the version of its interface (ABI): what an older kernel does not know may not be named. */
struct rights {
  unsigned long long files;
  unsigned long long network;
  unsigned long long scopes;
  word attribute_bytes;
};

static _Noreturn void give_up(const char *what, const char *about, long result) {
  print(STANDARD_ERROR, "sandbox: ");
  print(STANDARD_ERROR, what);
  if (about != 0) {
    print(STANDARD_ERROR, " ");
    print(STANDARD_ERROR, about);
  }
  if (result < 0) {
    print(STANDARD_ERROR, " (errno ");
    print_number(STANDARD_ERROR, (unsigned long)-result);
    print(STANDARD_ERROR, ")");
  }
  print(STANDARD_ERROR, "\n");
  quit(NOT_STARTED);
}

static long require(long result, const char *what, const char *about) {
  if (result < 0) give_up(what, about, result);
  return result;
}

/* Also what lets a process without privileges enter a Landlock domain and set a filter: prctl(2). */
static void refuse_new_privileges(void) {
  require(CALL(__NR_prctl, PR_SET_NO_NEW_PRIVS, 1), "cannot refuse new privileges", 0);
}

/* The command ends with the thread that has started it, even if that is killed. */
static void end_with_parent(void) {
  require(CALL(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL), "cannot ask for a signal at the parent's end", 0);
}

/* Node opens its files to be closed at execve; this covers those of libraries that do not. */
static void close_descriptors(void) {
  require(CALL(__NR_close_range, FIRST_UNUSED_DESCRIPTOR, ~0U, 0), "cannot close descriptors", 0);
}

static void set_limit(int resource, unsigned long long soft, unsigned long long hard) {
  struct {
    unsigned long long soft, hard;
  } limit = {soft, hard};
  require(CALL(__NR_prlimit64, 0, resource, &limit, 0), "cannot set a resource limit", 0);
}

/* https://docs.kernel.org/userspace-api/landlock.html, "Defensive programming": the best that the kernel has. */
static struct rights landlock_rights(long abi) {
  struct rights rights = {.files = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1, .attribute_bytes = 8};
  if (abi >= 2) rights.files |= LANDLOCK_ACCESS_FS_REFER;
  if (abi >= 3) rights.files |= LANDLOCK_ACCESS_FS_TRUNCATE;
  if (abi >= 4) {
    rights.network = LANDLOCK_ACCESS_NET_BIND_TCP | LANDLOCK_ACCESS_NET_CONNECT_TCP;
    rights.attribute_bytes = 16;
  }
  if (abi >= 5) rights.files |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
  if (abi >= 6) {
    rights.scopes = LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL;
    rights.attribute_bytes = 24;
  }
  return rights;
}

/* Every right is handled, and what is handled and not granted is denied. */
static long make_ruleset(struct rights *rights) {
  const char *failure = "cannot use Landlock";
  long abi = require(CALL(__NR_landlock_create_ruleset, 0, 0, LANDLOCK_CREATE_RULESET_VERSION), failure, 0);
  *rights = landlock_rights(abi);
  return require(CALL(__NR_landlock_create_ruleset, rights, rights->attribute_bytes, 0), failure, 0);
}

static void grant(long ruleset, const struct rights *rights, const char *path, unsigned long long access) {
  int is_output = (access & LANDLOCK_ACCESS_FS_WRITE_FILE) != 0;
  int flags = is_output ? O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW : O_PATH;
  int mode = 0666;
  long file = require(CALL(__NR_openat, HERE, path, flags | O_CLOEXEC, mode), "cannot open", path);
  struct landlock_path_beneath_attr rule = {.allowed_access = access & rights->files, .parent_fd = (int)file};
  if (ruleset >= 0) {
    long added = CALL(__NR_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    require(added, "cannot grant", path);
  }
  CALL(__NR_close, file);
}

static void enter_domain(long ruleset) {
  if (ruleset < 0) return;
  require(CALL(__NR_landlock_restrict_self, ruleset, 0), "cannot enter a Landlock domain", 0);
  CALL(__NR_close, ruleset);
}

static struct sock_fprog filter_of_kind(const char *kind) {
#define FILTER(code) ((struct sock_fprog){.len = sizeof code / sizeof code[0], .filter = (struct sock_filter *)code})
  if (is_same(kind, "static")) return FILTER(STATIC_FILTER_CODE);
  if (is_same(kind, "dynamic")) return FILTER(DYNAMIC_FILTER_CODE);
  give_up("knows no filter", kind, 0);
}

/* seccomp(2) */
static void set_filter(struct sock_fprog filter) {
  if (filter.len == 0) return;
  require(CALL(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter), "cannot set a seccomp filter", 0);
}

/* Sets limits as they come, and grants files; returns what follows `--`, with the filter that is to be set. */
static char **take_options(char **argument, long *ruleset, struct sock_fprog *filter) {
  struct rights rights = {0};
  const char *value;
  for (; *argument != 0 && !is_same(*argument, "--"); argument++) {
    if ((value = after(*argument, "--cpu-seconds="))) {
      unsigned long long soft = take_number(&value);
      if (*value++ != ':') give_up("cannot read", *argument, 0);
      set_limit(RLIMIT_CPU, soft, take_number(&value));
    } else if ((value = after(*argument, "--address-space="))) {
      unsigned long long bytes = take_number(&value);
      set_limit(RLIMIT_AS, bytes, bytes);
    } else if ((value = after(*argument, "--file-size="))) {
      unsigned long long bytes = take_number(&value);
      set_limit(RLIMIT_FSIZE, bytes, bytes);
    } else if ((value = after(*argument, "--open-files="))) {
      unsigned long long number = take_number(&value);
      set_limit(RLIMIT_NOFILE, number, number);
    } else if (is_same(*argument, "--landlock")) {
      *ruleset = make_ruleset(&rights);
    } else if ((value = after(*argument, "--execute="))) {
      grant(*ruleset, &rights, value, MAY_EXECUTE);
    } else if ((value = after(*argument, "--read="))) {
      grant(*ruleset, &rights, value, MAY_READ);
    } else if ((value = after(*argument, "--write="))) {
      grant(*ruleset, &rights, value, MAY_WRITE);
    } else if ((value = after(*argument, "--filter="))) {
      *filter = filter_of_kind(value);
    } else {
      give_up("does not know", *argument, 0);
    }
  }
  if (argument[0] == 0 || argument[1] == 0) give_up("has no command", 0, 0);
  return argument + 1;
}

/* What nothing behind the sandbox may do; the service tries it before it trusts the sandbox. */
static long try_forbidden(const char *what) {
  if (is_same(what, "environ")) return CALL(__NR_openat, HERE, "/proc/self/environ", O_RDONLY);
  if (is_same(what, "socket")) return CALL(__NR_socket, UNIX_SOCKETS, STREAM, 0);
  if (is_same(what, "fork")) return CALL(__NR_clone, SIGCHLD);
  give_up("cannot try", what, 0);
}

_Noreturn void run(word *stack) {
  char **arguments = (char **)(stack + 1);
  char **environment = arguments + stack[0] + 1;
  const char *tried = stack[0] == 2 ? after(arguments[1], "--try=") : 0;
  if (tried != 0) {
    long result = try_forbidden(tried);
    quit(result < 0 ? (int)-result : 0);
  }
  refuse_new_privileges();
  end_with_parent();
  close_descriptors();
  set_limit(RLIMIT_CORE, 0, 0);
  long ruleset = -1;
  struct sock_fprog filter = {0, 0};
  char **command = take_options(arguments + 1, &ruleset, &filter);
  enter_domain(ruleset);
  set_filter(filter);
  give_up("cannot start", command[0], CALL(__NR_execve, command[0], command, environment));
}
