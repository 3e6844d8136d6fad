/** `npm start`: everything in one process, with a database beside it. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SAMPLES_PATH } from '../../../deploy/embedded/samples.ts';
import { type Command, isAlive, readPrintedFacts, spawnProduct, waitUntilReady } from './product-process.ts';
import type { Product, ProductOptions } from './running-product.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** Without npm around it, which adds words of its own to a failure. */
export const EMBEDDED_LAUNCHER: Command = ['node', 'deploy/launcher.mjs', 'start'];
export const EMBEDDED_NPM: Command = ['npm', 'start'];

const STOP_TIMEOUT_MS = 15_000;

export async function startEmbeddedProduct(options: ProductOptions): Promise<Product> {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const started = spawnProduct(options.command ?? EMBEDDED_LAUNCHER, { ...options.env, DATA_DIR: dataDir });
  const { child, output, exited, killGroup } = started;
  const clear = async () => {
    child.kill('SIGTERM');
    // Whoever started it may be gone while the rest of the group goes on and keeps the outputs open.
    const forced = setTimeout(killGroup, STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(forced);
    if (options.dataDir === undefined) await removeDataDir(dataDir);
  };
  try {
    await waitUntilReady(started);
    const facts = readPrintedFacts(output().stdout);
    return {
      ...facts,
      samplesUrl: facts.baseUrl + SAMPLES_PATH,
      hostAddress: '127.0.0.1',
      dataDir,
      scratchDirs: [join(dataDir, 'scratch')],
      output,
      exited,
      processGroup: child.pid ?? 0,
      runningParts: async () => ((await databasePid(dataDir)) === undefined ? [] : ['database']),
      signal: (signal) => void child.kill(signal),
      killHard: async () => {
        killGroup();
        await exited;
      },
      [Symbol.asyncDispose]: clear,
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** With the database that may have been left behind in it by a kill. */
export async function removeDataDir(dataDir: string): Promise<void> {
  const pid = await databasePid(dataDir);
  if (pid !== undefined) {
    process.kill(pid, 'SIGQUIT');
    await until(async () => !isAlive(pid), 10_000, 'the database that was left behind ends');
  }
  await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
}

/** Undefined: none runs on this folder. */
async function databasePid(dataDir: string): Promise<number | undefined> {
  const file = await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(file.split('\n', 1)[0]);
  return pid > 1 && isAlive(pid) ? pid : undefined;
}
