import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnection } from '@audiosplit/chassis/postgres/single-connection';
import { installPackages } from '../provision/debian-packages.ts';
import { findExecutable } from '../provision/executable.ts';
import type { Account, Launch } from '../provision/launch.ts';
import { ProvisionError } from '../provision/provision-error.ts';
import { runTool } from '../provision/run-tool.ts';
import type { Task } from '../provision/task.ts';
import type { Address, Engine, Preparation, SecuredListener } from './engine.ts';
import { recoverFromCrash } from './postgres-crash.ts';

const binariesRoot = '/usr/lib/postgresql';
const superuser = 'postgres';
const database = 'audiosplit';

/** PostgreSQL from Debian's packages. Never runs as root: the server refuses to. */
export const postgres: Engine = {
  name: 'postgres',
  // SIGTERM would wait for every client to disconnect; SIGINT is the server's fast shutdown.
  stopSignal: 'SIGINT',
  placeData,
  prepare,
  probe,
  endpoints: (address) => ({ databaseUrl: clientUrl(address) }),
};

/** Debian has a folder for each major version; the newest one is used. */
export function newestBinariesDir(root: string): string | undefined {
  if (!existsSync(root)) return undefined;
  return readdirSync(root)
    .filter((entry) => /^\d+$/.test(entry))
    .sort((a, b) => Number(b) - Number(a))
    .map((major) => join(root, major, 'bin'))
    .find((dir) => ['initdb', 'postgres'].every((name) => findExecutable(name, [dir]) !== undefined));
}

/** Tuned for tests: nothing waits for the disk, so a power failure may lose data. */
export function serverArguments(dataDir: string, port: number, secured?: SecuredListener): string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    fsync: 'off',
    full_page_writes: 'off',
    ...(secured && { ssl: 'on', ssl_cert_file: secured.identityFile, ssl_key_file: secured.identityFile }),
  };
  return ['-D', dataDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The account to run under when this process is root: `postgres`, or else `nobody`. */
export function unprivilegedAccount(passwd: string): Account {
  const accounts = passwd.split('\n').map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find(([name]) => name === wanted) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new ProvisionError(
    'PostgreSQL does not run as root: run as another user, or add an account `postgres`',
  );
}

async function prepare(preparation: Preparation): Promise<Launch> {
  const { port, secured, dataDir, task } = preparation;
  const binaries = await ensureBinaries(task);
  const runAs = serverAccount();
  const cluster = join(dataDir, 'cluster');
  if (!existsSync(cluster)) {
    await task.step('initdb', () => createCluster(binaries, cluster, preparation));
  }
  await recoverFromCrash(cluster);
  // The server refuses a key that belongs to another user.
  if (secured && runAs) await chown(secured.identityFile, runAs.uid, runAs.gid);
  return {
    command: join(binaries, 'postgres'),
    args: serverArguments(cluster, port, secured),
    ...(runAs && { runAs }),
  };
}

async function ensureBinaries(task: Task): Promise<string> {
  const present = newestBinariesDir(binariesRoot);
  if (present !== undefined) return present;
  await installPackages(['postgresql'], 'PostgreSQL', task);
  const installed = newestBinariesDir(binariesRoot);
  if (installed === undefined)
    throw new ProvisionError(`no PostgreSQL under ${binariesRoot}/*/bin, though apt-get installed it`);
  return installed;
}

/**
 * Below the state folder if the server's account can enter it, otherwise (with a checkout in /root, for
 * example) in the temp folder.
 */
async function placeData(stateDir: string): Promise<string> {
  const runAs = serverAccount();
  const home = isReachable(stateDir, runAs)
    ? join(stateDir, 'postgres')
    : await mkdtemp(join(tmpdir(), 'audiosplit-postgres-'));
  await mkdir(home, { recursive: true });
  await chmod(home, 0o700);
  if (runAs) await chown(home, runAs.uid, runAs.gid);
  return home;
}

/** Undefined when this process is not root, and the server runs under the same account. */
function serverAccount(): Account | undefined {
  return process.getuid?.() === 0 ? unprivilegedAccount(readFileSync('/etc/passwd', 'utf8')) : undefined;
}

function isReachable(dir: string, runAs: Account | undefined): boolean {
  return runAs === undefined || spawnSync('test', ['-x', dir], { ...runAs, cwd: '/' }).status === 0;
}

async function createCluster(
  binaries: string,
  cluster: string,
  { dataDir, secret, task }: Preparation,
): Promise<void> {
  const runAs = serverAccount();
  const partial = join(dataDir, 'cluster.partial');
  const passwordFile = join(dataDir, 'password');
  await rm(partial, { recursive: true, force: true });
  await writeFile(passwordFile, secret, { mode: 0o600 });
  if (runAs) await chown(passwordFile, runAs.uid, runAs.gid);
  const tool = { signal: task.signal, cwd: dataDir, ...(runAs && { runAs }) };
  const initdb = [
    ...[`--pgdata=${partial}`, `--username=${superuser}`, `--pwfile=${passwordFile}`],
    ...['--auth=scram-sha-256', '--encoding=UTF8', '--no-locale', '--no-sync'],
  ];
  await runTool(join(binaries, 'initdb'), initdb, tool);
  await rm(passwordFile);
  await runTool(join(binaries, 'postgres'), ['--single', '-D', partial, '-F', 'postgres'], {
    ...tool,
    stdin: `CREATE DATABASE ${database}\n`,
  });
  await rename(partial, cluster);
}

async function probe(address: Address): Promise<void> {
  await using client = await openConnection({
    connectionString: databaseUrl(address),
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
  });
  await client.query('SELECT 1');
}

function clientUrl(address: Address): string {
  const url = new URL(databaseUrl(address));
  if (address.secured === undefined) return url.href;
  url.hostname = 'localhost';
  url.searchParams.set('sslmode', 'verify-full');
  return url.href;
}

function databaseUrl({ port, secret }: Address): string {
  return `postgres://${superuser}:${secret}@127.0.0.1:${port}/${database}`;
}
