import type { Docker } from './docker.ts';
import { type ImageName, imageTag } from './product-images.ts';

/** Sizes of the product's images, in bytes, uncompressed, as reported by Docker. */
export async function imageSizes(
  docker: Pick<Docker, 'run'>,
  names: readonly ImageName[],
): Promise<ReadonlyMap<ImageName, number>> {
  const output = await docker.run(['image', 'inspect', '--format', '{{.Size}}', ...names.map(imageTag)]);
  const sizes = output.trimEnd().split('\n').map(Number);
  return new Map(names.map((name, index) => [name, sizes[index] ?? Number.NaN]));
}

export function sizeTable(sizes: ReadonlyMap<ImageName, number>): string {
  return [...sizes]
    .map(([name, bytes]) => `${imageTag(name).padEnd(24)}${(bytes / 1e6).toFixed(1).padStart(6)} MB\n`)
    .join('');
}
