import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Docker } from './docker.ts';
import { createUnstarted } from './unstarted-container.ts';

const SBOM = '/usr/share/audiosplit/sbom.cdx.json';

/** The content list of an image, in CycloneDX format. */
export async function readSbom(docker: Pick<Docker, 'run'>, tag: string): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-sbom-'));
  const file = join(folder.path, 'sbom');
  await using container = await createUnstarted(docker, tag);
  await docker.run(['cp', `${container.name}:${SBOM}`, file]);
  return await readFile(file, 'utf8');
}
