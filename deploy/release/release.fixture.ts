/** Writes packages to a folder, as if they had been unpacked there. */
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../launcher.mjs';
import { reportedTask } from '../provision/progress.ts';
import type { Kind, Packed } from './packed.ts';

export const task = reportedTask('test', () => {}, new AbortController().signal);

export const temporaryFolder = () => mkdtempDisposable(join(tmpdir(), 'audiosplit-test-'));

export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

interface Given {
  readonly kind?: Kind;
  readonly name?: string;
  readonly manifest?: object;
  readonly files?: Readonly<Record<string, string>>;
}

/** A valid package, except for the given values. */
export async function packageIn(parent: string, given: Given = {}): Promise<Packed> {
  const { kind = 'npm', name = '@audiosplit/one', manifest = {}, files = {} } = given;
  const folder = join(parent, 'node_modules', name);
  const [LICENSE, NOTICE] = await Promise.all(
    ['LICENSE', 'NOTICE'].map((file) => readFile(join(repositoryRoot, file), 'utf8')),
  );
  const exports = {
    '.': { 'audiosplit-source': './src/index.ts', types: './index.d.ts', default: './index.js' },
  };
  const own = { name, version: '1.2.3', license: 'Apache-2.0', type: 'module', exports, ...manifest };
  await writeFiles(folder, {
    LICENSE: LICENSE ?? '',
    NOTICE: NOTICE ?? '',
    'CHANGELOG.md': '',
    'README.md': '',
    'package.json': JSON.stringify(own),
    'index.js': 'export const one = 1;\n',
    'index.d.ts': 'export declare const one: number;\n',
    ...files,
  });
  return { kind, name, file: join(parent, 'one-1.2.3.tgz'), folder };
}
