import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { filterBytes, runFilter } from './bpf.fixture.ts';
import {
  ALLOW,
  type FilterKind,
  KILL_PROCESS,
  NOT_A_TERMINAL,
  NOT_IMPLEMENTED,
  REFUSE,
  seccompFilter,
} from './filter-rules.ts';
import { type Architecture, SYSTEM_CALLS } from './system-calls.ts';

const PLAIN = ['read', 'write', 'close', 'lseek', 'brk', 'munmap', 'futex', 'exit_group', 'clock_gettime'];
const HOSTILE = [
  ...['socket', 'connect', 'bind', 'listen', 'ptrace', 'process_vm_readv', 'process_vm_writev'],
  ...['pidfd_open', 'pidfd_getfd', 'memfd_create', 'execveat', 'io_uring_setup', 'bpf', 'userfaultfd'],
  ...['perf_event_open', 'unshare', 'setns', 'mount', 'keyctl', 'personality', 'setsid'],
];
/**
 * Numbers that no architecture uses for calls that a codec needs: kill, chmod, unlink, getdents64, prctl, …,
 * and unknown ones.
 */
const UNLISTED: Readonly<Record<Architecture, readonly number[]>> = {
  x64: [62, 87, 90, 132, 157, 200, 217, 234, 237, 329, 999],
  arm64: [35, 52, 61, 88, 129, 130, 131, 167, 288, 999],
};

const CLONE_THREAD = 0x3d0f00n;
const CLONE_NEWUSER = 0x10000000n;
const SIGCHLD = 17n;

for (const architecture of ['x64', 'arm64'] as const) {
  const { audit, numbers } = SYSTEM_CALLS[architecture];
  const resultOf = (name: string, args: readonly bigint[] = [], kind: FilterKind = 'static') => {
    const number = numbers[name];
    assert.ok(number !== undefined, name);
    return runFilter(seccompFilter(architecture, kind), { number, audit, args });
  };

  test(`${architecture}: plain calls pass, hostile ones kill, all others are rejected`, () => {
    for (const kind of ['static', 'dynamic'] as const) {
      for (const name of PLAIN) assert.equal(resultOf(name, [], kind), ALLOW, name);
      for (const name of HOSTILE) assert.equal(resultOf(name, [], kind), KILL_PROCESS, name);
      for (const number of UNLISTED[architecture]) {
        assert.equal(runFilter(seccompFilter(architecture, kind), { number, audit }), REFUSE, String(number));
      }
    }
  });

  test(`${architecture}: calls of another architecture and of x32 kill`, () => {
    const other = SYSTEM_CALLS[architecture === 'x64' ? 'arm64' : 'x64'];
    const filter = seccompFilter(architecture, 'static');
    const read = numbers.read ?? -1;
    assert.equal(runFilter(filter, { number: read, audit: other.audit }), KILL_PROCESS);
    assert.equal(runFilter(filter, { number: read, audit: 0x40000003 }), KILL_PROCESS, 'i386');
    const x32 = runFilter(filter, { number: 0x40000000 + read, audit });
    assert.equal(x32, architecture === 'x64' ? KILL_PROCESS : REFUSE);
  });

  test(`${architecture}: clone creates threads only, and clone3 does not exist`, () => {
    assert.equal(resultOf('clone', [CLONE_THREAD]), ALLOW);
    assert.equal(resultOf('clone', [SIGCHLD]), KILL_PROCESS);
    assert.equal(resultOf('clone', [CLONE_NEWUSER | SIGCHLD]), KILL_PROCESS);
    assert.equal(resultOf('clone', [CLONE_THREAD | CLONE_NEWUSER]), KILL_PROCESS);
    assert.equal(resultOf('clone3'), NOT_IMPLEMENTED);
  });

  test(`${architecture}: memory is never executable, except what a loader maps`, () => {
    for (const name of ['mmap', 'mprotect']) {
      assert.equal(resultOf(name, [0n, 4096n, 3n]), ALLOW, `${name} of data`);
      assert.equal(resultOf(name, [0n, 4096n, 5n]), REFUSE, `${name} of code`);
      assert.equal(resultOf(name, [0n, 4096n, 7n]), REFUSE, `${name} of code that can be written`);
      assert.equal(resultOf(name, [0n, 4096n, 5n], 'dynamic'), ALLOW);
    }
    assert.equal(resultOf('readlinkat'), REFUSE);
    assert.equal(resultOf('readlinkat', [], 'dynamic'), ALLOW);
  });

  test(`${architecture}: arguments are checked if a call could affect other processes`, () => {
    assert.equal(resultOf('prlimit64', [0n]), ALLOW, 'its own limits');
    assert.equal(resultOf('prlimit64', [4711n]), REFUSE, "another's limits");
    const [getFlags, setOwner, setSignal] = [3n, 8n, 10n];
    assert.equal(resultOf('fcntl', [0n, getFlags]), ALLOW);
    assert.equal(resultOf('fcntl', [0n, setOwner]), REFUSE);
    assert.equal(resultOf('fcntl', [0n, setSignal]), REFUSE);
    const [isTerminal, pushInput] = [0x5401n, 0x5412n];
    assert.equal(resultOf('ioctl', [0n, isTerminal]), NOT_A_TERMINAL);
    assert.equal(resultOf('ioctl', [0n, pushInput]), REFUSE);
    const [readOnly, writeAndCreateAndTruncate, truncate] = [0n, 0x241n, 0x200n];
    assert.equal(resultOf('openat', [0n, 0n, readOnly]), ALLOW);
    assert.equal(resultOf('openat', [0n, 0n, writeAndCreateAndTruncate]), ALLOW);
    assert.equal(resultOf('openat', [0n, 0n, truncate]), REFUSE, 'emptying without leave to write');
  });

  test(`${architecture}: the launcher in the repository contains these filters`, async () => {
    const launcher = await readFile(join(import.meta.dirname, `../../sandbox/sandbox-${architecture}`));
    for (const kind of ['static', 'dynamic'] as const) {
      const isThere = launcher.includes(filterBytes(seccompFilter(architecture, kind)));
      assert.ok(isThere, `${kind}: npm run generate -- sandbox`);
    }
  });
}

test('calls that only x64 has are treated like their successors', () => {
  const resultOf = (number: number, args: readonly bigint[] = []) =>
    runFilter(seccompFilter('x64', 'static'), { number, audit: SYSTEM_CALLS.x64.audit, args });
  const [open, fork, vfork, archPrctl] = [2, 57, 58, 158];
  assert.equal(resultOf(open, [0n, 0n]), ALLOW);
  assert.equal(resultOf(open, [0n, 0x200n]), REFUSE);
  assert.equal(resultOf(fork), KILL_PROCESS);
  assert.equal(resultOf(vfork), KILL_PROCESS);
  assert.equal(resultOf(archPrctl, [0x1002n]), ALLOW, 'where the data of a thread lies');
  assert.equal(resultOf(archPrctl, [0x1001n]), REFUSE);
});
