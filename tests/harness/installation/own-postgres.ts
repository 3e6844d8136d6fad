import { access, constants, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../../deploy/embedded/postgres/embedded-postgres.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const MEMORY_FOLDER = '/dev/shm';
/** Several times the memory that a run of all tests uses; a container often has 64 MB. */
const MIN_FREE_MEMORY_BYTES = 1024 ** 3;

/** A server for one run. `durable` turns on the disk syncs that a production installation needs. */
export async function startOwnPostgres({
  durable,
  maxConnections = 100,
}: {
  readonly durable: boolean;
  readonly maxConnections?: number;
}) {
  await using starting = new AsyncDisposableStack();
  const parent = durable ? tmpdir() : await chooseFolder();
  const { path: folder } = starting.use(await temporaryFolder(parent));
  const { url } = starting.use(
    await startEmbeddedPostgres({ directory: join(folder, 'postgres'), durable, maxConnections }),
  );
  const running = starting.move();
  return {
    url,
    /** May hold other files of the run too. It is removed with the server. */
    folder,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Chooses memory if enough is free: creating a test's database takes a tenth of the time there. */
async function chooseFolder(): Promise<string> {
  try {
    await access(MEMORY_FOLDER, constants.W_OK);
    const { bavail, bsize } = await statfs(MEMORY_FOLDER);
    return bavail * bsize > MIN_FREE_MEMORY_BYTES ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}
