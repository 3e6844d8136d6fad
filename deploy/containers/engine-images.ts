/**
 * The engines' images for deploy/containers/compose/compose.yaml: the official ones if they are available,
 * otherwise stand-ins with the same programs (engines/Dockerfile).
 */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureKafka } from '../engines/kafka-distribution.ts';
import { ensureVersitygw } from '../engines/versitygw.ts';
import { ToolError } from '../provision/run-tool.ts';
import type { Task } from '../provision/task.ts';
import { versions } from '../provision/versions.ts';
import type { Docker } from './docker.ts';
import { buildNetwork } from './product-images.ts';

const FOLDER = join(import.meta.dirname, 'engines');
/** A hash of that folder: images built from another version of it are not used. */
const FORM = hash(
  'sha256',
  readdirSync(FOLDER)
    .sort()
    .map((name) => readFileSync(join(FOLDER, name), 'utf8'))
    .join('\0'),
).slice(0, 12);

interface EngineImage {
  /** The variable in compose.yaml, with its default. */
  readonly variable: string;
  readonly official: string;
  readonly target: string;
  /** Adds files to the build's folder that the Dockerfile copies in addition to its entry points. */
  readonly provide?: (folder: string, task: Task) => Promise<void>;
}

const IMAGES: readonly EngineImage[] = [
  { variable: 'POSTGRES_IMAGE', official: 'postgres:17', target: 'postgres' },
  { variable: 'REDIS_IMAGE', official: 'redis:8', target: 'redis' },
  { variable: 'HAPROXY_IMAGE', official: 'haproxy:3.2', target: 'haproxy' },
  {
    variable: 'KAFKA_IMAGE',
    official: `apache/kafka:${versions.kafka}`,
    target: 'kafka',
    provide: async (folder, task) => {
      const { classPath } = await ensureKafka(task);
      await cp(dirname(classPath), join(folder, 'kafka'), { recursive: true });
    },
  },
  {
    variable: 'STORAGE_IMAGE',
    official: `versity/versitygw:v${versions.versitygw}`,
    target: 'versitygw',
    provide: async (folder, task) => cp(await ensureVersitygw(task), join(folder, 'versitygw')),
  },
];

/** Resolves with the images by their variable in compose.yaml; `wanted`: only for these variables. */
export async function ensureEngineImages(
  docker: Docker,
  baseImage: string,
  task: Task,
  wanted: readonly string[] = IMAGES.map(({ variable }) => variable),
): Promise<Readonly<Record<string, string>>> {
  const named: Record<string, string> = {};
  for (const image of IMAGES.filter(({ variable }) => wanted.includes(variable))) {
    named[image.variable] =
      process.env[image.variable] ?? (await ensureImage(docker, image, baseImage, task));
  }
  return named;
}

async function ensureImage(
  docker: Docker,
  { official, target, provide }: EngineImage,
  baseImage: string,
  task: Task,
): Promise<string> {
  if (await docker.has('image', official)) return official;
  const own = `audiosplit-engine-${target}:${FORM}`;
  if (await docker.has('image', own)) return own;
  try {
    await task.step(`pulling ${official}`, () => docker.run(['pull', '--quiet', official]));
    return official;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
  }
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-engine-image-'));
  await cp(FOLDER, folder.path, { recursive: true });
  await provide?.(folder.path, task);
  const options = ['--target', target, '--tag', own, '--build-arg', `BASE_IMAGE=${baseImage}`];
  const build = ['build', ...options, ...buildNetwork(), folder.path];
  await task.step(`no registry: building ${own}`, () => docker.run(build));
  return own;
}
