/** The attempts of an exploited ffmpeg, for the process that is to run them, and how they may end. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ScriptOptions, stdinScript } from './stdin-script.ts';
import type { AttemptOptions, AttemptReport } from './try-attempts.ts';

/** How the program that stands in ffmpeg's place is linked; and so the level that it can reach. */
export type Linking = 'static' | 'dynamic';

/** What no sandbox of this kind refuses: docs/security.md. */
const KNOWN = ['stat a known path', 'start a thread'];
/** And what it cannot refuse where a loader has to map code. */
const KNOWN_OF: Readonly<Record<Linking, ReadonlySet<string>>> = {
  static: new Set(KNOWN),
  dynamic: new Set([...KNOWN, 'map code that can be written', 'make code of data']),
};
const LEVELS = { static: 'full', dynamic: 'partial' } as const;
const MIN_ATTEMPTS = 81;

/** What hosts also refuse by themselves: without rights, by a setting, by a container's profile, for want of a module. */
const SHUT_ON_SOME_HOSTS = new Set([
  ...['mount', 'fsopen', 'setns', 'unshare a user namespace', 'bpf', 'perf_event_open', 'userfaultfd'],
  ...['io_uring', 'keyctl', 'add_key', 'personality', 'open a vsock', 'kcmp', 'pidfd_getfd'],
]);

export function attemptsProgram(linking: Linking): string {
  const kind = linking === 'dynamic' ? '-dynamic' : '';
  return join(import.meta.dirname, `attempts${kind}-${process.arch}`);
}

/** For Node's stdin: `try-attempts.ts`, with the program. */
export async function attemptsScript(
  linking: Linking,
  options: ScriptOptions & Pick<AttemptOptions, 'hasControl'>,
): Promise<string> {
  const given: AttemptOptions = { ...options, program: await readFile(attemptsProgram(linking), 'base64') };
  return await stdinScript('try-attempts.ts', given);
}

/** What the sandbox should not have allowed; empty where it holds. */
export function breachesOf(
  linking: Linking,
  { level, shortfall, outcomes, isServiceAlive }: AttemptReport,
): readonly string[] {
  const unknown = outcomes.filter(
    ({ name, confined }) => !['refused', 'killed'].includes(confined) && !KNOWN_OF[linking].has(name),
  );
  return [
    ...(level === LEVELS[linking] ? [] : [`the level is ${level}: ${shortfall}`]),
    ...(outcomes.length >= MIN_ATTEMPTS ? [] : [`there are only ${outcomes.length} attempts`]),
    ...(isServiceAlive ? [] : ['the service has ended']),
    ...unknown.map(({ name, confined }) => `${name}: ${confined}`),
  ];
}

/**
 * Attempts that prove nothing about the sandbox, as they fail without it, too. Where the host is what refuses one, it
 * has to end the process in the sandbox, which comes before the host.
 */
export function unprovenIn({ outcomes }: AttemptReport): readonly string[] {
  return outcomes
    .filter(({ unconfined }) => unconfined !== 'succeeded')
    .filter(({ name, confined }) => confined !== 'killed' || !SHUT_ON_SOME_HOSTS.has(name))
    .map(({ name, unconfined }) => `${name}: without a sandbox ${unconfined}`);
}
