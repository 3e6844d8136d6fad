/** A zone that can be lost: the first process of each kind. The engines are outside the zone. */
import type { ProcessControls } from '../../harness/installation/process-controls.ts';
import type { FaultHooks } from '../../harness/installation/processes.ts';

export type Zone = ReturnType<typeof createZone>;

export function createZone() {
  const lost = new Set<string>();
  const launch: NonNullable<FaultHooks['launch']> = (spec) => ({
    ...spec,
    // Read at each start.
    get command() {
      return lost.has(spec.name) ? '/bin/false' : spec.command;
    },
  });
  return {
    launch,
    /** Kills its processes at the same time, and prevents their start. Returns their former pids by name. */
    lose(processes: ProcessControls) {
      const names = processes.names().filter((name) => name.endsWith('-0'));
      const pids = new Map(names.map((name) => [name, processes.pid(name)] as const));
      for (const name of names) lost.add(name);
      for (const name of names) processes.killGroup(name);
      return pids;
    },
    /** Allows its processes to start again. */
    restore: () => lost.clear(),
  };
}
