import type { Docker } from './docker.ts';
import { type ImageName, imageTag } from './product-images.ts';

type TagOf = (name: ImageName) => string;

/** Sizes of the product's images, in bytes, uncompressed, as reported by Docker. */
export async function imageSizes(
  docker: Pick<Docker, 'run'>,
  names: readonly ImageName[],
  tagOf: TagOf = imageTag,
): Promise<ReadonlyMap<ImageName, number>> {
  const output = await docker.run(['image', 'inspect', '--format', '{{.Size}}', ...names.map(tagOf)]);
  const sizes = output.trimEnd().split('\n').map(Number);
  return new Map(names.map((name, index) => [name, sizes[index] ?? Number.NaN]));
}

export function sizeTable(sizes: ReadonlyMap<ImageName, number>, tagOf: TagOf = imageTag): string {
  return [...sizes]
    .map(([name, bytes]) => `${tagOf(name).padEnd(24)}${(bytes / 1e6).toFixed(1).padStart(6)} MB\n`)
    .join('');
}
