/** Packs everything that a release publishes, each with the tool of its registry. */
import { copyFile, cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureHelm } from '../kubernetes/chart-tools.ts';
import { repositoryRoot } from '../launcher.mjs';
import { runTool } from '../provision/run-tool.ts';
import type { Task } from '../provision/task.ts';
import { PYTHON_CLIENT, providePython } from '../python-client/environment.ts';
import type { Kind, Packed } from './packed.ts';
import { CHART, NPM_PACKAGES, readManifest } from './published.ts';

/** npm packages resolve each other in this folder. */
const UNPACKED = 'unpacked/node_modules';

/** `to` is an empty folder. */
export async function packRelease(to: string, task: Task): Promise<readonly Packed[]> {
  const packages = await task.step('npm pack', () => packNpmPackages(to, task));
  const python = await task.step('python -m build', () => packPython(to, task));
  const helm = await ensureHelm(task);
  const chart = await task.step('helm package', () => packChart(to, helm, task));
  return [...packages, ...python, chart];
}

export async function packNpmPackages(
  to: string,
  task: Task,
  folders: readonly string[] = NPM_PACKAGES,
): Promise<readonly Packed[]> {
  const packages: Packed[] = [];
  const destination = join(to, 'npm');
  await mkdir(destination, { recursive: true });
  for (const folder of folders) {
    const from = join(repositoryRoot, folder);
    const pack = ['pack', '--loglevel=error', '--pack-destination', destination];
    await runTool('npm', pack, { ...task, cwd: from });
    const { name, version } = await readManifest(from);
    const file = join(destination, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
    packages.push(await unpacked({ kind: 'npm', name, file, source: from, to }, task));
  }
  return packages;
}

/** A wheel and a source distribution. */
async function packPython(to: string, task: Task): Promise<readonly Packed[]> {
  const python = await providePython(task);
  const destination = join(to, 'python');
  // The build tools are in requirements.txt, so nothing is downloaded.
  const build = ['-m', 'build', '--no-isolation', '--outdir', destination];
  await runTool(python, build, { ...task, cwd: PYTHON_CLIENT });
  const names = await readdir(destination);
  const packed = async (kind: Kind, end: string) => {
    const file = join(destination, names.find((name) => name.endsWith(end)) ?? end);
    return await unpacked({ kind, name: `audiosplit-${kind}`, file, to, python }, task);
  };
  return [await packed('wheel', '.whl'), await packed('sdist', '.tar.gz')];
}

async function packChart(to: string, helm: string, task: Task): Promise<Packed> {
  const staged = join(to, 'staged/audiosplit');
  await cp(CHART, staged, { recursive: true });
  for (const file of ['LICENSE', 'NOTICE']) await copyFile(join(repositoryRoot, file), join(staged, file));
  const destination = join(to, 'charts');
  await runTool(helm, ['package', staged, '--destination', destination], task);
  const [name = ''] = await readdir(destination);
  return await unpacked({ kind: 'chart', name: 'audiosplit-chart', file: join(destination, name), to }, task);
}

interface Archive extends Omit<Packed, 'folder'> {
  readonly to: string;
  /** Required for a wheel: Python unpacks it, because it is a zip file. */
  readonly python?: string;
}

async function unpacked({ to, python = '', ...packed }: Archive, task: Task): Promise<Packed> {
  const folder = join(to, UNPACKED, packed.name);
  await mkdir(folder, { recursive: true });
  if (packed.kind === 'wheel') await runTool(python, ['-m', 'zipfile', '-e', packed.file, folder], task);
  else await runTool('tar', ['-xzf', packed.file, '--strip-components=1', '-C', folder], task);
  return { ...packed, folder };
}
