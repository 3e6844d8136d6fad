/** n8n from npm, with its own database and folder. It makes no requests outside this machine. */
import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir, ensureDirectory } from '../../deploy/provision/cache.ts';
import { runTool } from '../../deploy/provision/run-tool.ts';
import type { Task } from '../../deploy/provision/task.ts';
import { type RunningN8n, startN8n } from './running-n8n.ts';

/** Some later versions depend on packages that the registry does not have. */
const VERSION = '2.41.1';
const MAX_BUFFER = 64 * 1024 * 1024;

export interface N8n {
  /** Runs an n8n CLI command to its end. */
  run(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }>;
  /** Writes a file that a command reads. */
  file(name: string, content: unknown): Promise<string>;
  /** `n8n start`, with an owner who is signed in. */
  start(): Promise<RunningN8n>;
}

export interface N8nOptions {
  /** Empty, and kept as long as n8n runs. */
  readonly folder: string;
  readonly databaseUrl: string;
  /** The package whose nodes it loads, as published. */
  readonly nodes: string;
}

export async function openN8n({ folder, databaseUrl, nodes }: N8nOptions, task: Task): Promise<N8n> {
  const program = await provideN8n(task);
  // The folder in which n8n itself installs users' packages.
  await cp(nodes, join(folder, '.n8n/nodes/node_modules/n8n-nodes-audiosplit'), { recursive: true });
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    N8N_USER_FOLDER: folder,
    N8N_ENCRYPTION_KEY: 'of a test, that is gone with it',
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: hostname,
    DB_POSTGRESDB_PORT: port,
    DB_POSTGRESDB_USER: decodeURIComponent(username),
    DB_POSTGRESDB_PASSWORD: decodeURIComponent(password),
    DB_POSTGRESDB_DATABASE: pathname.slice(1),
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_VERIFIED_PACKAGES_ENABLED: 'false',
    N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
    N8N_RUNNERS_ENABLED: 'false',
    N8N_LOG_LEVEL: 'info',
    NODE_COMPILE_CACHE: join(cacheDir(), 'node-compile-cache'),
  };
  return {
    run: (...args) =>
      new Promise((resolve) => {
        const options = { cwd: folder, env, maxBuffer: MAX_BUFFER };
        execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
          const code = error === null ? 0 : Number(error.code) || 1;
          resolve({ code, text: `${stdout}${code === 0 ? '' : stderr}` });
        });
      }),
    start: () => startN8n([process.execPath, program, 'start'], { cwd: folder, env }),
    async file(name, content) {
      const path = join(folder, name);
      await writeFile(path, JSON.stringify(content));
      return path;
    },
  };
}

/** Provides the program. Installing it takes minutes and 2.6 GB, once. */
async function provideN8n(task: Task): Promise<string> {
  const target = join(cacheDir(), `n8n-${VERSION}`);
  const fill = (dir: string) =>
    task.step(`npm install n8n ${VERSION}`, async () => {
      await writeFile(join(dir, 'package.json'), '{ "private": true }\n');
      // Scripts would compile SQLite, which is not needed with PostgreSQL.
      const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
      await runTool('npm', ['install', ...quiet, `n8n@${VERSION}`], { signal: task.signal, cwd: dir });
    });
  await ensureDirectory(target, fill, task.signal);
  return join(target, 'node_modules/n8n/bin/n8n');
}
