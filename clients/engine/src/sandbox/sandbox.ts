/**
 * The sandbox of ffmpeg, which reads bytes that may have been crafted to take control of it.
 *
 * A launcher (`clients/engine/sandbox/sandbox.c`) drops all permissions that a codec does not need and
 * becomes ffmpeg: the process id, its group, its signals and its pipes stay those of the child. What a host
 * allows is determined once (`find-sandbox.ts`).
 */
import type { FilterKind } from './filter-rules.ts';
import { limitOptions, type ResourceLimits } from './limits.ts';

/** `full`: Landlock and the strict filter of system calls. `partial`: less than that. `none`: neither. */
export const SANDBOX_LEVELS = ['full', 'partial', 'none'] as const;
export type SandboxLevel = (typeof SANDBOX_LEVELS)[number];

/** Plain data, because engine threads receive it by message. */
export interface Sandbox {
  readonly level: SandboxLevel;
  /** Why the level is not `full`. */
  readonly shortfall?: string;
  /** Absent: ffmpeg is started without a launcher. */
  readonly launcher?: Launcher;
}

export interface Launcher {
  readonly path: string;
  readonly hasLandlock: boolean;
  readonly filter: FilterKind | undefined;
  /** Files and folders from which ffmpeg is loaded besides its own file. */
  readonly libraries: readonly string[];
}

export interface SandboxedCommand {
  readonly command: readonly [path: string, ...args: string[]];
  readonly limits: ResourceLimits;
  /** The only file that it opens, if any. Standard streams need no permission. */
  readonly reads?: string | undefined;
  /** The only file that it writes, if any; it is created empty before the start. */
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

/** The launcher's message if it could not start the command, which then never ran. */
export function isLaunchFailure(exitCode: number | null, stderr: string): boolean {
  return exitCode === 125 && stderr.startsWith('sandbox: ');
}
