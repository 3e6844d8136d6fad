/** `npm start`: everything in one process, with a database process. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@audiosplit/chassis/testing/until';
import { identifyProcess } from '../../../../deploy/provision/process-identity.ts';
import { type TemporaryFolder, temporaryFolder } from '../../temporary-folder.ts';
import { ONE_ADDRESS } from '../one-address.ts';
import type { StartedProduct } from './product.ts';
import { startProduct } from './start-product.ts';
import type { StartOptions, UserStart } from './user-start.ts';

const LAUNCHER = ['node', 'deploy/launcher.mjs', 'start'] as const;
const STOP_TIMEOUT_MS = 15_000;

export const npmStart: UserStart = {
  launcher: LAUNCHER,
  npm: ['npm', 'start'],
  // Callers without a credential are counted by address: a suite that shares the product sets a different
  // address for each file.
  sharedEnv: { EGRESS_ALLOW_CIDRS: '127.0.0.0/8', TRUST_PROXY: '127.0.0.1', ...ONE_ADDRESS },
  forgetCounts: async () => ({ 'x-forwarded-for': `10.${randomBytes(3).join('.')}` }),
  start,
};

async function start({ env = {}, command = LAUNCHER, dataDir }: StartOptions): Promise<StartedProduct> {
  await using starting = new AsyncDisposableStack();
  const folder = dataDir ?? starting.use(await dataFolder()).path;
  // A database survives the signals that kill the product.
  const database = {
    running: async () => ((await databasePid(folder)) === undefined ? [] : ['database']),
    kill: () => undefined,
  };
  const options = { env, dataDir: folder, stopTimeoutMs: STOP_TIMEOUT_MS, findParts: () => database };
  const product = starting.use(await startProduct(command, options));
  const running = starting.move();
  return { ...product, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** A new DATA_DIR. Disposing it ends a database that a killed product left running there. */
export async function dataFolder(): Promise<TemporaryFolder> {
  await using making = new AsyncDisposableStack();
  const { path } = making.use(await temporaryFolder());
  making.defer(async () => {
    const pid = await databasePid(path);
    if (pid === undefined) return;
    process.kill(pid, 'SIGQUIT');
    await until(() => identifyProcess(pid) === null, 'the database that was left behind ends', 10_000);
  });
  const made = making.move();
  return { path, [Symbol.asyncDispose]: () => made.disposeAsync() };
}

/** Undefined: no database runs on this folder. */
async function databasePid(dataDir: string): Promise<number | undefined> {
  const file = await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(file.split('\n', 1)[0]);
  return pid > 1 && identifyProcess(pid) !== null ? pid : undefined;
}
