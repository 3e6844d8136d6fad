/**
 * Runs the program of attempts in ffmpeg's place, as the service starts ffmpeg, and prints what came of each. Its one
 * argument is AttemptOptions, as JSON. A script of its own: see `stdin-script.ts`.
 *
 * What the attempts aim at is made here: a process in the service's place, and the folder of another job.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as RunModule from '../../src/ffmpeg/run.ts';
import type * as FindSandboxModule from '../../src/sandbox/find-sandbox.ts';
import type * as SandboxModule from '../../src/sandbox/sandbox.ts';
import type { ScriptOptions } from './stdin-script.ts';

export interface AttemptOptions extends ScriptOptions {
  /** The program of attempts, in base64. */
  readonly program: string;
  /** Whether each is tried without a sandbox, too. */
  readonly hasControl: boolean;
}

export interface AttemptReport {
  readonly level: SandboxModule.SandboxLevel;
  readonly shortfall?: string | undefined;
  readonly outcomes: readonly AttemptOutcome[];
  /** The process in the service's place has come to no harm. */
  readonly isServiceAlive: boolean;
}

export interface AttemptOutcome {
  readonly name: string;
  /** `succeeded`, `refused`, `killed`, or what else has happened. */
  readonly confined: string;
  readonly unconfined?: string;
}

const FILE_SIZE_BYTES = 64 * 1024;
const SECRET = 'of the service';
/** linux/prctl.h: where Yama is, a process may then be traced by others of its user, as anywhere else. */
const PR_SET_PTRACER = 0x59616d61;
/** Listens by TCP and UDP, and at a socket by its path and by an abstract name; prints where, and where its secret lies. */
const SERVICE = `
  const { dlopen, getRawPointer } = require('node:ffi');
  const { createServer } = require('node:net');
  const { once } = require('node:events');
  const library = dlopen(null, { prctl: { arguments: ['i32', 'u64', 'u64', 'u64', 'u64'], return: 'i32' } });
  library.functions.prctl(${PR_SET_PTRACER}, 2n ** 64n - 1n, 0n, 0n, 0n);
  globalThis.secret = Buffer.alloc(4096, '${SECRET}');
  const listen = (...at) => once(createServer().listen(...at), 'listening');
  (async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    await once(require('node:dgram').createSocket('udp4').bind(port, '127.0.0.1'), 'listening');
    for (const path of [process.argv[1], '\\0' + process.argv[1]]) await listen(path);
    console.log(port + ' ' + getRawPointer(globalThis.secret));
  })();
`;

const options: AttemptOptions = JSON.parse(process.argv[2] ?? '');
process.stdout.write(`${JSON.stringify(await tryAttempts())}\n`);

async function tryAttempts(): Promise<AttemptReport> {
  const moduleOf = (name: string) => import(join(options.modules, `${name}${options.extension}`));
  const { findSandbox } = (await moduleOf('sandbox/find-sandbox')) as typeof FindSandboxModule;
  const { UNCONFINED } = (await moduleOf('sandbox/sandbox')) as typeof SandboxModule;
  const { startFfmpeg } = (await moduleOf('ffmpeg/run')) as typeof RunModule;

  await using folder = await mkdtempDisposable(join(options.folder, 'attempts-'));
  const program = join(folder.path, 'ffmpeg');
  await writeFile(program, Buffer.from(options.program, 'base64'));
  await chmod(program, 0o755);
  const otherJob = `${join(folder.path, 'other-job')}/`;
  await mkdir(otherJob);
  for (const name of ['source', 'deleted', 'renamed']) await writeFile(join(otherJob, name), 'theirs');
  await using service = await startService(join(otherJob, 'socket'));
  const sandbox = await findSandbox(program);

  async function attempt(name: string, confinement: SandboxModule.Sandbox): Promise<string> {
    const workDir = join(folder.path, 'own-job');
    await mkdir(workDir, { recursive: true });
    // What the sandbox empties keeps its mode: that it is not executed is for the sandbox to see to.
    await writeFile(join(workDir, 'output'), '', { mode: 0o755 });
    const { signal } = new AbortController();
    await using child = startFfmpeg(
      { ffmpegPath: program, sandbox: confinement, workDir, signal, stop: () => undefined },
      {
        args: [name, String(service.child.pid), otherJob, 'output', service.port, service.secret],
        limits: { cpuSeconds: 10, fileSizeBytes: FILE_SIZE_BYTES },
        wallLimitMs: 10_000,
        stdin: 'ignore',
        writes: 'output',
      },
    );
    child.stdout.resume();
    return await child.finished.then(() => 'succeeded', outcomeOf);
  }

  const outcomes: AttemptOutcome[] = [];
  for (const name of await namesOf(program)) {
    const confined = await attempt(name, sandbox);
    outcomes.push({
      name,
      confined,
      ...(options.hasControl ? { unconfined: await attempt(name, UNCONFINED) } : {}),
    });
  }
  const { level, shortfall } = sandbox;
  const { exitCode, signalCode } = service.child;
  return { level, shortfall, outcomes, isServiceAlive: exitCode === null && signalCode === null };
}

/** From the error that the service would get of ffmpeg. */
function outcomeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('isAttack' in error && error.isAttack === true) return 'killed';
  const { exitCode, exitSignal, stderr } = error as RunModule.FfmpegError;
  // Of the attempts themselves, and at the limit of a file's size.
  if (exitCode === 1 || exitSignal === 'SIGXFSZ') return 'refused';
  return `${error.message} (${exitSignal ?? exitCode}) ${stderr}`.trim();
}

interface StandIn extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly port: string;
  /** An address in its memory. */
  readonly secret: string;
}

async function startService(socket: string): Promise<StandIn> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--eval', SERVICE, '--', socket],
    { env: { SECRET }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = await once(child.stdout, 'data');
  const [port = '', secret = ''] = String(line).trim().split(' ');
  return {
    child,
    port,
    secret,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

async function namesOf(program: string): Promise<readonly string[]> {
  const child = spawn(program, ['-names'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk);
  return Buffer.concat(chunks).toString().trim().split('\n');
}
