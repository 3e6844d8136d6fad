/**
 * What a child process of the engine is kept to: resource limits, and a network namespace in which nothing is up,
 * not even loopback.
 *
 * Both are done by util-linux programs that replace themselves by the next command (`unshare … prlimit … ffmpeg`),
 * so the process id, its group and its signals stay those of the child. What a host allows is found out once, by
 * running the chain: containers commonly refuse new namespaces, other systems have no such programs. A host that
 * refuses runs the same children on its own network; then the lists of allowed protocols, and the network policy
 * around the process, are what is left.
 *
 * A user namespace comes first because a child in one holds no capability outside of it: also where the service
 * runs as root, its children cannot go back to the host's network.
 */
import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { limitsCommand, type ResourceLimits } from './limits.ts';

const run = promisify(execFile);
const TRIAL_TIMEOUT_MS = 10_000;

const PRLIMIT_PATH = '/usr/bin/prlimit';
const UNSHARE_PATH = '/usr/bin/unshare';
/** Every process's own link to the namespace that it is in. */
const NETWORK_LINK = '/proc/self/ns/net';

export interface Confinement {
  /** util-linux's prlimit; undefined: children run without resource limits. */
  readonly prlimitPath: string | undefined;
  /** Begins the command line of a child that gets a network of its own; undefined: it has the host's. */
  readonly networkIsolation: readonly string[] | undefined;
}

export const UNCONFINED: Confinement = { prlimitPath: undefined, networkIsolation: undefined };

/** Strongest first. The last one is for a root without user namespaces. */
const NETWORK_ISOLATIONS: readonly (readonly string[])[] = [
  [UNSHARE_PATH, '--user', '--map-current-user', '--net', '--'],
  [UNSHARE_PATH, '--user', '--map-root-user', '--net', '--'],
  [UNSHARE_PATH, '--net', '--'],
];

let detected: Promise<Confinement> | undefined;

/** What this host allows, tried out at the first call. */
export function hostConfinement(): Promise<Confinement> {
  detected ??= tryConfinements();
  return detected;
}

async function tryConfinements(): Promise<Confinement> {
  const limits = { cpuSeconds: 1, fileSizeBytes: 0 };
  const prlimitPath = (await networkSeenBy(limitsCommand(PRLIMIT_PATH, limits))) && PRLIMIT_PATH;
  const hostNetwork = await readlink(NETWORK_LINK).catch(() => undefined);
  for (const networkIsolation of NETWORK_ISOLATIONS) {
    const confined = { prlimitPath, networkIsolation };
    const network = await networkSeenBy(confinedCommand(confined, limits, []));
    if (network !== undefined && network !== hostNetwork) return confined;
  }
  return { prlimitPath, networkIsolation: undefined };
}

/** The network namespace of a process behind `prefix`; undefined where it does not come to run. */
async function networkSeenBy([command = '', ...args]: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run(command, [...args, 'readlink', NETWORK_LINK], {
      timeout: TRIAL_TIMEOUT_MS,
      env: { PATH: '/usr/bin:/bin' },
    });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The command line that runs `command` under `limits`, kept to what the host allows. */
export function confinedCommand(
  { prlimitPath, networkIsolation = [] }: Confinement,
  limits: ResourceLimits,
  command: readonly string[],
): readonly string[] {
  // The limits come last: they are meant for the child, not for what prepares it.
  const limited = prlimitPath === undefined ? [] : limitsCommand(prlimitPath, limits);
  return [...networkIsolation, ...limited, ...command];
}

/** For the log, at start. */
export function describeConfinement({ prlimitPath, networkIsolation }: Confinement): string {
  const limits = prlimitPath === undefined ? 'no resource limits' : 'resource limits';
  const network = networkIsolation === undefined ? "the host's network" : 'no network';
  return `${limits}, ${network}`;
}

/** The words of a program of the chain that could not start the next one: the child itself never ran. */
export function isLaunchFailure(stderr: string): boolean {
  return /^(?:\S*\/)?(?:unshare|prlimit): /.test(stderr);
}
