/** The product's images, built from this folder's Dockerfile. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../launcher.mjs';
import { ensureDebianProgram } from '../provision/debian-program.ts';
import { runTool, ToolError } from '../provision/run-tool.ts';
import type { Task } from '../provision/task.ts';
import type { Docker } from './docker.ts';

const SERVICES = ['auth', 'account', 'billing', 'jobs', 'webhooks', 'splitter'] as const;
/** Images of servers, which have a health check. */
export const SERVING_IMAGES = ['gateway', ...SERVICES] as const;
/** For Compose and the chart; the last one runs a command and exits with it. */
export const CLUSTER_IMAGES = [...SERVING_IMAGES, 'tools'] as const;
/** The last one contains everything: `docker run audiosplit`. */
export const IMAGE_NAMES = [...CLUSTER_IMAGES, 'all'] as const;
export type ImageName = (typeof IMAGE_NAMES)[number];
export type ServingImage = (typeof SERVING_IMAGES)[number];

/** Processors by Docker's names. */
export const ARCHITECTURES = ['amd64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** The stages at the end of the Dockerfile that add to a service's image. */
const TARGETS: Partial<Record<ImageName, string>> = { splitter: 'splitter', all: 'splitter', tools: 'tools' };

/** The image in the Dockerfile, and its replacement if no registry can be reached. */
const BASE_IMAGE = 'node:26.10.0-trixie-slim';
const OWN_BASE_IMAGE = 'audiosplit-base:node-26.10.0-trixie';
/** As in the Dockerfile. BuildKit from 0.11 on also sets it as the images' own time. */
const SOURCE_DATE_EPOCH = 946_684_800;
const UPDATES_LABEL = 'audiosplit.updates';

export function imageTag(name: ImageName): string {
  return name === 'all' ? 'audiosplit' : `audiosplit-${name}`;
}

/** Of an image that was built for a named processor. */
export function imageTagFor(architecture: Architecture): (name: ImageName) => string {
  return (name) => `${imageTag(name)}:${architecture}`;
}

/** Resolves with the name of the base image; `isUpdate`: pulled or built anew even if it exists. */
export async function ensureBaseImage(docker: Docker, task: Task, isUpdate = false): Promise<string> {
  const isPulled = await docker.has('image', BASE_IMAGE);
  if (isPulled && !isUpdate) return BASE_IMAGE;
  if (!isUpdate && (await docker.has('image', OWN_BASE_IMAGE))) return OWN_BASE_IMAGE;
  try {
    await task.step(`pulling ${BASE_IMAGE}`, () => docker.run(['pull', '--quiet', BASE_IMAGE]));
    return BASE_IMAGE;
  } catch (error) {
    // If a registry has been reached before, its updates are required too.
    if (!(error instanceof ToolError) || isPulled) throw error;
  }
  const title = 'what makes a base image without a registry';
  await ensureDebianProgram({ title, names: ['debootstrap'], packageName: 'debootstrap' }, task);
  await task.step('no registry: making a base image of Debian', () =>
    runTool(join(import.meta.dirname, 'base-image.sh'), [OWN_BASE_IMAGE], {
      signal: task.signal,
      environment: { ...docker.environment, DOCKER: docker.command },
    }),
  );
  return OWN_BASE_IMAGE;
}

/**
 * Two at a time, because each waits for the network now and then. The splitter goes first: its ffmpeg takes
 * longest. Shared layers are built once.
 *
 * `isUpdate`: with Debian's present packages. Later builds keep using these, so that they find them in the
 * cache.
 */
export async function buildImages(
  docker: Docker,
  baseImage: string,
  task: Task,
  { names, isUpdate = false, root = repositoryRoot, architecture, tagOf = imageTag }: BuildOptions,
): Promise<void> {
  const updates = isUpdate ? now() : await updatesOfImages(docker);
  const waiting = names.toSorted((one, other) => Number(other === 'splitter') - Number(one === 'splitter'));
  const options = architecture === undefined ? [] : ['--platform', `linux/${architecture}`];
  const buildNext = async (): Promise<void> => {
    const name = waiting.shift();
    if (name === undefined) return;
    await task.step(`building ${tagOf(name)}`, () =>
      buildImage(docker, { name, tag: tagOf(name), baseImage, updates, root, options }),
    );
    await buildNext();
  };
  await Promise.all([buildNext(), buildNext()]);
  // Builds leave the previous images of the tags behind, without a name.
  await docker.run(['image', 'prune', '--force', '--filter', `label=${UPDATES_LABEL}`]);
}

interface BuildOptions {
  readonly names: readonly ImageName[];
  readonly isUpdate?: boolean;
  /** The repository as it is, or as it was. */
  readonly root?: string;
  /** Undefined: this machine's. */
  readonly architecture?: Architecture | undefined;
  readonly tagOf?: (name: ImageName) => string;
}

export async function buildImage(
  docker: Docker,
  image: {
    readonly name: ImageName;
    readonly tag: string;
    readonly baseImage: string;
    /** The time at which Debian's updates were fetched; a new value fetches them again. */
    readonly updates: string;
    readonly root?: string;
    readonly options?: readonly string[];
  },
): Promise<void> {
  const { name, tag, baseImage, updates, root = repositoryRoot, options = [] } = image;
  const target = TARGETS[name];
  const settings = {
    BASE_IMAGE: baseImage,
    SERVICE: name,
    IMAGE: imageTag(name),
    UPDATES: updates,
    SOURCE_DATE_EPOCH: String(SOURCE_DATE_EPOCH),
  };
  await docker.run([
    'build',
    ...['--file', join(root, 'deploy/containers/Dockerfile'), '--tag', tag],
    ...Object.entries(settings).flatMap(([variable, value]) => ['--build-arg', `${variable}=${value}`]),
    ...(target === undefined ? [] : ['--target', target]),
    ...options,
    ...buildNetwork(),
    root,
  ]);
}

/** When Debian's updates were installed in the images on this machine; now, if there are no images. */
export async function updatesOfImages(docker: Docker): Promise<string> {
  const listed = await docker.run(['image', 'ls', '--quiet', '--filter', `label=${UPDATES_LABEL}`]);
  const ids = [...new Set(listed.split('\n').filter(Boolean))];
  if (ids.length === 0) return now();
  const format = `{{index .Config.Labels "${UPDATES_LABEL}"}}`;
  const output = await docker.run(['image', 'inspect', '--format', format, ...ids]);
  return output.split('\n').filter(Boolean).sort().at(-1) ?? now();
}

function now(): string {
  return new Date().toISOString();
}

/**
 * The host's network and certificates: if a proxy terminates TLS for packages, builds need its certificate
 * too.
 */
export function buildNetwork(): readonly string[] {
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  const isNamed = certificates !== undefined && existsSync(certificates);
  return ['--network', 'host', ...(isNamed ? ['--secret', `id=ca,src=${certificates}`] : [])];
}
