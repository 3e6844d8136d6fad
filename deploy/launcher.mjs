// Every npm script starts here: `node deploy/launcher.mjs SCRIPT [SUBCOMMAND] [ARGUMENTS]`. It runs on any Node from 20 on,
// installs the locked packages, prepares what the command needs, and starts the command in the project's own Node.
// Plain JavaScript, because on a new machine nothing is installed yet.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { SCRIPTS } from './commands.mjs';

/** @typedef {import('./commands.mjs').Command} Command */
/** @typedef {import('./commands.mjs').Script} Script */

export const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..');
export const pinnedNode = join(repositoryRoot, 'node_modules/.bin/node');
const installedStampFile = join(repositoryRoot, 'node_modules/.audiosplit-installed');
const BUILT_FROM = '.built-from';

/** Flags for every process that runs from source. */
export const sourceFlags = ['--conditions=audiosplit-source', '--disable-warning=ExperimentalWarning'];

const PREPARATIONS = { pages: ensurePagesBuilt, code: ensureCompiled, 'compile-cache': useCompileCache };

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [name = '', ...args] = process.argv.slice(2);
  const parsed = parseCommandLine(name, args);
  const stream = parsed.exitCode === 0 ? process.stdout : process.stderr;
  if (parsed.output !== undefined) stream.write(parsed.output);
  process.exitCode =
    parsed.command === undefined ? parsed.exitCode : await runCommand(parsed.command, parsed.args);
}

/**
 * Resolves with the exit code.
 * @param {Command} command @param {string[]} args
 */
async function runCommand(command, args) {
  ensureInstalled();
  for (const preparation of isHelpOption(args[0]) ? [] : (command.prepare ?? [])) PREPARATIONS[preparation]();
  if (command.entry !== undefined) return await run(sourceCommand(command, command.entry, args));

  const steps = command.steps ?? [];
  for (const [index, step] of steps.entries()) {
    const code = await run(index === steps.length - 1 ? [...step, ...args] : step, command.cwd ?? '.');
    if (code !== 0) return code;
  }
  return 0;
}

/**
 * @param {Command} command @param {string} entry @param {string[]} args
 * @returns {string[]}
 */
function sourceCommand({ args: first = [], nodeFlags = [], engines }, entry, args) {
  const command = [pinnedNode, ...sourceFlags, ...nodeFlags, join(repositoryRoot, entry), ...first, ...args];
  if (engines === undefined) return command;
  const runWith = join(repositoryRoot, 'deploy/engines/run-with.ts');
  return [pinnedNode, ...sourceFlags, runWith, '--only', engines, '--', ...command];
}

/**
 * Runs a program with the project's own Node first in its path, passes signals on, and resolves with its exit code.
 * @param {string[]} command @param {string} [folder] relative to the repository's root; by default the current folder
 * @returns {Promise<number>}
 */
