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
/** Of Compose and the chart; the last one is run with a command, and ends with it. */
export const CLUSTER_IMAGES = [...SERVING_IMAGES, 'tools'] as const;
/** The last one has everything: `docker run audiosplit`. */
export const IMAGE_NAMES = [...CLUSTER_IMAGES, 'all'] as const;
export type ImageName = (typeof IMAGE_NAMES)[number];
export type ServingImage = (typeof SERVING_IMAGES)[number];

/** The stages at the end of the Dockerfile that add to a service's image. */
const TARGETS: Partial<Record<ImageName, string>> = { splitter: 'splitter', all: 'splitter', tools: 'tools' };

/** What the Dockerfile names, and what stands in for it where no registry can be reached. */
const BASE_IMAGE = 'node:26.10.0-trixie-slim';
const OWN_BASE_IMAGE = 'audiosplit-base:node-26.10.0-trixie';
/** As in the Dockerfile. BuildKit from 0.11 on also sets it as the images' own time. */
const SOURCE_DATE_EPOCH = 946_684_800;
const UPDATES_LABEL = 'audiosplit.updates';

export function imageTag(name: ImageName): string {
  return name === 'all' ? 'audiosplit' : `audiosplit-${name}`;
}

/** Resolves with the name of the image to build on; `isUpdate`: brought or made anew where it is there already. */
export async function ensureBaseImage(docker: Docker, task: Task, isUpdate = false): Promise<string> {
  const isPulled = await docker.has('image', BASE_IMAGE);
  if (isPulled && !isUpdate) return BASE_IMAGE;
  if (!isUpdate && (await docker.has('image', OWN_BASE_IMAGE))) return OWN_BASE_IMAGE;
  try {
    await task.step(`pulling ${BASE_IMAGE}`, () => docker.run(['pull', '--quiet', BASE_IMAGE]));
    return BASE_IMAGE;
  } catch (error) {
    // A registry that has been reached before is to be reached for its updates.
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
 * Two at a time, as each waits for the network now and then. The splitter goes first: its ffmpeg takes longest.
 * What they have in common is built once, however many ask for it.
 *
 * `isUpdate`: with the packages that Debian has now. Later builds stay with those, so that they find them in the cache.
 */
export async function buildImages(
  docker: Docker,
  baseImage: string,
  task: Task,
  { names, isUpdate = false }: { readonly names: readonly ImageName[]; readonly isUpdate?: boolean },
): Promise<void> {
  const updates = isUpdate ? now() : await updatesOfImages(docker);
  const waiting = names.toSorted((one, other) => Number(other === 'splitter') - Number(one === 'splitter'));
  const buildNext = async (): Promise<void> => {
    const name = waiting.shift();
    if (name === undefined) return;
    await task.step(`building ${imageTag(name)}`, () =>
      buildImage(docker, { name, tag: imageTag(name), baseImage, updates }),
    );
    await buildNext();
  };
  await Promise.all([buildNext(), buildNext()]);
}

export async function buildImage(
  docker: Docker,
  image: {
    readonly name: ImageName;
    readonly tag: string;
    readonly baseImage: string;
    /** When Debian's updates were fetched; another value than the last one has them fetched anew. */
    readonly updates: string;
    readonly options?: readonly string[];
  },
): Promise<void> {
  const { name, tag, baseImage, updates, options = [] } = image;
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
    ...['--file', join(import.meta.dirname, 'Dockerfile'), '--tag', tag],
    ...Object.entries(settings).flatMap(([variable, value]) => ['--build-arg', `${variable}=${value}`]),
    ...(target === undefined ? [] : ['--target', target]),
    ...options,
    ...buildNetwork(),
    repositoryRoot,
  ]);
}

/** When the images on this machine were given Debian's updates, or now where there are none. */
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

/** The host's network and certificates: where a proxy ends TLS for packages, builds need its certificate too. */
export function buildNetwork(): readonly string[] {
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  const isNamed = certificates !== undefined && existsSync(certificates);
  return ['--network', 'host', ...(isNamed ? ['--secret', `id=ca,src=${certificates}`] : [])];
}
