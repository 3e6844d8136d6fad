/** Containers in addition to Compose's, with the fewest rights that Docker can grant. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageTag } from '../../deploy/containers/product-images.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { containers, runDocker } from './docker-under-test.ts';

export const CONFINED = ['--read-only', '--cap-drop', 'ALL'];
const NODE = '/usr/local/bin/node';

/**
 * Starts one with the settings that Compose gave to another container, and in its network. `options` are
 * those of `docker run`, including the image and its arguments. Resolves with the id.
 */
export async function startConfined(id: string, options: readonly string[]): Promise<string> {
  const variables: readonly string[] = JSON.parse(await inspect(id, '{{json .Config.Env}}'));
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'environment');
  // A Docker environment file has one line per variable; the public keys have several lines.
  const { long = [], short = [] } = Object.groupBy(variables, (each) =>
    each.includes('\n') ? 'long' : 'short',
  );
  await writeFile(file, short.join('\n'), { mode: 0o600 });
  const given = ['--env-file', file, ...long.flatMap((each) => ['--env', each])];
  const surroundings = ['--network', containers().network, ...given];
  return (await runDocker(['run', '--detach', ...CONFINED, ...surroundings, ...options])).trim();
}

const inspect = (id: string, format: string) => runDocker(['inspect', '--format', format, id]);

/**
 * An image with administrator logins that idles, as docs/examples/tools-pod.yaml runs the image of operators'
 * commands; /backups is in memory.
 */
export async function startIdle(name: 'tools' | 'all') {
  const id = await startConfined(containers().administrator, [
    ...['--tmpfs', '/backups:uid=65532,gid=65532,mode=0700', '--entrypoint', NODE],
    ...[imageTag(name), '--eval', 'setInterval(() => {}, 1e6)'],
  ]);
  const pid = await inspect(id, '{{.State.Pid}}');
  return {
    /** Its files, as this machine sees them. */
    root: `/proc/${pid.trim()}/root`,
    /** Runs a command of operators; resolves with its output. */
    run: (...args: readonly string[]) => runDocker(['exec', id, NODE, '/app/main.js', ...args]),
    [Symbol.asyncDispose]: async () => void (await runDocker(['rm', '--force', id])),
  };
}
