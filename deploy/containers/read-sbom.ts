import type { Docker } from './docker.ts';
import { type ImageName, imageTag } from './product-images.ts';

const PRINT = `process.stdout.write(fs.readFileSync('/usr/share/audiosplit/sbom.cdx.json'))`;

/** The content list of an image, in CycloneDX format. */
export function readSbom(docker: Pick<Docker, 'run'>, name: ImageName): Promise<string> {
  const confined = ['--rm', '--read-only', '--cap-drop', 'ALL', '--network', 'none'];
  const node = ['--entrypoint', '/usr/local/bin/node', imageTag(name), '--eval', PRINT];
  return docker.run(['run', ...confined, ...node]);
}
