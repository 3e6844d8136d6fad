/**
 * A machine of the cluster: namespaces of the kernel's for network, mounts, processes, names and IPC, with an init of their
 * own. What runs in it sees its own interfaces, /run and process ids, and the files of this machine. When the init ends, the
 * kernel ends everything in it, and takes back mounts, interfaces and rules of the packet filter: nothing can be left over.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@audiosplit/chassis/testing/until';
import type { Launch } from '../../provision/launch.ts';
import {
  identifyProcess,
  isAlive,
  type ProcessIdentity,
  terminate,
} from '../../provision/process-identity.ts';
import { ProvisionError } from '../../provision/provision-error.ts';
import { runTool } from '../../provision/run-tool.ts';
import type { Task } from '../../provision/task.ts';
import type { ClusterState } from '../state.ts';

export interface Machine {
  readonly name: string;
  /** Outside of the namespaces, the parent of the init: it ends with it, and the other way round. */
  readonly holder: ProcessIdentity;
  readonly initPid: number;
}

const NAMESPACES = ['--net', '--mount', '--pid', '--uts', '--ipc'];
/** As an init does: waits for whatever has lost its parent. */
const INIT = 'sleep infinity & wait';
/** Values of the whole kernel that the kubelet sets. In a machine their files show what it wants, so that it writes nothing. */
const WANTED_BY_KUBELET = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
} as const;

/** `folder` exists, and keeps what belongs to the machine; `/run` and `/var/log` in it are new. */
export async function openMachine(
  name: string,
  folder: string,
  task: Task,
  onHolder: (holder: ProcessIdentity) => void,
): Promise<Machine> {
  const log = openSync(join(folder, 'init.log'), 'a', 0o600);
  const args = [...NAMESPACES, '--fork', '--mount-proc', '--kill-child=SIGKILL', 'bash', '-c', INIT];
  const env = { PATH: process.env.PATH ?? '' };
  const child = spawn('unshare', args, { detached: true, stdio: ['ignore', log, log], env });
  closeSync(log);
  await once(child, 'spawn');
  child.unref();
  const holder = child.pid === undefined ? null : identifyProcess(child.pid);
  if (holder === null) throw new Error(`${name}: unshare ended as soon as it was started`);
  onHolder(holder);
  await until(() => hasOwnProcesses(holder.pid), `${name} has its namespaces`);
  const initPid = childOf(holder.pid);
  if (initPid === undefined) throw new Error(`${name} has no init`);
  const machine = { name, holder, initPid };
  await prepare(machine, folder, task);
  return machine;
}

/** One that is open; throws where it is not. */
export function machineOf(name: string, state: ClusterState | undefined): Machine {
  const holder = state?.machines[name];
  const initPid = holder === undefined || !isAlive(holder) ? undefined : childOf(holder.pid);
  if (holder === undefined || initPid === undefined) {
    throw new ProvisionError(`${name} does not run: npm run cluster -- down, then npm run cluster -- up`);
  }
  return { name, holder, initPid };
}

/** What to start in order to have something run in the machine. */
export function inMachine(machine: Machine, launch: Launch): Launch {
  return { ...launch, command: 'nsenter', args: [...enter(machine), launch.command, ...launch.args] };
}

/** Runs a program to its end in the machine; resolves with what it wrote. Rejects with ToolError. */
export function runIn(machine: Machine, command: string, args: readonly string[], task: Task) {
  return runTool('nsenter', [...enter(machine), command, ...args], { signal: task.signal });
}

export async function closeMachine(holder: ProcessIdentity): Promise<void> {
  // Its number may be another process's by now.
  if (!isAlive(holder)) return;
  const initPid = childOf(holder.pid);
  const init = initPid === undefined ? null : identifyProcess(initPid);
  await terminate(holder, 'SIGKILL', 10_000);
  // It is gone when all of its processes are.
  if (init !== null) await terminate(init, 'SIGKILL', 30_000);
}

async function prepare(machine: Machine, folder: string, task: Task): Promise<void> {
  const run = (command: string, ...args: string[]) => runIn(machine, command, args, task);
  const sysctls = join(folder, 'sysctls');
  const logs = join(folder, 'logs');
  await mkdir(sysctls, { recursive: true });
  await mkdir(logs, { recursive: true });
  await run('hostname', machine.name);
  await run('mount', '-t', 'tmpfs', 'tmpfs', '/run');
  await run('mount', '--bind', logs, '/var/log');
  for (const [key, value] of Object.entries(WANTED_BY_KUBELET)) {
    const file = join(sysctls, key.replaceAll('/', '.'));
    await writeFile(file, `${value}\n`);
    await run('mount', '--bind', file, `/proc/sys/${key}`);
  }
  await run('ip', 'link', 'set', 'lo', 'up');
  await run('sysctl', '--quiet', '--write', 'net.ipv4.ip_forward=1');
  // A policy rejects packets with ICMP, which the kernel limits to one a second for each caller. A caller without one retries
  // after 1, 3 and 7 s, long after it has been let through.
  await run('sysctl', '--quiet', '--write', 'net.ipv4.icmp_ratelimit=0');
}

function enter({ initPid }: Machine): readonly string[] {
  return ['--target', String(initPid), ...NAMESPACES, '--'];
}

function childOf(pid: number): number | undefined {
  try {
    const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return first ? Number(first) : undefined;
  } catch {
    return undefined;
  }
}

/** Its /proc is mounted: bash has taken the place of unshare. */
function hasOwnProcesses(holderPid: number): boolean {
  try {
    return readFileSync(`/proc/${childOf(holderPid)}/comm`, 'utf8') === 'bash\n';
  } catch {
    return false;
  }
}
