import { randomUUID } from 'node:crypto';
import type { Docker } from './docker.ts';

/** A container of an image, for its files. It is never started, so the image may be another processor's. */
export async function createUnstarted(docker: Pick<Docker, 'run'>, tag: string) {
  // Docker warns about another processor, so its output would not be the id alone.
  const name = `audiosplit-files-${randomUUID()}`;
  await docker.run(['create', '--name', name, '--network', 'none', tag]);
  return { name, [Symbol.asyncDispose]: async () => void (await docker.run(['rm', name])) };
}
