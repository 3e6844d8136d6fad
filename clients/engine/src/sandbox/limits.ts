/** The resource limits of one child process. Absent: unlimited. */
export interface ResourceLimits {
  readonly cpuSeconds: number;
  /** Largest single file it may write. */
  readonly fileSizeBytes?: number;
}

/**
 * Address space: several times what decoding or encoding audio maps, so that an allocation bomb fails with
 * ENOMEM in the child instead of triggering the host's OOM killer.
 */
export const ADDRESS_SPACE_BYTES = 1024 * 1024 * 1024;
/** Several times the number for input, outputs and the libraries' own files. */
export const MAX_OPEN_FILES = 64;
/** After SIGXCPU, for a child that ignores it. */
const CPU_GRACE_SECONDS = 5;

/**
 * The launcher's options for the limits.
 *
 * RLIMIT_NPROC is deliberately not set: it counts every process of the user on the host, so the limit of one
 * job would depend on its neighbours.
 */
export function limitOptions({ cpuSeconds, fileSizeBytes }: ResourceLimits): readonly string[] {
  const softSeconds = Math.ceil(cpuSeconds);
  return [
    // SIGXCPU comes first, which distinguishes the limit from a kill by the host.
    `--cpu-seconds=${softSeconds}:${softSeconds + CPU_GRACE_SECONDS}`,
    `--address-space=${ADDRESS_SPACE_BYTES}`,
    `--open-files=${MAX_OPEN_FILES}`,
    ...(fileSizeBytes === undefined ? [] : [`--file-size=${Math.ceil(fileSizeBytes)}`]),
  ];
}

/** For sources of unknown size, and the maximum for all others. */
const MAX_DECODE_SECONDS = 2 * 60 * 60;
const START_ALLOWANCE_SECONDS = 120;
/**
 * A megabyte of Opus at 6 kb/s, the lowest rate of its range (RFC 6716 section 2.1.1), lasts 22 minutes, so a
 * decoder must reach 45 times real time.
 */
const DECODE_SECONDS_PER_MEGABYTE = 30;

/** CPU time for decoding a complete source: many times what honest ones take. */
export function decodeCpuSeconds(sourceSizeBytes: number | undefined): number {
  if (sourceSizeBytes === undefined) return MAX_DECODE_SECONDS;
  const seconds = START_ALLOWANCE_SECONDS + DECODE_SECONDS_PER_MEGABYTE * (sourceSizeBytes / 1_000_000);
  return Math.min(MAX_DECODE_SECONDS, seconds);
}
