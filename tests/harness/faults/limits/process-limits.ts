/** A small disk, a memory limit or a separate clock for some processes of an installation. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Task } from '../../../../deploy/provision/task.ts';
import type { FaultHooks } from '../../installation/processes.ts';
import { createFakeClock, ensureFaketime, type FakeClock } from './fake-clock.ts';
import { createMemoryGroup, type MemoryGroup } from './memory-group.ts';
import { mountScratchDisk, type ScratchDisk } from './scratch-disk.ts';

export type LimitKind = 'disk' | 'memory' | 'clock';

/**
 * The processes of each kind; absent kinds need no special rights. Throws StartError if the rights are
 * missing.
 */
export async function limitProcesses(
  folder: string,
  processes: Partial<Record<LimitKind, readonly string[]>>,
  task: Task,
) {
  using starting = new DisposableStack();
  const disks = new Map<string, ScratchDisk>();
  const memoryGroups = new Map<string, MemoryGroup>();
  const clocks = new Map<string, FakeClock>();
  if (processes.disk !== undefined) {
    const disk = starting.use(mountScratchDisk(join(folder, 'scratch-disk')));
    for (const name of processes.disk) disks.set(name, disk);
  }
  if (processes.memory !== undefined) {
    const hash = createHash('sha256').update(folder).digest('hex').slice(0, 8);
    const group = starting.use(createMemoryGroup(`audiosplit-chaos-${hash}-${process.pid}`));
    for (const name of processes.memory) memoryGroups.set(name, group);
  }
  if (processes.clock !== undefined) {
    const library = await ensureFaketime(task);
    for (const name of processes.clock)
      clocks.set(name, createFakeClock(library, join(folder, `${name}.clock`)));
  }
  const launch: NonNullable<FaultHooks['launch']> = (spec) => {
    const disk = disks.get(spec.name);
    const env = {
      ...spec.env,
      ...clocks.get(spec.name)?.environment,
      ...(disk === undefined ? {} : { SCRATCH_DIR: disk.scratchDir }),
    };
    const group = memoryGroups.get(spec.name);
    if (group === undefined) return { ...spec, env };
    const joinGroup = 'echo $$ > "$0" && exec "$@"';
    const args = ['-c', joinGroup, group.membersFile, spec.command, ...spec.args];
    return { ...spec, env, command: '/bin/sh', args };
  };
  const running = starting.move();
  return {
    // Keyed by process name.
    disks,
    memoryGroups,
    clocks,
    launch,
    [Symbol.dispose]: () => running.dispose(),
  };
}
