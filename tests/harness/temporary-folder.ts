import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

export async function temporaryFolder(parent = tmpdir()): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(parent, 'audiosplit-test-'));
  // A process that has just been killed may still write to it.
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}
