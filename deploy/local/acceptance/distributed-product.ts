/**
 * `npm run up`: separate processes on real engines. To start them for every file would take minutes, so there is one
 * installation for the whole suite, and a product is a new account on it with nothing counted against it yet. Scenarios
 * that set more than SHARED_ENV, name their folder or look at the start itself have the installation started
 * again for them, and again by whoever comes next. Its engines run throughout.
 */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '@audiosplit/chassis/clock';
import type { Env } from '@audiosplit/chassis/env';
import { remoteAddress } from '@audiosplit/chassis/rpc/client';
import { type RunningState, readRunningState } from '../../distributed/running-state.ts';
import { readState } from '../../engines/engines-state.ts';
import { isAlive, terminate } from '../../engines/process-identity.ts';
import { openDevelopmentAccount } from '../src/development-account.ts';
import { readOrMakeSecrets } from '../src/installation-secrets.ts';
import type { Product, ProductOptions } from './product.ts';
import {
  type Command,
  killGroup,
  readPrintedFacts,
  runToExit,
  spawnProduct,
  waitUntilReady,
} from './product-process.ts';

/** Its folder, for as long as the suite runs. */
const installation = process.env.ACCEPTANCE_INSTALLATION ?? '';
export const isDistributed = installation !== '';

/** Each of a kind twice, so that what one of them knows the other has to learn. */
const OPTIONS = ['--gateways', '2', '--splitters', '2', '--keep-engines'] as const;
export const DISTRIBUTED_LAUNCHER: Command = ['node', 'deploy/distributed/up.mjs', ...OPTIONS];
export const DISTRIBUTED_NPM: Command = ['npm', 'run', '--silent', 'up', '--', ...OPTIONS];

export const SHARED_ENV: Env = {
  EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
  // Events of one partition wait for the splitter that has it, so each needs room for all that an account may run.
  SPLITTER_CONCURRENCY: '2',
};
const STOP_TIMEOUT_MS = 60_000;

export function startDistributedProduct(options: ProductOptions): Promise<Product> {
  const wanted = Object.entries(options.env ?? {});
  const isShared =
    options.command === undefined &&
    options.dataDir === undefined &&
    wanted.every(([name, value]) => SHARED_ENV[name] === value);
  return isShared ? attach() : startAgain(options);
}

/** A new account on the installation as it runs for everybody. */
async function attach(): Promise<Product> {
  const { baseUrl, rpcUrls } = await sharedRun();
  await forgetCounts();
  await rm(join(installation, 'development.json'), { force: true });
  const { internalSecret } = await readOrMakeSecrets(installation);
  const { apiKey } = await openDevelopmentAccount({
    dataDir: installation,
    addressOf: (service) => remoteAddress(rpcUrls[service] ?? ''),
    internalSecret,
    clock: systemClock,
  });
  const notOurs = () => {
    throw new Error('this product is shared with other scenarios: name a command to have one started');
  };
  return {
    baseUrl,
    apiKey,
    dataDir: installation,
    output: notOurs,
    exited: new Promise(() => undefined),
    processGroup: 0,
    runningParts: notOurs,
    signal: notOurs,
    killHard: notOurs,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

type ServingState = RunningState & Required<Pick<RunningState, 'baseUrl' | 'rpcUrls'>>;

async function sharedRun(): Promise<ServingState> {
  const running = servingState();
  // One that a scenario has left behind has other settings.
  if (running !== undefined && existsSync(markOfSharedRun(running))) return running;
  await stopRun();
  const { code, stdout, stderr } = await runToExit([...DISTRIBUTED_LAUNCHER, '--detach'], {
    ...SHARED_ENV,
    DATA_DIR: installation,
  });
  const started = servingState();
  if (started === undefined) throw new Error(`up --detach ended with ${code}:\n${stderr}${stdout}`);
  await writeFile(markOfSharedRun(started), '');
  return started;
}

function markOfSharedRun({ supervisor }: ServingState): string {
  return join(installation, `shared-run-${supervisor.pid}`);
}

function servingState(): ServingState | undefined {
  const state = readRunningState(installation);
  if (state?.baseUrl === undefined || state.rpcUrls === undefined || !isAlive(state.supervisor)) {
    return undefined;
  }
  return { ...state, baseUrl: state.baseUrl, rpcUrls: state.rpcUrls };
}

async function stopRun(): Promise<void> {
  const state = readRunningState(installation);
  if (state !== undefined) await terminate(state.supervisor, 'SIGTERM', STOP_TIMEOUT_MS);
}

const foldersSeen = new Set<string>();

/** As `npm start` on a folder: an account of its own the first time, the same one from then on. */
async function startAgain(options: ProductOptions): Promise<Product> {
  await stopRun();
  await forgetCounts();
  const isNew = options.dataDir === undefined || !foldersSeen.has(options.dataDir);
  if (isNew) await rm(join(installation, 'development.json'), { force: true });
  if (options.dataDir !== undefined) foldersSeen.add(options.dataDir);

  const started = spawnProduct(options.command ?? DISTRIBUTED_LAUNCHER, {
    ...options.env,
    DATA_DIR: installation,
  });
  const { child, output, exited } = started;
  const clear = async () => {
    child.kill('SIGTERM');
    const forced = setTimeout(started.killGroup, STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(forced);
  };
  try {
    await waitUntilReady(started);
    const parts = readRunningState(installation)?.processes ?? [];
    return {
      ...readPrintedFacts(output().stdout),
      dataDir: installation,
      output,
      exited,
      processGroup: child.pid ?? 0,
      runningParts: async () => parts.filter(isAlive).map(({ name }) => name),
      signal: (signal) => void child.kill(signal),
      killHard: async () => {
        started.killGroup();
        for (const { pid } of parts) killGroup(pid);
        await exited;
      },
      [Symbol.asyncDispose]: clear,
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** A new product has counted no requests, of no address. */
async function forgetCounts(): Promise<void> {
  const { redis } = readState(join(installation, 'engines'));
  if (redis === undefined) return;
  const socket = connect({ host: '127.0.0.1', port: redis.port });
  socket.end('FLUSHALL\r\nQUIT\r\n');
  for await (const reply of socket.setEncoding('utf8')) {
    if (!String(reply).startsWith('+OK')) throw new Error(`Redis answered FLUSHALL with ${reply}`);
  }
}
