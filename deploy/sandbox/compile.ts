/**
 * Compiles the programs of the decoder's sandbox for both architectures: the launcher that starts every ffmpeg, and a
 * program of attacks that tests run instead of ffmpeg. The compiled programs are in the repository, so other
 * developers need no compiler, and images contain exactly the tested bytes.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Architecture } from '@audiosplit/engine/sandbox/system-calls';
import { repositoryRoot } from '../launcher.mjs';
import { ensurePythonEnvironment } from '../provision/python-environment.ts';
import { runTool } from '../provision/run-tool.ts';
import type { Task } from '../provision/task.ts';
import { filtersHeader } from './filters-header.ts';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const HEADERS = 'clients/engine/sandbox';

interface Linking {
  readonly abi: string;
  readonly flags: readonly string[];
}
const STATIC: Linking = { abi: 'none', flags: ['-nostdlib', '-static', '-fno-pic'] };
/** Linked like the ffmpeg of a distribution; runs with any glibc of the last ten years. */
const DYNAMIC: Linking = { abi: 'gnu.2.24', flags: ['-fpic', '-DWITH_C_LIBRARY'] };

interface Build {
  readonly source: string;
  /** Without the suffix of the architecture. */
  readonly output: string;
  readonly linking: Linking;
}
const ATTEMPTS = 'clients/engine/suites/sandbox/attempts';
const BUILDS: readonly Build[] = [
  { source: `${HEADERS}/sandbox.c`, output: `${HEADERS}/sandbox`, linking: STATIC },
  { source: `${ATTEMPTS}.c`, output: ATTEMPTS, linking: STATIC },
  { source: `${ATTEMPTS}.c`, output: `${ATTEMPTS}-dynamic`, linking: DYNAMIC },
];

interface Target {
  readonly cpu: string;
  /** Folders of the kernel's headers, which come with the compiler. */
  readonly headers: readonly string[];
}

const TARGETS: Readonly<Record<Architecture, Target>> = {
  x64: { cpu: 'x86_64', headers: ['x86-linux-any', 'any-linux-any'] },
  arm64: { cpu: 'aarch64', headers: ['aarch64-linux-any', 'any-linux-any'] },
};

const FLAGS = [
  ...['-std=c17', '-Os', '-Wall', '-Wextra', '-Werror'],
  ...['-ffreestanding', '-fno-stack-protector', '-fno-sanitize=all'],
  ...['-fno-unwind-tables', '-fno-asynchronous-unwind-tables', '-fno-ident', '-s', '-Wl,--build-id=none'],
];
/** The paths of the compiled programs, relative to the root of the repository. */
export const PROGRAMS: readonly string[] = BUILDS.flatMap((build) =>
  architectures().map((architecture) => programOf(build, architecture)),
);

/** Compiles all of them to their places below `root`. */
export async function compileSandbox(root: string, workDir: string, task: Task): Promise<void> {
  const compile = await openCompiler(workDir, task);
  for (const architecture of architectures()) {
    for (const build of BUILDS) {
      const output = join(root, programOf(build, architecture));
      await mkdir(dirname(output), { recursive: true });
      const filters = filtersHeader(architecture);
      await compile({ architecture, filters, linking: build.linking }, ['-o', output, build.source]);
    }
  }
}

interface Compilation {
  readonly architecture: Architecture;
  /** The content of `filters.h`. */
  readonly filters: string;
  readonly linking?: Linking;
}

/** zig as a C compiler that runs in the root of the repository; rejects with its error messages. */
export async function openCompiler(workDir: string, task: Task) {
  const python = await ensurePythonEnvironment('zig', REQUIREMENTS, task);
  const folder = await runTool(python, ['-c', 'import ziglang; print(ziglang.__path__[0])'], task);
  const kernelHeaders = join(folder.trim(), 'lib/libc/include');
  const cache = join(workDir, 'cache');
  const environment = { ZIG_GLOBAL_CACHE_DIR: cache, ZIG_LOCAL_CACHE_DIR: cache, SOURCE_DATE_EPOCH: '0' };
  return async ({ architecture, filters, linking = STATIC }: Compilation, args: readonly string[]) => {
    const headers = join(workDir, architecture);
    await mkdir(headers, { recursive: true });
    await writeFile(join(headers, 'filters.h'), filters);
    const { cpu, headers: namesOfHeaders } = TARGETS[architecture];
    const include = [
      ...[`-I${headers}`, `-I${HEADERS}`],
      ...namesOfHeaders.flatMap((name) => ['-isystem', join(kernelHeaders, name)]),
    ];
    const compile = ['-m', 'ziglang', 'cc', '-target', `${cpu}-linux-${linking.abi}`];
    await runTool(python, [...compile, ...FLAGS, ...linking.flags, ...include, ...args], {
      ...task,
      cwd: repositoryRoot,
      environment,
    });
  };
}

export function architectures(): readonly Architecture[] {
  return ['x64', 'arm64'];
}

function programOf({ output }: Build, architecture: Architecture): string {
  return `${output}-${architecture}`;
}
