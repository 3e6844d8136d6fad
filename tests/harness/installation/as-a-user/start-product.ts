/** Starts the product with a command that prints its address and ends on a signal. */
import { join } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import { until } from '@audiosplit/chassis/testing/until';
import { SAMPLES_PATH } from '../../../../deploy/embedded/samples.ts';
import { type Command, type Exit, type RunningCommand, startCommand } from './command.ts';
import type { StartedProduct } from './product.ts';

const START_TIMEOUT_MS = 90_000;

interface ProductStart {
  /** PORT is 0 unless it is set here. */
  readonly env: Env;
  readonly dataDir: string;
  /** How long a stop may take before it is forced. */
  readonly stopTimeoutMs: number;
  /** Called when the start is complete, because the stop may remove the files that name the parts. */
  readonly findParts: () => Parts;
}

/** The parts of a product that have their own process group. */
interface Parts {
  readonly running: StartedProduct['runningParts'];
  kill(): void;
}

/** Throws if it ends before it is ready. */
export async function startProduct(command: Command, options: ProductStart): Promise<StartedProduct> {
  const { dataDir, stopTimeoutMs, findParts } = options;
  const started = spawnProduct(command, { ...options.env, DATA_DIR: dataDir });
  const { child, output, exited } = started;
  await using starting = new AsyncDisposableStack();
  starting.defer(async () => {
    child.kill('SIGTERM');
    // Children may outlive their parent and keep the outputs open.
    const forced = setTimeout(() => killGroup(child.pid), stopTimeoutMs);
    await exited;
    clearTimeout(forced);
  });
  const { baseUrl, apiKey } = await untilReady(started);
  const parts = findParts();
  const running = starting.move();
  return {
    baseUrl,
    apiKey,
    samplesUrl: baseUrl + SAMPLES_PATH,
    hostAddress: '127.0.0.1',
    dataDir,
    scratchDirs: [join(dataDir, 'scratch')],
    headers: {},
    output,
    exited,
    processGroup: child.pid ?? 0,
    runningParts: parts.running,
    signal: (signal) => void child.kill(signal),
    killHard: async () => {
      killGroup(child.pid);
      parts.kill();
      await exited;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Runs a start that is expected to fail. */
export async function runFailingStart(command: Command, env: Env): Promise<Exit> {
  const { child, exited } = spawnProduct(command, env);
  const forced = setTimeout(() => child.kill('SIGTERM'), START_TIMEOUT_MS);
  try {
    return await exited;
  } finally {
    clearTimeout(forced);
  }
}

export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

function spawnProduct(command: Command, env: Env): RunningCommand {
  return startCommand(command, { env: { PORT: '0', ...env }, detached: true });
}

async function untilReady({ output, exited }: RunningCommand) {
  let exit: Exit | undefined;
  void exited.then((value) => {
    exit = value;
  });
  const isReady = () => {
    if (exit !== undefined) throw new Error(`it ended with ${exit.code}:\n${exit.stderr}${exit.stdout}`);
    return output().stdout.includes('Stop with Ctrl-C.');
  };
  await until(isReady, 'the product is ready', START_TIMEOUT_MS);
  const { stdout } = output();
  return {
    baseUrl: printed(stdout, /^ {2}API +(http:\S+)\/api\/v1$/m),
    apiKey: printed(stdout, /^ {2}Key +(\S+)/m),
  };
}

function printed(stdout: string, pattern: RegExp): string {
  const found = pattern.exec(stdout)?.[1];
  if (found === undefined) throw new Error(`${pattern} is not in what was printed:\n${stdout}`);
  return found;
}
