/**
 * A wall clock for one process that jumps while the process runs, through libfaketime from Debian's packages.
 * The monotonic clock, which timers and leases use, does not change, just as when an administrator or NTP
 * sets a machine's clock.
 */
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from '../../../../deploy/provision/debian-packages.ts';
import { ProvisionError } from '../../../../deploy/provision/provision-error.ts';
import type { Task } from '../../../../deploy/provision/task.ts';

export type FakeClock = ReturnType<typeof createFakeClock>;

/** Debian's folder of libraries for an architecture. */
const LIBRARIES = '/usr/lib';
const LIBRARY = 'libfaketimeMT.so.1';

/**
 * Returns the path of the library for threaded programs; installs it if it is missing. Throws ProvisionError.
 */
export async function ensureFaketime(task: Task): Promise<string> {
  const present = findLibrary();
  if (present !== undefined) return present;
  await installPackages(['libfaketime'], 'libfaketime', task);
  const installed = findLibrary();
  if (installed === undefined)
    throw new ProvisionError(`no ${LIBRARY} under ${LIBRARIES}, though apt-get installed it`);
  return installed;
}

export function createFakeClock(library: string, timestampFile: string) {
  /** Within a second, the process sees a time `offsetSeconds` away from the true time. */
  const set = (offsetSeconds: number) =>
    writeFileSync(timestampFile, `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}\n`);
  set(0);
  return {
    /** For the process that uses this clock. */
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: timestampFile,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
  };
}

function findLibrary(): string | undefined {
  const [found] = globSync(`*-linux-gnu/faketime/${LIBRARY}`, { cwd: LIBRARIES });
  return found && join(LIBRARIES, found);
}
