/** The product's images, `audiosplit-<service>`, built from this folder's Dockerfile. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Task } from '../engines/engine.ts';
import { runTool, ToolError } from '../engines/run-tool.ts';
import { repositoryRoot } from '../local/install.mjs';
import type { Docker } from './docker.ts';

export const IMAGE_NAMES = ['gateway', 'auth', 'account', 'billing', 'jobs', 'webhooks', 'splitter'] as const;
export type ImageName = (typeof IMAGE_NAMES)[number];

/** What the Dockerfile names, and what stands in for it where no registry can be reached. */
export const BASE_IMAGE = 'node:26.10.0-trixie-slim';
const OWN_BASE_IMAGE = 'audiosplit-base:node-26.10.0-trixie';

export function imageTag(name: ImageName): string {
  return `audiosplit-${name}`;
}

/** Resolves with the name of the image to build on. */
export async function ensureBaseImage(docker: Docker, task: Task): Promise<string> {
  if (await isThere(docker, BASE_IMAGE)) return BASE_IMAGE;
  if (await isThere(docker, OWN_BASE_IMAGE)) return OWN_BASE_IMAGE;
  try {
    await task.step(`pulling ${BASE_IMAGE}`, () => docker.run(['pull', '--quiet', BASE_IMAGE]));
    return BASE_IMAGE;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
  }
  await task.step('no registry: making a base image of Debian', () =>
    runTool(join(import.meta.dirname, 'base-image.sh'), [OWN_BASE_IMAGE], {
      signal: task.signal,
      environment: { ...docker.environment, DOCKER: docker.command },
    }),
  );
  return OWN_BASE_IMAGE;
}

/**
 * All of them, two at a time, as each waits for the network now and then. The splitter goes first: its ffmpeg takes longest.
 * What they have in common is built once, however many ask for it.
 */
export async function buildImages(docker: Docker, baseImage: string, task: Task): Promise<void> {
  const waiting: ImageName[] = ['splitter', ...IMAGE_NAMES.filter((name) => name !== 'splitter')];
  const buildNext = async (): Promise<void> => {
    const name = waiting.shift();
    if (name === undefined) return;
    await buildImage(docker, name, baseImage, task);
    await buildNext();
  };
  await Promise.all([buildNext(), buildNext()]);
}

export async function buildImage(
  docker: Docker,
  name: ImageName,
  baseImage: string,
  task: Task,
): Promise<void> {
  await task.step(`building ${imageTag(name)}`, () =>
    docker.run([
      'build',
      ...['--file', join(import.meta.dirname, 'Dockerfile'), '--tag', imageTag(name)],
      ...['--build-arg', `BASE_IMAGE=${baseImage}`, '--build-arg', `SERVICE=${name}`],
      ...(name === 'splitter' ? ['--target', 'splitter'] : []),
      ...buildNetwork(),
      repositoryRoot,
    ]),
  );
}

/** The host's network and certificates: where packages have to come through somebody who ends TLS, builds know it too. */
export function buildNetwork(): readonly string[] {
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  const isNamed = certificates !== undefined && existsSync(certificates);
  return ['--network', 'host', ...(isNamed ? ['--secret', `id=ca,src=${certificates}`] : [])];
}

export async function isThere(docker: Docker, image: string): Promise<boolean> {
  try {
    await docker.run(['image', 'inspect', '--format', '{{.Id}}', image]);
    return true;
  } catch (error) {
    if (error instanceof ToolError) return false;
    throw error;
  }
}
