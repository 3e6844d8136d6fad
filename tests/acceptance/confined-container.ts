/** Containers beside those of Compose, with as little as Docker can grant one. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageTag } from '../../deploy/containers/product-images.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { containers, runDocker } from './docker-under-test.ts';

export const CONFINED = ['--read-only', '--cap-drop', 'ALL'];
const NODE = '/usr/local/bin/node';

/**
 * Starts one with the settings that Compose has given to another container, and in its network. `options` are of
 * `docker run`, the image included, and what follows it. Resolves with the id.
 */
export async function startConfined(id: string, options: readonly string[]): Promise<string> {
  const variables: readonly string[] = JSON.parse(await inspect(id, '{{json .Config.Env}}'));
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'environment');
  // A file for Docker has one line for each variable; the public keys have several.
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
 * An image with an administrator's logins, idling as docs/examples/tools-pod.yaml has the one of operators' commands;
 * /backups is its memory.
 */
export async function startIdle(name: 'tools' | 'all') {
  const id = await startConfined(containers().administrator, [
    ...['--tmpfs', '/backups:uid=65532,gid=65532,mode=0700', '--entrypoint', NODE],
    ...[imageTag(name), '--eval', 'setInterval(() => {}, 1e6)'],
  ]);
  const pid = await inspect(id, '{{.State.Pid}}');
  return {
    /** Its files, seen from this machine. */
    root: `/proc/${pid.trim()}/root`,
    /** Runs a command of operators; resolves with its output. */
    run: (...args: readonly string[]) => runDocker(['exec', id, NODE, '/app/main.js', ...args]),
    [Symbol.asyncDispose]: async () => void (await runDocker(['rm', '--force', id])),
  };
}
