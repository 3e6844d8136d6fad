/**
 * A host that refuses one system call: requires the sandbox there, and prints what the operator reads.
 *
 *   refusing-host.fixture.ts FFMPEG SYSTEM-CALL ERRNO
 *
 * A process of its own, as it cannot take the filter back, and what it starts inherits it.
 */
import { strict as assert } from 'node:assert';
import { dlopen, getRawPointer } from 'node:ffi';
import { filterBytes } from './bpf.fixture.ts';
import { loadNumber, returnWith, when } from './bpf.ts';
import { openSandbox } from './find-sandbox.ts';

/** linux/prctl.h, linux/seccomp.h */
const PR_SET_SECCOMP = 22;
const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_MODE_FILTER = 2n;
const SECCOMP_RET_ALLOW = 0x7fff_0000;
const SECCOMP_RET_ERRNO = 0x0005_0000;

const [ffmpegPath = '', number, errno] = process.argv.slice(2);
const code = [
  ...loadNumber,
  ...when('is', Number(number), returnWith(SECCOMP_RET_ERRNO | Number(errno))),
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

await openSandbox('required', ffmpegPath).then(
  () => process.stdout.write('nothing\n'),
  (error: Error) => process.stdout.write(`${error.message}\n`),
);
