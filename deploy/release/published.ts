/** The packages that a release publishes, and their manifests. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../launcher.mjs';

/** In the order of their dependencies. */
export const NPM_PACKAGES = [
  'clients/cuts',
  'clients/engine',
  'clients/typescript',
  'clients/mcp',
  'clients/cli',
  'clients/n8n',
] as const;
export const CHART = join(repositoryRoot, 'charts/audiosplit');

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly private?: boolean;
  readonly exports?: Exports;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A path in the package, or several by condition. */
type Target = string | { readonly [condition: string]: Target };
export type Exports = Readonly<Record<string, Target>>;

export async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}

/** The version in the root's package.json, which applies to everything. */
export async function releaseVersion(): Promise<string> {
  return (await readManifest(repositoryRoot)).version;
}
