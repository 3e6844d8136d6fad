/**
 * `npm run compose [-- arguments of docker compose]`: creates the secrets once, builds or pulls the images,
 * and runs Docker Compose with the arguments, by default `up`.
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
/**
 * The volume belongs to a password among the secrets. compose.yaml sets this project name, but Compose's
 * variable takes precedence.
 */
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
  // A terminal sends Ctrl-C to Compose as well; a second one would make it kill instead of stop.
  onInterruption((interrupt) => {
    if (interrupt === 'SIGTERM' || !process.stdin.isTTY) child.kill(interrupt);
  });
  const [code] = await once(child, 'close');
  return code ?? 1;
});
