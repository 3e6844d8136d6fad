/** Simulates a host that lacks parts of a sandbox. */
import { strict as assert } from 'node:assert';
import { dlopen, getRawPointer } from 'node:ffi';
import { filterBytes } from '../sandbox/bpf.fixture.ts';
import { loadNumber, returnWith, when } from '../sandbox/bpf.ts';

/** linux/prctl.h, linux/seccomp.h */
const PR_SET_SECCOMP = 22;
const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_MODE_FILTER = 2n;
const SECCOMP_RET_ALLOW = 0x7fff_0000;
const SECCOMP_RET_ERRNO = 0x0005_0000;

/** Of the calls that the launcher needs; the first is the same on all architectures. */
export const LANDLOCK_CREATE_RULESET = 444;
export const SECCOMP = process.arch === 'x64' ? 317 : 277;

/**
 * From now on these system calls fail with `errno` in this thread and all that it starts; this is
 * irreversible.
 */
export function refuseSystemCalls(numbers: readonly number[], errno: number): void {
  const code = [
    ...loadNumber,
    ...numbers.flatMap((number) => when('is', number, returnWith(SECCOMP_RET_ERRNO | errno))),
    ...returnWith(SECCOMP_RET_ALLOW),
  ];
  const instructions = filterBytes(code);
  /** `struct sock_fprog` */
  const filter = Buffer.alloc(16);
  filter.writeUInt16LE(code.length, 0);
  filter.writeBigUInt64LE(getRawPointer(instructions), 8);
  using library = dlopen(null, {
    prctl: { arguments: ['i32', 'u64', 'u64', 'u64', 'u64'], return: 'i32' },
  });
  const { prctl } = library.functions;
  assert.equal(prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n), 0);
  assert.equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, getRawPointer(filter), 0n, 0n), 0);
}
