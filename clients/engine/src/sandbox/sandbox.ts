/**
 * What ffmpeg is kept to, as it reads bytes that may have been made to take it over.
 *
 * A launcher (`clients/engine/sandbox/sandbox.c`) gives up what a codec does not need and becomes ffmpeg: the id of the
 * process, its group, its signals and its pipes stay those of the child. What a host allows is found out once
 * (`find-sandbox.ts`).
 */
import type { FilterKind } from './filter-rules.ts';
import { limitOptions, type ResourceLimits } from './limits.ts';

/** `full`: Landlock and the strict filter of system calls. `partial`: less than that. `none`: neither of them. */
export const SANDBOX_LEVELS = ['full', 'partial', 'none'] as const;
export type SandboxLevel = (typeof SANDBOX_LEVELS)[number];

/** Plain data, as engine threads get it by message. */
export interface Sandbox {
  readonly level: SandboxLevel;
  /** Why the level is not `full`. */
  readonly shortfall?: string;
  /** Absent: ffmpeg is started as it is. */
  readonly launcher?: Launcher;
}

export interface Launcher {
  readonly path: string;
  readonly hasLandlock: boolean;
  readonly filter: FilterKind | undefined;
  /** Files and folders that ffmpeg is loaded from besides its own. */
  readonly libraries: readonly string[];
}

export interface SandboxedCommand {
  readonly command: readonly [path: string, ...args: string[]];
  readonly limits: ResourceLimits;
  /** The only file that it opens, if any. Standard streams need no leave. */
  readonly reads?: string | undefined;
  /** The only file that it writes, if any: made empty before it starts. */
  readonly writes?: string | undefined;
}

export const UNCONFINED: Sandbox = { level: 'none', shortfall: 'the sandbox is not used' };

/** The command line that starts `command` in the sandbox. */
export function sandboxedCommand(
  { launcher }: Sandbox,
  { command, limits, reads, writes }: SandboxedCommand,
): readonly [path: string, ...args: string[]] {
  if (launcher === undefined) return command;
  const { path, hasLandlock, filter, libraries } = launcher;
  const executable = [command[0], ...libraries].map((each) => `--execute=${each}`);
  return [
    path,
    ...limitOptions(limits),
    ...(filter === undefined ? [] : [`--filter=${filter}`]),
    ...(hasLandlock ? ['--landlock', ...executable] : []),
    ...(hasLandlock && reads !== undefined ? [`--read=${reads}`] : []),
    ...(hasLandlock && writes !== undefined ? [`--write=${writes}`] : []),
    '--',
    ...command,
  ];
}

/** What the launcher says where it could not start the command, which then never ran. */
export function isLaunchFailure(exitCode: number | null, stderr: string): boolean {
  return exitCode === 125 && stderr.startsWith('sandbox: ');
}