function run([program = '', ...args], folder) {
  const path = [join(repositoryRoot, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const child = spawn(program, args, {
    stdio: 'inherit',
    cwd: folder === undefined ? undefined : join(repositoryRoot, folder),
    env: { ...process.env, PATH: path },
  });
  let interrupts = 0;
  for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.removeAllListeners(signal).on(signal, () => {
      // A terminal sends Ctrl-C to the child as well; a signal to this process alone does not reach it.
      interrupts += 1;
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
      if (interrupts > 2) child.kill('SIGKILL');
    });
  }
  return new Promise((settle) => {
    child.on('error', (error) =>
      fail(`cannot run ${program}: ${error.message}. Remove node_modules and try again.`),
    );
    child.on('exit', (code, signal) => settle(signal ? 1 : (code ?? 1)));
  });
}

/**
 * What a command line means: a command and its arguments, a text to print with the exit code, or both.
 * @param {string} name @param {string[]} args
 * @returns {{ command?: Command, args: string[], output?: string | undefined, exitCode: number }}
 */
export function parseCommandLine(name, args) {
  const script = SCRIPTS[name];
  if (script === undefined) {
    const isHelp = name === '' || name === '--help';
    const refusal = isHelp ? '' : `audiosplit: there is no script ${name}. There are:\n`;
    const lines = Object.entries(SCRIPTS).map(([each, { help }]) => [callOf(each), help]);
    return { args: [], output: refusal + columns(lines), exitCode: isHelp ? 0 : 2 };
  }
  const [first, ...rest] = args;
  const subcommand = first === undefined ? undefined : script.commands?.[first];
  if (subcommand !== undefined) {
    if (!isHelpOption(rest[0]) || subcommand.hasHelp) return { command: subcommand, args: rest, exitCode: 0 };
    return { args: [], output: describe(`${callOf(name)} -- ${first}`, subcommand), exitCode: 0 };
  }
  if (isHelpOption(first)) {
    const output = script.commands === undefined && script.hasHelp ? undefined : describeScript(name, script);
    if (!script.hasHelp) return { args: [], output, exitCode: 0 };
    return { command: script, args, output: output && `${output}\n`, exitCode: 0 };
  }
  const hasSubcommand = first !== undefined && !first.startsWith('-');
  if (script.commands === undefined || (canRunAlone(script) && !hasSubcommand)) {
    return { command: script, args, exitCode: 0 };
  }
  const refusal = first === undefined ? 'needs a subcommand' : `has no ${first}`;
  const names = Object.keys(script.commands).join(', ');
  return { args: [], output: `audiosplit: ${callOf(name)} ${refusal}. There are: ${names}\n`, exitCode: 2 };
}

/** @param {string} name @param {Script} script */
function describeScript(name, script) {
  return script.commands === undefined ? describe(callOf(name), script) : columns(linesOf(name, script));
}

/**
 * One line for the script itself, where it runs without a subcommand, and one for each subcommand.
 * @param {string} name @param {Script} script @returns {string[][]}
 */
function linesOf(name, script) {
  const itself = canRunAlone(script) ? [[callOf(name), script.help]] : [];
  const subcommands = Object.entries(script.commands ?? {});
  return [...itself, ...subcommands.map(([each, { help }]) => [`${callOf(name)} -- ${each}`, help])];
}

/** @param {string} call @param {Command} command */
function describe(call, { help, usage }) {
  const separator = call.includes(' -- ') ? '' : '-- ';
  return `${call}: ${help}\n${usage === undefined ? '' : `Usage: ${call} ${separator}${usage}\n`}`;
}

/** @param {string[][]} lines */
function columns(lines) {
  const width = Math.max(...lines.map(([call = '']) => call.length));
  return lines.map(([call = '', help = '']) => `${call.padEnd(width)}  ${help}\n`).join('');
}

/** @param {string} name */
function callOf(name) {
  return name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`;
}

/** @param {Script} script */
function canRunAlone({ entry, steps }) {
  return entry !== undefined || steps !== undefined;
}

/** @param {string | undefined} argument */
function isHelpOption(argument) {
  return argument === '--help' || argument === '-h';
}

/**
 * Runs a program in the repository's root; returns the reason if it fails.
 * @param {string} program @param {string[]} args @returns {string | undefined}
 */
function problemOf(program, args) {
  const { status, error } = spawnSync(program, args, {
    cwd: repositoryRoot,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  return status === 0 ? undefined : (error?.message ?? `exit code ${status}`);
}

/** Installs the locked packages, unless those of this lock file are installed. */
function ensureInstalled() {
  const lock = readFileSync(join(repositoryRoot, 'package-lock.json'));
  const stamp = `${createHash('sha256').update(lock).digest('hex')} ${process.platform} ${process.arch}`;
  if (
    existsSync(installedStampFile) &&
    readFileSync(installedStampFile, 'utf8') === stamp &&
    existsSync(pinnedNode)
  )
    return;

  process.stderr.write('Installing the locked packages (once, about 700 MB on disk) …\n');
  const started = Date.now();
  const problem = problemOf('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  if (problem !== undefined) {
    fail(`npm ci failed (${problem}). Run it by hand in ${repositoryRoot} to see why.`);
  }
  if (!existsSync(pinnedNode)) {
    fail(
      `no Node build of the project's version for ${process.platform}-${process.arch}. Linux and macOS on x64 and arm64 have one.`,
    );
  }
  writeFileSync(installedStampFile, stamp);
  process.stderr.write(`Installed in ${Math.round((Date.now() - started) / 1000)} s.\n`);
}

/** Speeds up the start of a dozen processes at once: from the second start on, their code is already compiled. */
function useCompileCache() {
  const cacheRoot = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  process.env.NODE_COMPILE_CACHE ||= join(cacheRoot, 'audiosplit/node-compile-cache');
}

/** Compiles the code that images run, except for parts that are up to date. */
function ensureCompiled() {
  const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
  const problem = problemOf(pinnedNode, [tsc, '-b', 'tsconfig.build.json']);
  if (problem !== undefined) fail(`the code does not compile (${problem}).`);
}

/** Builds the console's pages and the guide, unless they were built from exactly these sources. */
function ensurePagesBuilt() {
  const folder = join(repositoryRoot, 'gateway/console');
  const stampFile = join(folder, 'dist', BUILT_FROM);
  const digest = createHash('sha256').update(readFileSync(join(repositoryRoot, 'package-lock.json')));
  for (const file of [
    ...['build.mjs', 'index.html', 'vite.config.ts', 'vite.shared.ts'].map((name) => join(folder, name)),
    ...filesBelow(join(folder, 'src')),
    ...filesBelow(join(folder, 'operators')),
    join(repositoryRoot, 'docs/reference/errors.md'),
    join(repositoryRoot, 'proto/vocabulary.ts'),
    ...filesBelow(join(repositoryRoot, 'clients/cuts/src')),
    ...filesBelow(join(repositoryRoot, 'docs/guide')),
  ]) {
    digest.update(file.slice(repositoryRoot.length)).update(readFileSync(file));
  }
  const stamp = digest.digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;

  process.stderr.write('Building the pages (once, a moment) …\n');
  // Another process may build at the same time, or serve the old pages: the new folder replaces the old one in one step.
  const made = join(folder, `.dist-${process.pid}`);
  const problem = problemOf(pinnedNode, [join(folder, 'build.mjs'), made]);
  if (problem !== undefined) {
    rmSync(made, { recursive: true, force: true });
    fail(`the page could not be built (${problem}).`);
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

/** @param {string} message @returns {never} */
function fail(message) {
  process.stderr.write(`audiosplit: ${message}\n`);
  process.exit(1);
}
