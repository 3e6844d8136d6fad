/** What `npm publish` would publish: packed, and installed in an empty folder beside an old Node and nothing else. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const run = promisify(execFile);

/** In the order of their dependencies. */
export const PUBLISHED = [
  'clients/cuts',
  'clients/engine',
  'clients/typescript',
  'clients/mcp',
  'clients/cli',
] as const;
/** The oldest that packages name in `engines`, to its major. */
const OLDEST_NODE = '20.20.2';

interface Packed {
  readonly name: string;
  readonly tarball: string;
  readonly files: readonly { readonly path: string }[];
}

export interface BareMachine extends AsyncDisposable {
  readonly folder: string;
  readonly packages: readonly Packed[];
  /** In a folder of this name, with nothing but that Node and the installed programs in reach. */
  run(command: readonly [string, ...string[]], where: string, options?: RunOptions): Promise<Exit>;
}

interface RunOptions {
  /** Beside PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

interface Exit {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Packs all packages as a release would. */
async function packAll(to: string): Promise<readonly Packed[]> {
  const packages: Packed[] = [];
  for (const folder of PUBLISHED) {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', to], {
      cwd: join(repositoryRoot, folder),
      maxBuffer: 16 * 1024 * 1024,
    });
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
      Omit<Packed, 'tarball'> & { filename: string },
    ];
    packages.push({ ...packed, tarball: join(to, packed.filename) });
  }
  return packages;
}

export async function openBareMachine(): Promise<BareMachine> {
  await using starting = new AsyncDisposableStack();
  const { path: folder } = starting.use(await temporaryFolder());
  const packages = await packAll(folder);
  const home = join(folder, 'home');
  await mkdir(home);
  const node = `node-${process.platform}-${process.arch}`;
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const tarballs = packages.map(({ tarball }) => tarball);
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
    packages,
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

export async function readManifest(folder: string): Promise<{
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}> {
  return JSON.parse(await readFile(join(repositoryRoot, folder, 'package.json'), 'utf8'));
}
