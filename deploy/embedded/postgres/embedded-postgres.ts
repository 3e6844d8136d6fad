/**
 * A real PostgreSQL server as a child process, for the embedded run and for tests.
 *
 * The cluster lives in `<directory>/cluster`, its password in `<directory>/password`; both survive restarts.
 * It listens on 127.0.0.1 only, on a port that the system chooses at every start.
 *
 * PostgreSQL refuses to run as root. As root, the server runs with the user id 65534. If that user may not
 * enter a folder above its files (a clone in root's home), the server keeps the one capability that allows
 * it.
 *
 * A server whose parent was killed stays behind: the next start on the same directory shuts it down first.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from '@audiosplit/chassis/postgres/single-connection';
import { findExecutable } from '../../provision/executable.ts';
import { freePort } from '../../provision/free-port.ts';
import { findPostgresBinaries } from './binaries.ts';

const UNPRIVILEGED_ID = 65534;
const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 8_000;

/** The URL is an administrator's; its database is `postgres`. */
export async function startEmbeddedPostgres(options: {
  readonly directory: string;
  /** False for tests: a crash of the machine may then lose data, but not a crash of the process. */
  readonly durable: boolean;
  readonly maxConnections: number;
}): Promise<AsyncDisposable & { readonly url: string }> {
  const { directory } = options;
  const cluster = join(directory, 'cluster');
  const binaries = await findPostgresBinaries();
  const asRoot = process.getuid?.() === 0;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (asRoot) await chown(directory, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
  const run = await chooseLauncher(asRoot, [binaries.postgres, directory]);

  if (existsSync(join(cluster, 'PG_VERSION'))) await stopLeftover(cluster);
  else await initialiseCluster(run, binaries.initdb, directory, cluster);
  const password = (await readFile(join(directory, 'password'), 'utf8')).trim();

  const port = await freePort();
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: String(options.maxConnections),
    shared_buffers: '64MB',
    timezone: 'UTC',
    ...(options.durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const assignments = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = run(binaries.postgres, ['-D', cluster, ...assignments]);
  const tail = collectTail(server);
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  try {
    await waitUntilReady(server, url, tail);
  } catch (error) {
    server.kill('SIGQUIT');
    throw error;
  }
  return { url, [Symbol.asyncDispose]: () => stopServer(server) };
}

type Launcher = (file: string, args: readonly string[]) => ChildProcess;

async function chooseLauncher(asRoot: boolean, paths: readonly string[]): Promise<Launcher> {
  // Its own process group: a terminal's Ctrl-C must not reach the database before its clients are done.
  const options: SpawnOptions = {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    cwd: '/',
    env: { LC_ALL: 'C', PATH: '/usr/bin:/bin', TZ: 'UTC' },
  };
  if (!asRoot) return (file, args) => spawn(file, args, options);
  const reachable = (await Promise.all(paths.map(isOpenToOthers))).every(Boolean);
  if (reachable)
    return (file, args) => spawn(file, args, { ...options, uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID });
  const setpriv = findExecutable('setpriv', ['/usr/bin', '/bin']);
  if (setpriv === undefined) {
    throw new Error(
      `PostgreSQL does not run as root, and its user cannot enter ${paths.join(' or ')}: ` +
        'put the project and DATA_DIR into a folder that others may enter, or install util-linux (setpriv), or run as another user',
    );
  }
  const privileges = [
    `--reuid=${UNPRIVILEGED_ID}`,
    `--regid=${UNPRIVILEGED_ID}`,
    '--clear-groups',
    // initdb checks with access(2) whether it can run the server; access(2) uses the capabilities of the real user.
    '--securebits=+no_setuid_fixup',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
  ];
  return (file, args) => spawn(setpriv, [...privileges, file, ...args], options);
}

/** Whether any user may enter every folder above `path`. */
async function isOpenToOthers(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

async function initialiseCluster(
  run: Launcher,
  initdb: string,
  directory: string,
  cluster: string,
): Promise<void> {
  // Renamed only when it is complete; an interrupted set-up is started again.
  const unfinished = `${cluster}.new`;
  for (const path of [cluster, unfinished]) await rm(path, { recursive: true, force: true });
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
  if (process.getuid?.() === 0) await chown(passwordFile, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
  const child = run(initdb, [
    ...[`--pgdata=${unfinished}`, '--username=postgres', `--pwfile=${passwordFile}`],
    ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'],
  ]);
  const tail = collectTail(child);
  const [code] = await once(child, 'exit');
  if (code !== 0) {
    await rm(unfinished, { recursive: true, force: true });
    throw new Error(
      `cannot set up the embedded PostgreSQL in ${cluster}: ${tail() || `initdb ended with ${code}`}`,
    );
  }
  await rename(unfinished, cluster);
}

async function stopLeftover(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n', 1)[0]);
  if (!Number.isInteger(pid) || pid <= 1 || !isAlive(pid)) return;
  // Systems other than Linux have no /proc; there the file alone decides.
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => 'postgres');
  // In a new container, process ids start again. The server would mistake another process, or a thread, for
  // its predecessor, and would not start.
  if (!commandLine.includes('postgres')) return await rm(pidFile);
  process.kill(pid, 'SIGINT');
  for (let waitedMs = 0; waitedMs < STOP_TIMEOUT_MS; waitedMs += 50) {
    if (!isAlive(pid)) return;
    await sleep(50);
  }
  process.kill(pid, 'SIGQUIT');
  await sleep(200);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function waitUntilReady(server: ChildProcess, url: string, tail: () => string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  let failure = '';
  server.on('error', (error) => {
    failure = error.message;
  });
  while (Date.now() < deadline) {
    if (failure !== '' || server.exitCode !== null || server.signalCode !== null) {
      throw new Error(
        `the embedded PostgreSQL did not start: ${failure || tail() || `exit code ${server.exitCode ?? server.signalCode}`}`,
      );
    }
    try {
      await using _client = await openConnection({ connectionString: url });
      return;
    } catch {
      await sleep(25);
    }
  }
  throw new Error(`the embedded PostgreSQL was not ready within ${READY_TIMEOUT_MS / 1000} s: ${tail()}`);
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGINT');
  const late = setTimeout(() => server.kill('SIGQUIT'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(late);
}

function collectTail(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-2000);
    });
  }
  return () => text.trim().split('\n').slice(-4).join(' | ');
}
