/**
 * Runs the program of attempts in ffmpeg's place, as the service starts ffmpeg, and prints what came of each. Its one
 * argument is AttemptOptions, as JSON.
 *
 * A script of its own, with nothing imported but Node and the product's modules that its options name: it also runs in
 * images, which get it by stdin. What the attempts aim at is made here: a process in the service's place, and the folder
 * of another job.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as RunModule from '../../src/ffmpeg/run.ts';
import type * as FindSandboxModule from '../../src/sandbox/find-sandbox.ts';
import type * as SandboxModule from '../../src/sandbox/sandbox.ts';

export interface AttemptOptions {
  /** The folder of the engine's modules, and how their names end. */
  readonly modules: string;
  readonly extension: '.ts' | '.js';
  /** The program of attempts, in base64. */
  readonly program: string;
  /** Where programs may be written and executed. */
  readonly folder: string;
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
const SERVICE = `
  const server = require('node:net').createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    require('node:dgram').createSocket('udp4').bind(port, '127.0.0.1', () => console.log(port));
  });
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
  await using service = await startService();
  const sandbox = await findSandbox(program);

  async function attempt(name: string, confinement: SandboxModule.Sandbox): Promise<string> {
    const workDir = join(folder.path, 'own-job');
    await mkdir(workDir, { recursive: true });
    const { signal } = new AbortController();
    await using child = startFfmpeg(
      { ffmpegPath: program, sandbox: confinement, workDir, signal, stop: () => undefined },
      {
        args: [name, String(service.child.pid), otherJob, 'output', String(service.port)],
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
  readonly port: number;
}

async function startService(): Promise<StandIn> {
  const child = spawn(process.execPath, ['--eval', SERVICE], {
    env: { SECRET: 'of the service' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return {
    child,
    port: Number(line),
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
