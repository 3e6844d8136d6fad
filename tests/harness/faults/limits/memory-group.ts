/**
 * A control group for one process, whose memory limit can be lowered to the process's current usage, so that
 * the kernel kills it when it touches the next page, as a container's limit does.
 *
 * Uses version 2 if it has the memory controller, else version 1 (kernel documentation,
 * admin-guide/cgroup-v1/memory.rst and admin-guide/cgroup-v2.rst).
 */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';

export type MemoryGroup = ReturnType<typeof createMemoryGroup>;

interface Interface {
  readonly folder: string;
  readonly limit: string;
  readonly unlimited: string;
  readonly usage: string;
  /** Contains a line `oom_kill N`. */
  readonly kills: string;
}

const TRY_EVERY_MS = 100;

/** Throws StartError if control groups cannot be created. */
export function createMemoryGroup(name: string) {
  const files = locate(name);
  try {
    mkdirSync(files.folder);
  } catch (error) {
    throw new StartError(
      `memory-limit needs a writable control group (root): ${messageOf(error)}. Leave it out with --only`,
    );
  }
  const read = (file: string) => readFileSync(join(files.folder, file), 'utf8');
  const write = (file: string, value: string) => writeFileSync(join(files.folder, file), value);
  const kills = () => Number(/^oom_kill (\d+)$/m.exec(read(files.kills))?.[1] ?? 0);
  return {
    /** The file to which a process writes its id to join the group. */
    membersFile: join(files.folder, 'cgroup.procs'),
    /**
     * Resolves once the kernel has killed a process and the limit is lifted again; rejects after `timeoutMs`.
     */
    async killByLimit(timeoutMs: number) {
      const before = kills();
      const deadlineMs = performance.now() + timeoutMs;
      let limitBytes = 0;
      try {
        while (kills() === before) {
          if (performance.now() > deadlineMs)
            throw new Error(`no process was killed within ${timeoutMs} ms at a limit of ${limitBytes} bytes`);
          const wanted = Number(read(files.usage));
          try {
            write(files.limit, String(wanted));
            limitBytes = wanted;
          } catch (error) {
            // Version 1 refuses a limit that the group has exceeded meanwhile.
            if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
          }
          await sleep(TRY_EVERY_MS);
        }
        return { limitBytes };
      } finally {
        write(files.limit, files.unlimited);
      }
    },
    [Symbol.dispose]: () => rmdirSync(files.folder),
  };
}

function locate(name: string): Interface {
  const root = '/sys/fs/cgroup';
  const controllers = join(root, 'cgroup.controllers');
  if (existsSync(controllers) && readFileSync(controllers, 'utf8').split(/\s/).includes('memory')) {
    return {
      folder: join(root, name),
      limit: 'memory.max',
      unlimited: 'max',
      usage: 'memory.current',
      kills: 'memory.events',
    };
  }
  const own = /^\d+:memory:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  const parent = join(root, 'memory', own ?? '');
  try {
    accessSync(parent, constants.W_OK);
  } catch {
    throw new StartError(
      `memory-limit needs control groups with the memory controller, and there are none in ${root}. Leave it out with --only`,
    );
  }
  return {
    folder: join(parent, name),
    limit: 'memory.limit_in_bytes',
    unlimited: '-1',
    usage: 'memory.usage_in_bytes',
    kills: 'memory.oom_control',
  };
}
