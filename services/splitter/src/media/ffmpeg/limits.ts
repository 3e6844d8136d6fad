import { access, constants } from 'node:fs/promises';

/** What one child process may use at most. Absent: not bounded. */
export interface ResourceLimits {
  readonly cpuSeconds: number;
  /** Largest single file it may write. */
  readonly fileSizeBytes?: number;
}

/**
 * Address space: several times what decoding or encoding audio maps, so that an allocation bomb ends in
 * ENOMEM for the child instead of waking the host's OOM killer.
 */
const ADDRESS_SPACE_BYTES = 1024 * 1024 * 1024;

const PRLIMIT_PATH = '/usr/bin/prlimit';

/** The path of util-linux's prlimit, or undefined where the host has none (macOS, distroless images). */
export async function findPrlimit(): Promise<string | undefined> {
  try {
    await access(PRLIMIT_PATH, constants.X_OK);
    return PRLIMIT_PATH;
  } catch {
    return undefined;
  }
}

/**
 * The command line that runs `command` under `limits`. prlimit replaces itself by the command, so the
 * process id and group stay the same.
 *
 * RLIMIT_NPROC is left alone on purpose: it counts every process of the user on the host, so the limit of
 * one job would depend on its neighbours.
 */
export function limitedCommand(
  prlimitPath: string | undefined,
  limits: ResourceLimits,
  command: readonly string[],
): readonly string[] {
  if (prlimitPath === undefined) return command;
  const fileSize = limits.fileSizeBytes;
  return [
    prlimitPath,
    // SIGXCPU first, which tells the limit from a kill by the host; SIGKILL for a child that ignores it.
    `--cpu=${Math.ceil(limits.cpuSeconds)}:${Math.ceil(limits.cpuSeconds) + 5}`,
    `--as=${ADDRESS_SPACE_BYTES}`,
    '--core=0',
    '--nofile=64',
    ...(fileSize === undefined ? [] : [`--fsize=${Math.ceil(fileSize)}`]),
    '--',
    ...command,
  ];
}
