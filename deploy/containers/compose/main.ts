/**
 * `npm run compose [-- arguments of docker compose]`: secrets are made once, images are built or brought, and Docker
 * Compose is handed the rest, `up` without arguments.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { explainFailure } from '../../provision/explain-failure.ts';
import { Interrupted, onInterruption } from '../../provision/interruption.ts';
import { reportedTask, reportTo } from '../../provision/progress.ts';
import { ensureCompose } from '../compose-program.ts';
import { openDocker } from '../docker.ts';
import { ensureEngineImages } from '../engine-images.ts';
import { buildImages, ensureBaseImage } from '../product-images.ts';
import { composeArguments, needsImages } from './compose-arguments.ts';
import { ensureSecrets } from './compose-secrets.ts';

const PROJECT = import.meta.dirname;
/** Its password is among the secrets. The project has this name in compose.yaml, and Compose's variable goes before it. */
const DATA_VOLUME = `${process.env.COMPOSE_PROJECT_NAME ?? 'audiosplit'}_postgres`;

const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  process.exitCode = await compose(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}

async function compose(args: readonly string[]): Promise<number> {
  const task = reportedTask('compose', reportTo(process.stderr), interruption.signal);
  await using docker = await openDocker(task);
  const [program, ...first] = await ensureCompose(docker, task);
  const secretsFile = await ensureSecrets(
    join(PROJECT, '.env'),
    async () => needsImages(args) && (await docker.has('volume', DATA_VOLUME)),
  );
  let images: Readonly<Record<string, string>> = {};
  if (needsImages(args)) {
    const baseImage = await ensureBaseImage(docker, task);
    [images] = await Promise.all([
      ensureEngineImages(docker, baseImage, task),
      buildImages(docker, baseImage, task),
    ]);
  }
  const child = spawn(program, [...first, ...composeArguments(PROJECT, secretsFile, args)], {
    stdio: 'inherit',
    env: { ...process.env, ...docker.environment, ...images },
  });
  // A terminal's Ctrl-C reaches Compose by itself, and a second one would have it kill instead of stop.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (signal === 'SIGTERM' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  const [code] = await once(child, 'close');
  return code ?? 1;
}
