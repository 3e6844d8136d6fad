// Runs on whatever Node the machine has: brings in the locked packages, the project's own Node among them,
// and goes on in that Node. Everything here is plain JavaScript for old runtimes.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const pinnedNode = join(repositoryRoot, 'node_modules/.bin/node');
const stampFile = join(repositoryRoot, 'node_modules/.audiosplit-installed');

/** Flags under which every process of the project runs from source. */
export const sourceFlags = ['--conditions=audiosplit-source', '--disable-warning=ExperimentalWarning'];

/** Installs the locked packages unless this very lock file has been installed already. */
export function ensureInstalled() {
  const lock = readFileSync(join(repositoryRoot, 'package-lock.json'));
  const stamp = `${createHash('sha256').update(lock).digest('hex')} ${process.platform} ${process.arch}`;
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp && existsSync(pinnedNode)) return;

  process.stderr.write('Installing the locked packages (once, about 700 MB on disk) …\n');
  const started = Date.now();
  const install = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: repositoryRoot,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (install.status !== 0) {
    fail(
      `npm ci failed (${install.error?.message ?? `exit code ${install.status}`}). Run it by hand in ${repositoryRoot} to see why.`,
    );
  }
  if (!existsSync(pinnedNode)) {
    fail(
      `no Node build of the project's version for ${process.platform}-${process.arch}. Linux and macOS on x64 and arm64 have one.`,
    );
  }
  writeFileSync(stampFile, stamp);
  process.stderr.write(`Installed in ${Math.round((Date.now() - started) / 1000)} s.\n`);
}

/** On one machine a dozen processes start at once: from the second time on they find their code compiled. */
export function useCompileCache() {
  const cacheRoot = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  process.env.NODE_COMPILE_CACHE ||= join(cacheRoot, 'audiosplit/node-compile-cache');
}

/** Compiles what images run; what is compiled already is left as it is. */
export function ensureCompiled() {
  const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
  const build = spawnSync(pinnedNode, [tsc, '-b', 'tsconfig.build.json'], {
    cwd: repositoryRoot,
    stdio: ['ignore', 2, 2],
  });
  if (build.status !== 0) {
    fail(`the code does not compile (${build.error?.message ?? `exit code ${build.status}`}).`);
  }
}

const BUILT_FROM = '.built-from';

/** Builds the console's page and the guide unless they are there and of these very sources. */
export function ensureConsoleBuilt() {
  const folder = join(repositoryRoot, 'gateway/console');
  const stampFile = join(folder, 'dist', BUILT_FROM);
  const digest = createHash('sha256').update(readFileSync(join(repositoryRoot, 'package-lock.json')));
  for (const file of [
    join(folder, 'index.html'),
    join(folder, 'vite.config.ts'),
    join(folder, 'vite.shared.ts'),
    ...filesBelow(join(folder, 'src')),
    ...filesBelow(join(folder, 'operators')),
    join(repositoryRoot, 'docs/errors.md'),
    join(repositoryRoot, 'proto/vocabulary.ts'),
    ...filesBelow(join(repositoryRoot, 'docs/guide')),
  ]) {
    digest.update(file.slice(repositoryRoot.length)).update(readFileSync(file));
  }
  const stamp = digest.digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;

  process.stderr.write('Building the pages (once, a moment) …\n');
  const vite = join(repositoryRoot, 'node_modules/vite/bin/vite.js');
  // Somebody else may be doing the same, or serve what is there: it takes its place as a whole.
  const made = join(folder, `.dist-${process.pid}`);
  for (const { root, outDir } of [
    { root: '.', outDir: made },
    { root: 'operators', outDir: join(made, 'operators') },
  ]) {
    const build = spawnSync(pinnedNode, [vite, 'build', root, '--logLevel', 'error', '--outDir', outDir], {
      cwd: folder,
      stdio: ['ignore', 2, 2],
    });
    if (build.status === 0) continue;
    rmSync(made, { recursive: true, force: true });
    fail(`the page could not be built (${build.error?.message ?? `exit code ${build.status}`}).`);
  }
  writeFileSync(join(made, BUILT_FROM), stamp);
  try {
    rmSync(join(folder, 'dist'), { recursive: true, force: true });
    renameSync(made, join(folder, 'dist'));
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(stampFile)) throw error;
  }
}

/** @param {string} folder @returns {string[]} */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

/**
 * Runs a TypeScript entry point in the project's own Node, hands signals down, and leaves with its code.
 * @param {string} entry path from the repository's root
 * @param {string[]} args
 */
export function runFromSource(entry, args) {
  const child = spawn(pinnedNode, [...sourceFlags, join(repositoryRoot, entry), ...args], {
    stdio: 'inherit',
  });
  let interrupts = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal's Ctrl-C reaches the child by itself; one sent to this process alone does not.
      interrupts += 1;
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(/** @type {NodeJS.Signals} */ (signal));
      if (interrupts > 2) child.kill('SIGKILL');
    });
  }
  child.on('error', (error) =>
    fail(`cannot run ${pinnedNode}: ${error.message}. Remove node_modules and try again.`),
  );
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}

/** @param {string} message @returns {never} */
function fail(message) {
  process.stderr.write(`audiosplit: ${message}\n`);
  process.exit(1);
}
