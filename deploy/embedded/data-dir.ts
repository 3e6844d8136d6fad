/**
 * The folder of the embedded run: made, checked, and held by one instance at a time.
 *
 * The hold is a listening Unix socket, which the system gives up when its process ends, however it ends: a
 * socket file on which no process answers is a leftover and is replaced. The file lies in the folder itself, or
 * in the system's temporary one where the path would be too long for a socket address.
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, constants, mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode, messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';

/** sun_path has 104 bytes on macOS and 108 on Linux, one of them the ending zero; the rest is for `.stale-…`. */
const MAX_SOCKET_PATH_BYTES = 103 - 15;

/** Throws StartError: the folder cannot be written to, or another instance holds it. */
export async function holdDataDir(dataDir: string): Promise<AsyncDisposable> {
  await makeWritable(dataDir);
  const socketPath = await socketPathFor(dataDir);
  const server = createServer((socket) => socket.destroy());
  for (let attempt = 0; ; attempt++) {
    try {
      await once(server.listen(socketPath), 'listening');
      break;
    } catch (error) {
      if (!hasCode(error, 'EADDRINUSE')) throw error;
      if (attempt > 0 || !(await removeLeftover(socketPath))) {
        throw new StartError(
          `another instance runs on DATA_DIR ${dataDir}: stop it, or set DATA_DIR to another folder`,
        );
      }
    }
  }
  server.unref();
  return server;
}

/** Throws StartError. */
export async function makeWritable(dataDir: string): Promise<void> {
  const probe = join(dataDir, '.writable');
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o755 });
    await access(dataDir, constants.W_OK | constants.X_OK);
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    throw new StartError(
      `DATA_DIR ${dataDir} cannot be written to (${messageOf(error)}): set DATA_DIR to a folder of yours`,
    );
  }
}

async function socketPathFor(dataDir: string): Promise<string> {
  const inside = join(await realpath(dataDir), 'instance.sock');
  if (Buffer.byteLength(inside) <= MAX_SOCKET_PATH_BYTES) return inside;
  const name = createHash('sha256').update(inside).digest('hex').slice(0, 24);
  return join(tmpdir(), `audiosplit-${name}.sock`);
}

/**
 * False where an instance answers. The file is moved aside before it is judged: two starts that find the same
 * leftover must not have the slower one remove the socket that the quicker one has made since.
 */
async function removeLeftover(socketPath: string): Promise<boolean> {
  if (await someoneListens(socketPath)) return false;
  const aside = `${socketPath}.stale-${randomBytes(4).toString('hex')}`;
  try {
    await rename(socketPath, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
  if (await someoneListens(aside)) {
    await rename(aside, socketPath);
    return false;
  }
  await rm(aside, { force: true });
  return true;
}

async function someoneListens(socketPath: string): Promise<boolean> {
  const socket = connect(socketPath);
  const isAnswered = await once(socket, 'connect').then(Boolean, () => false);
  socket.destroy();
  return isAnswered;
}
