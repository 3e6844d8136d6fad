/** Publishes the packed files. It skips those that are already published, so an interrupted release can be repeated. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ensureHelm } from '../kubernetes/chart-tools.ts';
import { repositoryRoot } from '../launcher.mjs';
import { ProvisionError } from '../provision/provision-error.ts';
import { ensurePythonEnvironment } from '../provision/python-environment.ts';
import { runTool, ToolError } from '../provision/run-tool.ts';
import type { Task } from '../provision/task.ts';
import { type Credentials, destinationsOf, NPM_REGISTRY, PYPI } from './destinations.ts';
import type { Packed } from './packed.ts';

const UPLOADER = join(import.meta.dirname, 'requirements.txt');
/** Lists the files that are already published. */
const PYPI_INDEX = 'https://pypi.org/simple/';

/** npm and PyPI come last, because a version that was published there can never be replaced. */
export async function publishRelease(
  packed: readonly Packed[],
  { npmToken, pypiToken, registry }: Credentials,
  version: string,
  task: Task,
): Promise<void> {
  const launcher = join(repositoryRoot, 'deploy/launcher.mjs');
  const push = [launcher, 'build', 'images', '--push', registry, '--tag', version];
  await task.step(`images to ${registry}`, () => runTool(process.execPath, push, task));
  const { chart } = destinationsOf(version, registry).of;
  const helm = await ensureHelm(task);
  for (const { file } of ofKind(packed, 'chart')) {
    const args = ['push', file, chart, '--registry-config', dockerConfigFile()];
    await task.step(`the chart to ${chart}`, () => runTool(helm, args, task));
  }
  for (const each of ofKind(packed, 'npm')) {
    await task.step(`${each.name} to npm`, () => publishToNpm(each, version, { token: npmToken }, task));
  }
  const files = [...ofKind(packed, 'wheel'), ...ofKind(packed, 'sdist')].map(({ file }) => file);
  const python = await ensurePythonEnvironment('uv', UPLOADER, task);
  const upload = ['-m', 'uv', 'publish', '--publish-url', PYPI, '--check-url', PYPI_INDEX, ...files];
  const environment = { UV_PUBLISH_TOKEN: pypiToken };
  await task.step('audiosplit to PyPI', () => runTool(python, upload, { ...task, environment }));
}

export async function publishToNpm(
  { name, file }: Packed,
  version: string,
  { token, registry = NPM_REGISTRY }: { readonly token: string; readonly registry?: string },
  task: Task,
): Promise<'published' | 'there already'> {
  // In the environment, because all users can read the arguments of a process.
  const environment = { [`npm_config_${registry.replace(/^https?:/, '')}:_authToken`]: token };
  const npm = (...args: readonly string[]) =>
    runTool('npm', [...args, '--registry', registry, '--loglevel=error'], { ...task, environment });
  const present = await npm('view', `${name}@${version}`, 'dist.integrity').catch((error: unknown) => {
    if (error instanceof ToolError && error.message.includes('E404')) return '';
    throw error;
  });
  if (present.trim() === '') {
    await npm('publish', file, '--access', 'public');
    return 'published';
  }
  if (present.trim() === (await integrityOf(file))) return 'there already';
  throw new ProvisionError(`${registry} has another ${name} ${version}: a release needs a new version`);
}

export function dockerConfigFile(): string {
  return join(process.env.DOCKER_CONFIG ?? join(homedir(), '.docker'), 'config.json');
}

async function integrityOf(file: string): Promise<string> {
  return `sha512-${createHash('sha512')
    .update(await readFile(file))
    .digest('base64')}`;
}

function ofKind(packed: readonly Packed[], kind: Packed['kind']): readonly Packed[] {
  return packed.filter((each) => each.kind === kind);
}
