/**
 * The containers of `npm run compose` while the suite runs. That command builds and starts them in the folder
 * under test, as a separate project that is removed with its data. Docker Engine is started if necessary and
 * runs until the end.
 *
 * The suite accesses the containers' network and folders from outside, which requires Linux and root.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { type Docker, openDocker } from '../../../../deploy/containers/docker.ts';
import { imageTag, SERVING_IMAGES } from '../../../../deploy/containers/product-images.ts';
import { SAMPLES_PATH } from '../../../../deploy/embedded/samples.ts';
import { startSamplesServer } from '../../../../deploy/processes/samples-server.ts';
import { freePort } from '../../../../deploy/provision/free-port.ts';
import { Interrupted, onInterruption } from '../../../../deploy/provision/interruption.ts';
import { reportedTask, reportTo } from '../../../../deploy/provision/progress.ts';
import { ProvisionError } from '../../../../deploy/provision/provision-error.ts';
import type { Container, ContainersUnderTest } from './containers-under-test.ts';
import { newcomersEnvironment } from './environment.ts';

const PROJECT = 'audiosplit-acceptance';
/** Health checks are 15 s apart. */
const HEALTHY_TIMEOUT_MS = 120_000;
const LOG_LINES = '40';
/** All networks that Docker may choose. Scenarios with refused addresses use 10.0.0.0/8. */
const NETWORKS_OF_DOCKER = '172.16.0.0/12,192.168.0.0/16';

interface Inspected {
  readonly Id: string;
  readonly Config: { readonly Labels: Readonly<Record<string, string>> };
  readonly State: {
    readonly Pid: number;
    readonly ExitCode: number;
    readonly OOMKilled: boolean;
    readonly Health?: { readonly Status: string };
  };
  readonly RestartCount: number;
  readonly NetworkSettings: {
    readonly Networks: Readonly<Record<string, { readonly IPAddress: string; readonly Gateway: string }>>;
  };
  readonly Mounts: readonly { readonly Destination: string; readonly Source: string }[];
}

