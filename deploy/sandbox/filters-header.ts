/**
 * The launcher's filters as C, with an assertion for each system call number and constant that they use. If the kernel's
 * headers have another value, it does not compile.
 */
import type { Code } from '@audiosplit/engine/sandbox/bpf';
import { NAMED_IN_HEADERS, seccompFilter } from '@audiosplit/engine/sandbox/filter-rules';
import { type Architecture, SYSTEM_CALLS } from '@audiosplit/engine/sandbox/system-calls';

const INCLUDED = [
  ...['asm/errno', 'asm/ioctls', 'asm/unistd', 'linux/audit', 'linux/fcntl', 'linux/mman', 'linux/sched'],
  'linux/seccomp',
];
const AUDIT_NAMES: Readonly<Record<Architecture, string>> = {
  x64: 'AUDIT_ARCH_X86_64',
  arm64: 'AUDIT_ARCH_AARCH64',
};

export function filtersHeader(architecture: Architecture): string {
  const { audit, numbers } = SYSTEM_CALLS[architecture];
  const expected = {
    [AUDIT_NAMES[architecture]]: audit,
    ...Object.fromEntries(Object.entries(numbers).map(([name, number]) => [`__NR_${name}`, number])),
    ...NAMED_IN_HEADERS,
  };
  return [
    ...INCLUDED.map((name) => `#include <${name}.h>`),
    ...Object.entries(expected).map(
      ([name, value]) => `_Static_assert((${name}) == ${value >>> 0}u, "${name}");`,
    ),
    define('STATIC_FILTER', seccompFilter(architecture, 'static')),
    define('DYNAMIC_FILTER', seccompFilter(architecture, 'dynamic')),
    '',
  ].join('\n');
}

function define(name: string, instructions: Code): string {
  const fields = instructions.map(
    ({ code, skipIfTrue, skipIfFalse, operand }) =>
      `{${code}, ${skipIfTrue}, ${skipIfFalse}, ${operand >>> 0}u}`,
  );
  return `#define ${name} ${fields.join(', ')}`;
}
