/**
 * The installed Docker Engine, or Debian's, started while it is needed. The data of the latter lies in the
 * cache, so that its layers outlive it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheDir } from '../provision/cache.ts';
import { installPackages } from '../provision/debian-packages.ts';
import { findExecutable } from '../provision/executable.ts';
import { awaitLock, tryLock } from '../provision/lock.ts';
import { identifyProcess, type ProcessIdentity, terminate } from '../provision/process-identity.ts';
import { ProvisionError } from '../provision/provision-error.ts';
import { runTool, ToolError } from '../provision/run-tool.ts';
import type { Task } from '../provision/task.ts';

export interface Docker extends AsyncDisposable {
  readonly command: string;
  /** Variables for the client, in addition to this process's own environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Resolves with the client's output. Rejects with ToolError. */
  run(args: readonly string[]): Promise<string>;
  has(kind: 'image' | 'volume', name: string): Promise<boolean>;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
/** BuildKit is part of clients up to version 22; from 23 on it is the plug-in buildx. */
const DEBIAN_CLIENT = '/usr/bin/docker';
const FIRST_WITHOUT_BUILDKIT = 23;
/** Without a limit the build cache grows with each change of the code, by gigabytes a day. */
const ENGINE_SETTINGS = { builder: { gc: { enabled: true, defaultKeepStorage: '12GB' } } };
const CANNOT_BUILD = `The client of Docker Engine has no BuildKit: install its plug-in buildx, or a client older than ${FIRST_WITHOUT_BUILDKIT}`;

/** Throws ProvisionError if there is neither an engine nor a way to start one. */
export async function openDocker(task: Task): Promise<Docker> {
  let cannotBuild = false;
  const inPath = findExecutable('docker') ?? DEBIAN_CLIENT;
  for (const command of new Set([inPath, DEBIAN_CLIENT])) {
    if (!existsSync(command)) continue;
    const found = client(command, {}, task);
    if (!(await answers(found))) continue;
    if (await builds(found)) return { ...found, [Symbol.asyncDispose]: async () => undefined };
    cannotBuild = true;
  }
  // The caller named an engine: another one would not be the intended one, or would wait until that one ends.
  if (cannotBuild && process.env.DOCKER_HOST) throw new ProvisionError(CANNOT_BUILD);
  const findDaemon = () => findExecutable('dockerd', SYSTEM_FOLDERS);
  if (findDaemon() === undefined || !existsSync(DEBIAN_CLIENT)) {
    await installPackages(['docker.io', 'iptables'], 'Docker Engine', task);
  }
  const daemon = findDaemon();
  if (daemon === undefined) throw new ProvisionError('no dockerd, though apt-get installed it');
  if (process.getuid?.() !== 0)
    throw new ProvisionError('Docker Engine does not run: start it and try again');
  return await startEngine(daemon, task);
}

const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/bin'];

async function startEngine(daemon: string, task: Task): Promise<Docker> {
  const dataRoot = join(cacheDir(), 'docker');
  const lockFile = `${dataRoot}.lock`;
  await mkdir(dataRoot, { recursive: true });
  // Two engines cannot share their data, and the engine ends with the process that started it.
  const lock =
    (await tryLock(lockFile)) ??
    (await task.step('waiting for the Docker Engine of another command to end', () =>
      awaitLock(lockFile, task.signal),
    ));
  const identityFile = join(dataRoot, 'audiosplit-engine.json');
  await stopOrphan(identityFile);
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-docker-'));
  const host = `unix://${join(folder, 'docker.sock')}`;
  const settingsFile = join(folder, 'daemon.json');
  await writeFile(settingsFile, JSON.stringify(ENGINE_SETTINGS));
  const args = [
    ...['--config-file', settingsFile, '--data-root', dataRoot, '--exec-root', join(folder, 'exec')],
    ...['--pidfile', join(folder, 'pid'), '-H', host],
  ];
  const child = spawn(daemon, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-4_000);
  });
  const exited = once(child, 'exit');
  const started = client(DEBIAN_CLIENT, { DOCKER_HOST: host }, task);
  const stop = async () => {
    child.kill('SIGTERM');
    const forced = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(forced);
    await rm(identityFile, { force: true });
    await rm(folder, { recursive: true, force: true });
    await lock[Symbol.asyncDispose]();
  };
  try {
    const identity = child.pid === undefined ? null : identifyProcess(child.pid);
    if (identity !== null) await writeFile(identityFile, JSON.stringify(identity));
    await task.step('starting Docker Engine', async () => {
      const deadlineMs = performance.now() + START_TIMEOUT_MS;
      while (!(await answers(started))) {
        if (child.exitCode !== null || performance.now() > deadlineMs) {
          throw new ProvisionError(`Docker Engine does not start here:\n${said.trimEnd()}`);
        }
        await sleep(200);
        task.signal.throwIfAborted();
      }
      if (!(await builds(started))) throw new ProvisionError(CANNOT_BUILD);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...started, [Symbol.asyncDispose]: stop };
}

/**
 * If a command is killed, its engine outlives it while the lock does not. It would then use the data together
 * with the next engine.
 */
async function stopOrphan(identityFile: string): Promise<void> {
  if (!existsSync(identityFile)) return;
  const identity = JSON.parse(await readFile(identityFile, 'utf8')) as ProcessIdentity;
  await terminate(identity, 'SIGTERM', STOP_TIMEOUT_MS);
  await rm(identityFile, { force: true });
}

function client(
  command: string,
  environment: Readonly<Record<string, string>>,
  { signal }: Task,
): Omit<Docker, keyof AsyncDisposable> {
  const withBuildKit = { DOCKER_BUILDKIT: '1', ...environment };
  const run: Docker['run'] = (args) => runTool(command, args, { signal, environment: withBuildKit });
  return {
    command,
    environment: withBuildKit,
    run,
    has: (kind, name) => succeeds({ run }, [kind, 'inspect', name]),
  };
}

async function builds(docker: Pick<Docker, 'run'>): Promise<boolean> {
  const version = await docker.run(['version', '--format', '{{.Client.Version}}']);
  if (Number.parseInt(version, 10) < FIRST_WITHOUT_BUILDKIT) return true;
  return await succeeds(docker, ['buildx', 'version']);
}

function answers(docker: Pick<Docker, 'run'>): Promise<boolean> {
  return succeeds(docker, ['version', '--format', '{{.Server.Version}}']);
}

/** False if the client ends with an error. */
export async function succeeds(docker: Pick<Docker, 'run'>, args: readonly string[]): Promise<boolean> {
  try {
    await docker.run(args);
    return true;
  } catch (error) {
    if (error instanceof ToolError) return false;
    throw error;
  }
}
