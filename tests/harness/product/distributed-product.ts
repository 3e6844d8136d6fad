/**
 * `npm run up`: separate processes on real engines. To start them for every file would take minutes, so there is one
 * installation for the whole suite, and a product is a new account on it with nothing counted against it yet. Scenarios
 * that set more than SHARED_ENV, name their folder or look at the start itself have the installation started
 * again for them, and again for the next scenario. Its engines run throughout.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import { readOrMakeSecrets } from '../../../deploy/embedded/installation-secrets.ts';
import { SAMPLES_PATH } from '../../../deploy/embedded/samples.ts';
import { readState } from '../../../deploy/engines/engines-state.ts';
import { type RunningState, readRunningState } from '../../../deploy/processes/running-state.ts';
import { isAlive, terminate } from '../../../deploy/provision/process-identity.ts';
import { attachToInstallation, forgetAccount, forgetCounts, type RedisAddress } from './attached-product.ts';
import {
  type Command,
  killGroup,
  readPrintedFacts,
  runToExit,
  spawnProduct,
  waitUntilReady,
} from './product-process.ts';
import type { Product, ProductOptions } from './running-product.ts';

/** Its folder, for as long as the suite runs. */
const installation = process.env.ACCEPTANCE_INSTALLATION ?? '';
export const isDistributed = installation !== '';

/** Each of a kind twice, so that what one of them knows the other has to learn. */
const OPTIONS = ['--gateways', '2', '--splitters', '2', '--keep-engines'] as const;
export const DISTRIBUTED_LAUNCHER: Command = ['node', 'deploy/launcher.mjs', 'up', ...OPTIONS];
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
  const { internalSecret } = await readOrMakeSecrets(installation);
  return attachToInstallation({
    ...placesOf(baseUrl),
    rpcUrls,
    internalSecret,
    redis: redisAddress(),
    accountFolder: installation,
  });
}

function placesOf(baseUrl: string) {
  return {
    baseUrl,
    samplesUrl: baseUrl + SAMPLES_PATH,
    hostAddress: '127.0.0.1',
    dataDir: installation,
    scratchDirs: [join(installation, 'scratch')],
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
  await forgetCounts(redisAddress());
  const isNew = options.dataDir === undefined || !foldersSeen.has(options.dataDir);
  if (isNew) await forgetAccount(installation);
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
    const { baseUrl, apiKey } = readPrintedFacts(output().stdout);
    return {
      ...placesOf(baseUrl),
      apiKey,
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

function redisAddress(): RedisAddress {
  const { redis } = readState(join(installation, 'engines'));
  if (redis === undefined) throw new Error('the installation has a Redis of its own');
  return { host: '127.0.0.1', port: redis.port };
}
