/** The packages that a release publishes, installed in an empty folder with an old Node and nothing else. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { packRelease, type Release } from './release.ts';

const run = promisify(execFile);

/** n8n itself installs it. */
const OF_N8N = 'n8n-nodes-audiosplit';
/** The oldest major version that packages name in `engines`. */
const OLDEST_NODE = '20.20.2';

export interface BareMachine extends AsyncDisposable {
  readonly folder: string;
  readonly release: Release;
  /** Runs in a folder of this name, with access only to that Node and the installed programs. */
  run(command: readonly [string, ...string[]], where: string, options?: RunOptions): Promise<Exit>;
}

interface RunOptions {
  /** In addition to PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

interface Exit {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function openBareMachine(): Promise<BareMachine> {
  await using starting = new AsyncDisposableStack();
  const { path: folder } = starting.use(await temporaryFolder());
  const release = await packRelease(join(folder, 'release'));
  const home = join(folder, 'home');
  await mkdir(home);
  const node = `node-${process.platform}-${process.arch}`;
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const tarballs = release.packages.filter((file) => !file.includes(OF_N8N));
  await run('npm', ['install', '--no-audit', '--no-fund', `${node}@${OLDEST_NODE}`, ...tarballs], {
    cwd: folder,
    maxBuffer: 16 * 1024 * 1024,
  });
  const path = [
    join(folder, 'node_modules', node, 'bin'),
    join(folder, 'node_modules/.bin'),
    '/usr/bin',
    '/bin',
  ].join(':');
  const opened = starting.move();
  return {
    folder,
    release,
    async run([command, ...args], where, { env = {}, signal } = {}) {
      const cwd = join(folder, where);
      await mkdir(cwd, { recursive: true });
      return await new Promise((resolve) => {
        const child = execFile(
          command,
          args,
          {
            cwd,
            env: { ...env, PATH: path, HOME: home },
            maxBuffer: 16 * 1024 * 1024,
            signal,
            killSignal: 'SIGINT',
          },
          (error, stdout, stderr) => {
            const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
            resolve({ code, stdout, stderr });
          },
        );
        child.stdin?.end();
      });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
