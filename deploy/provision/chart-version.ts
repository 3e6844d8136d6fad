import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../launcher.mjs';

/** The tag of images that the chart asks for by default. */
export async function chartVersion(): Promise<string> {
  const chart = await readFile(join(repositoryRoot, 'charts/audiosplit/Chart.yaml'), 'utf8');
  const version = /^appVersion: "?([^"\s]+)/m.exec(chart)?.[1];
  if (version === undefined) throw new Error('the chart has no appVersion');
  return version;
}
