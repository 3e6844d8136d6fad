/**
 * `npm run compose [-- arguments of docker compose]`: secrets are made once, images are built or brought, and Docker
 * Compose is handed the rest, `up` without arguments.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onInterruption } from '../../provision/interruption.ts';
import { reportedTask, reportTo } from '../../provision/progress.ts';
import { runCommand } from '../../provision/run-command.ts';
import { ensureCompose } from '../compose-program.ts';
import { openDocker } from '../docker.ts';
import { ensureEngineImages } from '../engine-images.ts';
import { buildImages, CLUSTER_IMAGES, ensureBaseImage } from '../product-images.ts';
import { composeArguments, needsImages } from './compose-arguments.ts';
import { ensureSecrets } from './compose-secrets.ts';

const PROJECT = import.meta.dirname;
/** Its password is among the secrets. The project has this name in compose.yaml, and Compose's variable goes before it. */
const DATA_VOLUME = `${process.env.COMPOSE_PROJECT_NAME ?? 'audiosplit'}_postgres`;

await runCommand(async (signal) => {
  const args = process.argv.slice(2);
  const task = reportedTask('compose', reportTo(process.stderr), signal);
  await using docker = await openDocker(task);
  const [program, ...first] = await ensureCompose(docker, task);
  const secretsFile = join(PROJECT, '.env');
  await ensureSecrets(
    secretsFile,
    async () => needsImages(args) && (await docker.has('volume', DATA_VOLUME)),
  );
  let images: Readonly<Record<string, string>> = {};
  if (needsImages(args)) {
    const baseImage = await ensureBaseImage(docker, task);
    [images] = await Promise.all([
      ensureEngineImages(docker, baseImage, task),
      buildImages(docker, baseImage, task, { names: CLUSTER_IMAGES }),
    ]);
  }
  const child = spawn(program, [...first, ...composeArguments(PROJECT, secretsFile, args)], {
    stdio: 'inherit',
    env: { ...process.env, ...docker.environment, ...images },
  });
  // A terminal's Ctrl-C reaches Compose by itself, and a second one would have it kill instead of stop.
  onInterruption((interrupt) => {
    if (interrupt === 'SIGTERM' || !process.stdin.isTTY) child.kill(interrupt);
  });
  const [code] = await once(child, 'close');
  return code ?? 1;
});
