/**
 * The programs of the decoder's sandbox, compiled for both architectures: the launcher that is in front of every ffmpeg,
 * and the program of attempts that tests put in ffmpeg's place. They lie in the repository, so that a newcomer needs no
 * compiler and images have the bytes that the tests have tried.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Code } from '@audiosplit/engine/sandbox/bpf';
import { seccompFilter } from '@audiosplit/engine/sandbox/filter-rules';
import type { Architecture } from '@audiosplit/engine/sandbox/system-calls';
import { repositoryRoot } from '../launcher.mjs';
import { ensurePythonEnvironment } from '../provision/python-environment.ts';
import { runTool } from '../provision/run-tool.ts';
import type { Task } from '../provision/task.ts';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const SOURCES = ['clients/engine/sandbox/sandbox.c', 'clients/engine/suites/sandbox/attempts.c'];
const HEADERS = 'clients/engine/sandbox';

interface Target {
  readonly triple: string;
  /** Folders of the kernel's headers, which come with the compiler. */
  readonly headers: readonly string[];
}

const TARGETS: Readonly<Record<Architecture, Target>> = {
  x64: { triple: 'x86_64-linux-none', headers: ['x86-linux-any', 'any-linux-any'] },
  arm64: { triple: 'aarch64-linux-none', headers: ['aarch64-linux-any', 'any-linux-any'] },
};

const FLAGS = [
  ...['-std=c17', '-Os', '-Wall', '-Wextra', '-Werror'],
  ...['-ffreestanding', '-nostdlib', '-static', '-fno-pic', '-fno-stack-protector', '-fno-sanitize=all'],
  ...['-fno-unwind-tables', '-fno-asynchronous-unwind-tables', '-fno-ident', '-s', '-Wl,--build-id=none'],
];

/** Paths of what is made, from the root of the repository. */
export const PROGRAMS: readonly string[] = SOURCES.flatMap((source) =>
  architectures().map((architecture) => programOf(source, architecture)),
);

/** Compiles all of them to their places below `root`. */
export async function compileSandbox(root: string, workDir: string, task: Task): Promise<void> {
  const python = await ensurePythonEnvironment('zig', REQUIREMENTS, task);
  const folder = await runTool(python, ['-c', 'import ziglang; print(ziglang.__path__[0])'], task);
  const kernelHeaders = join(folder.trim(), 'lib/libc/include');
  const cache = join(workDir, 'cache');
  const environment = { ZIG_GLOBAL_CACHE_DIR: cache, ZIG_LOCAL_CACHE_DIR: cache, SOURCE_DATE_EPOCH: '0' };
  for (const architecture of architectures()) {
    const headers = join(workDir, architecture);
    await mkdir(headers, { recursive: true });
    await writeFile(join(headers, 'filters.h'), filtersHeader(architecture));
    for (const source of SOURCES) {
      const output = join(root, programOf(source, architecture));
      await mkdir(dirname(output), { recursive: true });
      const target = TARGETS[architecture];
      const include = [
        ...[`-I${headers}`, `-I${HEADERS}`],
        ...target.headers.flatMap((name) => ['-isystem', join(kernelHeaders, name)]),
      ];
      const compile = ['-m', 'ziglang', 'cc', '-target', target.triple, ...FLAGS, ...include];
      await runTool(python, [...compile, '-o', output, source], {
        ...task,
        cwd: repositoryRoot,
        environment,
      });
    }
  }
}

function architectures(): readonly Architecture[] {
  return ['x64', 'arm64'];
}

function programOf(source: string, architecture: Architecture): string {
  return source.replace(/\.c$/, `-${architecture}`);
}

function filtersHeader(architecture: Architecture): string {
  const define = (name: string, code: Code) =>
    `#define ${name} ${code
      .map(
        ({ code, skipIfTrue, skipIfFalse, operand }) =>
          `{${code}, ${skipIfTrue}, ${skipIfFalse}, ${operand >>> 0}u}`,
      )
      .join(', ')}\n`;
  return (
    define('STATIC_FILTER', seccompFilter(architecture, 'static')) +
    define('DYNAMIC_FILTER', seccompFilter(architecture, 'dynamic'))
  );
}