/** `root` is the folder under test. Progress goes to standard error. Throws ProvisionError. */
export async function openContainers(root: string) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new ProvisionError('this suite inspects containers from outside, which needs Linux and root');
  }
  const interruption = new AbortController();
  onInterruption((signal) => interruption.abort(new Interrupted(signal)));
  const { signal } = interruption;
  await using starting = new AsyncDisposableStack();
  const task = reportedTask('containers', reportTo(process.stderr), signal);
  const docker = starting.use(await openDocker(task));
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const settings = {
    ...docker.environment,
    COMPOSE_PROJECT_NAME: PROJECT,
    COMPOSE_PROGRESS: 'quiet',
    PORT: String(port),
    PUBLIC_BASE_URL: baseUrl,
    EGRESS_ALLOW_CIDRS: NETWORKS_OF_DOCKER,
    REGISTRATIONS_PER_HOUR: '0',
  };
  const compose = (...args: readonly string[]) => runCompose(root, args, settings);
  /** Prints the end of the containers' logs to standard error. */
  const showLogs = () => compose('logs', '--no-color', '--tail', LOG_LINES);
  const takeDown = () => compose('down', '--volumes', '--timeout', '1');
  // Removes the containers of a killed run.
  await takeDown();
  starting.defer(takeDown);
  await runCompose(root, ['up', '--detach'], settings, signal);
  await runNpm(
    root,
    ['run', '--silent', 'build', '--', 'images', '--only', imageTag('all')],
    settings,
    signal,
  );
  const inspected = await task
    .step('waiting until they are healthy', () => untilHealthy(docker, signal))
    .catch(async (error: unknown) => {
      await showLogs();
      throw error;
    });

  const [splitter, account, redis, access] = ['splitter', 'account', 'redis', 'access'].map(
    (service) => inspected.find((each) => serviceOf(each) === service) ?? missing(service),
  );
  const hostAddress = networkOf(splitter, 'outside').Gateway;
  const samples = starting.use(await startSamplesServer(hostAddress));
  const containers = inspected.filter(isOfProduct).map(containerOf);
  const splitters = containers.filter(({ service }) => service === 'splitter');
  const { REDIS_PASSWORD } = parseEnv(await readFile(join(root, 'deploy/containers/compose/.env'), 'utf8'));
  const underTest: ContainersUnderTest = {
    product: {
      baseUrl,
      samplesUrl: `http://${hostAddress}:${samples.port}${SAMPLES_PATH}`,
      hostAddress,
      dataDir: account?.Mounts.find(({ Destination }) => Destination === '/data')?.Source ?? missing('/data'),
      scratchDirs: splitters.map(({ pid }) => `/proc/${pid}/root/scratch`),
    },
    redisUrl: `redis://audiosplit:${REDIS_PASSWORD}@${networkOf(redis, 'inner').IPAddress}:6379`,
    containers,
    administrator: access?.Id ?? missing('access'),
    docker: { command: docker.command, environment: docker.environment },
    network: `${PROJECT}_inner`,
  };
  const running = starting.move();
  return {
    underTest,
    /**
     * Stops all containers; resolves with a line for each product container that did not exit by itself with
     * success.
     */
    async stop() {
      await task.step('stopping', () => compose('stop'));
      return (await inspectAll(docker)).filter(isOfProduct).flatMap(faultOfEnd);
    },
    showLogs,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function runCompose(
  root: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<void> {
  return runNpm(root, ['run', '--silent', 'compose', '--', ...args], settings, signal);
}

async function runNpm(
  root: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<void> {
  const child = spawn('npm', args, {
    cwd: root,
    env: newcomersEnvironment(settings),
    // Its output belongs to no result.
    stdio: ['ignore', 2, 2],
  });
  const stop = () => child.kill('SIGTERM');
  signal?.addEventListener('abort', stop, { once: true });
  const [code] = await once(child, 'close');
  signal?.removeEventListener('abort', stop);
  signal?.throwIfAborted();
  if (code !== 0) throw new ProvisionError(`npm ${args.join(' ')} ended with ${code}`);
}

async function untilHealthy(docker: Docker, signal: AbortSignal): Promise<readonly Inspected[]> {
  const deadlineMs = performance.now() + HEALTHY_TIMEOUT_MS;
  for (;;) {
    const inspected = await inspectAll(docker);
    const late = inspected.filter(isOfProduct).filter(({ State }) => State.Health?.Status !== 'healthy');
    if (late.length === 0) return inspected;
    const names = late.map(serviceOf).join(', ');
    if (performance.now() > deadlineMs) throw new ProvisionError(`not healthy in time: ${names}`);
    await sleep(500, undefined, { signal });
  }
}

/** Includes stopped containers. */
async function inspectAll(docker: Docker): Promise<readonly Inspected[]> {
  const label = `label=com.docker.compose.project=${PROJECT}`;
  const ids = (await docker.run(['ps', '--all', '--quiet', '--filter', label])).split('\n').filter(Boolean);
  return ids.length === 0 ? [] : (JSON.parse(await docker.run(['inspect', ...ids])) as Inspected[]);
}

function serviceOf({ Config }: Inspected): string {
  return Config.Labels['com.docker.compose.service'] ?? '';
}

function isOfProduct(inspected: Inspected): boolean {
  return SERVING_IMAGES.some((name) => name === serviceOf(inspected));
}

function containerOf(inspected: Inspected): Container {
  const { Id: id, State, RestartCount: restarts } = inspected;
  return { id, service: serviceOf(inspected), pid: State.Pid, health: State.Health?.Status, restarts };
}

function networkOf(inspected: Inspected | undefined, name: string) {
  return inspected?.NetworkSettings.Networks[`${PROJECT}_${name}`] ?? missing(`network ${name}`);
}

function faultOfEnd(inspected: Inspected): readonly string[] {
  const { ExitCode, OOMKilled } = inspected.State;
  const { RestartCount } = inspected;
  if (ExitCode === 0 && !OOMKilled && RestartCount === 0) return [];
  const memory = OOMKilled ? ', out of memory' : '';
  return [`${serviceOf(inspected)} ended with ${ExitCode}${memory}, after ${RestartCount} restarts`];
}

function missing(what: string): never {
  throw new Error(`${what} is missing`);
}
