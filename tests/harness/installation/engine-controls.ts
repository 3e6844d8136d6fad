/** Kills and freezes engines, and brings them back where they were. */
import { readdirSync, readFileSync } from 'node:fs';
import type { EngineName } from '../../../deploy/engines/engine.ts';
import { readState } from '../../../deploy/engines/engines-state.ts';
import { startEngines } from '../../../deploy/engines/start-engines.ts';
import { identifyProcess, terminate } from '../../../deploy/provision/process-identity.ts';

export interface EngineControls {
  /** Postgres's immediate stop; SIGKILL for the others. */
  kill(name: EngineName): Promise<void>;
  /** On the same port, with its data. Resolves when it answers. */
  restart(name: EngineName): Promise<void>;
  /** Its processes stand still; their connections stay open. */
  freeze(name: EngineName): void;
  thaw(name: EngineName): void;
}

export function engineControls(dir: string): EngineControls {
  const identityOf = (name: EngineName) => {
    const identity = readState(dir)[name]?.process;
    if (identity == null) throw new Error(`${name} does not run`);
    return identity;
  };
  /** Parents first: a stopped process starts no more children. */
  const signalAll = (name: EngineName, signal: NodeJS.Signals) => {
    const { pid } = identityOf(name);
    for (const each of [pid, ...childrenOf(pid)]) {
      if (identifyProcess(each) !== null) process.kill(each, signal);
    }
  };
  return {
    async kill(name) {
      await terminate(identityOf(name), name === 'postgres' ? 'SIGQUIT' : 'SIGKILL', 10_000);
    },
    async restart(name) {
      await startEngines({ dir, only: [name] });
    },
    freeze: (name) => signalAll(name, 'SIGSTOP'),
    thaw: (name) => signalAll(name, 'SIGCONT'),
  };
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // proc(5): state and parent follow the name, which may hold spaces and parentheses.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
