import { createHash } from 'node:crypto';
import { cp, mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { cacheDir, ensureDirectory } from './cache.ts';
import { downloadModule } from './go-module.ts';
import { ensureGo, INSTALLED_GO } from './go-toolchain.ts';
import { runTool } from './run-tool.ts';
import type { Task } from './task.ts';

export interface GoProgram {
  readonly name: string;
  /** The import path of its main package, without the version; `./name` for one of `inModule.sources`. */
  readonly package: string;
  /** Its file name, the last part of the import path, if it differs from `name`. */
  readonly executable?: string;
  readonly version: string;
  /** The `go` directive in the go.mod of that version. */
  readonly minimumGo: string;
  /**
   * `go install` refuses a program whose go.mod replaces or excludes modules. Such a program is built as a dependency of
   * a module of ours, with replacements (`old=new@version`), exclusions (`module@version`) and build tags that leave
   * out what is not needed.
   */
  readonly inModule?: {
    /** The program's module, a prefix of the import path of its package. */
    readonly module: string;
    readonly replacements?: readonly string[];
    readonly exclusions?: readonly string[];
    readonly tags?: string;
    /** Without C libraries, for a container that has none. */
    readonly isStatic?: boolean;
    readonly ldflags?: string;
    /** More modules, `module@version`, and their main packages. Built together, what they share is compiled once. */
    readonly requirements?: readonly string[];
    readonly morePackages?: readonly string[];
    /** A folder with our own main packages, which are built as well; they may import anything required. */
    readonly sources?: string;
    /** A folder with modules of our own, one per subfolder; `old=./subfolder` in `replacements` uses one. */
    readonly modules?: string;
    /** Keys are such subfolders, values `module@version`: the files of the subfolder replace those of this module. */
    readonly changedModules?: Readonly<Record<string, string>>;
  };
}

/**
 * Compilers exit soon, so they collect no garbage below 1 GiB: helm-docs takes 47.7 s of processor time
 * instead of 62.7 s.
 */
const GO_ENVIRONMENT = { ...INSTALLED_GO, GOGC: 'off', GOMEMLIMIT: '1GiB' };

/** Builds a pinned program once; resolves with its path. Throws ProvisionError if there is no Go. */
export async function ensureGoProgram(program: GoProgram, task: Task): Promise<string> {
  const { name, version, executable = name } = program;
  const dir = join(cacheDir(), 'bin', await folderOf(program));
  const fill = async (partial: string) => {
    const go = await ensureGo(program.minimumGo, task);
    const installed = { signal: task.signal, environment: { ...GO_ENVIRONMENT, GOBIN: partial } };
    await task.step<unknown>(`building ${name} ${version} (some minutes)`, () =>
      program.inModule === undefined
        ? runTool(go, ['install', `${program.package}@v${version}`], installed)
        : buildInModule(program, program.inModule, { go, outputDir: partial, task }),
    );
  };
  await ensureDirectory(dir, fill, task.signal);
  return join(dir, executable);
}

/** The folder of a cached program. Its name depends on everything that could change the build. */
export async function folderOf({ name, version, inModule }: GoProgram): Promise<string> {
  const plain = `${name}-${version}`;
  if (inModule === undefined) return plain;
  const { sources, modules, ...recipe } = inModule;
  const hash = createHash('sha256').update(JSON.stringify(recipe));
  for (const folder of [sources, modules]) {
    if (folder === undefined) continue;
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.sort()) {
      hash.update(`\0${relative(folder, file)}\0`).update(await readFile(file));
    }
  }
  return `${plain}-${hash.digest('hex').slice(0, 8)}`;
}

interface Build {
  /** The path of the compiler. */
  readonly go: string;
  readonly outputDir: string;
  readonly task: Task;
}

async function buildInModule(
  { version, package: main, name, executable = name }: GoProgram,
  inModule: NonNullable<GoProgram['inModule']>,
  { go, outputDir, task }: Build,
): Promise<void> {
  const { signal } = task;
  const { module, replacements = [], exclusions = [], requirements = [] } = inModule;
  const { tags = '', ldflags = '', isStatic = false, sources, modules, changedModules = {} } = inModule;
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-go-'));
  const cwd = folder.path;
  const environment = { ...GO_ENVIRONMENT, GOFLAGS: '-mod=mod', ...(isStatic && { CGO_ENABLED: '0' }) };
  const run = (...args: string[]) => runTool(go, args, { signal, cwd, environment });
  await run('mod', 'init', 'audiosplit-tools');
  for (const [name, changed] of Object.entries(changedModules)) {
    const copy = join(cwd, name);
    await runTool('cp', ['-R', await downloadModule(changed, task), copy], { signal });
    // Files copied from Go's cache are read-only.
    await runTool('chmod', ['-R', 'u+w', copy], { signal });
  }
  if (modules !== undefined) await cp(modules, cwd, { recursive: true });
  const replaced = replacements.map((replacement) => `-replace=${replacement}`);
  const excluded = exclusions.map((exclusion) => `-exclude=${exclusion}`);
  // Not `go get`, which requests this version of the module even if the module is replaced.
  const required = [`${module}@v${version}`, ...requirements].map((requirement) => `-require=${requirement}`);
  await run('mod', 'edit', ...required, ...replaced, ...excluded);
  const build = ['build', `-tags=${tags}`, `-ldflags=${ldflags}`, '-o'];
  if (sources !== undefined) await cp(sources, cwd, { recursive: true });
  await run(...build, join(outputDir, executable), main);
  const others = [...(inModule.morePackages ?? []), ...(sources === undefined ? [] : ['./...'])];
  if (others.length > 0) await run(...build, `${outputDir}/`, ...others);
}
