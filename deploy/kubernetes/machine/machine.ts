/**
 * A machine of the cluster: kernel namespaces for network, mounts, processes, names and IPC, with an init of
 * its own. Processes in it see its own interfaces, /run and process ids, and the files of this machine. When
 * the init ends, the kernel ends every process in it and removes its mounts, interfaces and packet filter
 * rules, so nothing is left over.
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
  /** The parent of the init, outside of the namespaces: if either ends, so does the other. */
  readonly holder: ProcessIdentity;
  readonly initPid: number;
}

const NAMESPACES = ['--net', '--mount', '--pid', '--uts', '--ipc'];
/** Like an init, it reaps orphaned processes. */
const INIT = 'sleep infinity & wait';
/**
 * Kernel-wide values that the kubelet sets. In a machine their files show the required values, so that the
 * kubelet writes nothing.
 */
const WANTED_BY_KUBELET = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
} as const;

/** `folder` exists and contains the machine's files; `/run` and `/var/log` in it are new. */
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

/** An open machine; throws if it is not running. */
export function machineOf(name: string, state: ClusterState | undefined): Machine {
  const holder = state?.machines[name];
  const initPid = holder === undefined || !isAlive(holder) ? undefined : childOf(holder.pid);
  if (holder === undefined || initPid === undefined) {
    throw new ProvisionError(`${name} does not run: npm run cluster -- down, then npm run cluster -- up`);
  }
  return { name, holder, initPid };
}

/** The command that runs a program in the machine. */
export function inMachine(machine: Machine, launch: Launch): Launch {
  return { ...launch, command: 'nsenter', args: [...enter(machine), launch.command, ...launch.args] };
}

/** Runs a program in the machine until it ends; resolves with its output. Rejects with ToolError. */
export function runIn(machine: Machine, command: string, args: readonly string[], task: Task) {
  return runTool('nsenter', [...enter(machine), command, ...args], { signal: task.signal });
}

export async function closeMachine(holder: ProcessIdentity): Promise<void> {
  // By now its id may belong to another process.
  if (!isAlive(holder)) return;
  const initPid = childOf(holder.pid);
  const init = initPid === undefined ? null : identifyProcess(initPid);
  await terminate(holder, 'SIGKILL', 10_000);
  // It has ended when all of its processes have.
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
  // A policy rejects packets with ICMP, which the kernel limits to one a second per destination. Without the
  // ICMP packet a caller retries after 1, 3 and 7 s, long after the policy admits it.
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

/** Whether its /proc is mounted, which is the case once bash has replaced unshare. */
function hasOwnProcesses(holderPid: number): boolean {
  try {
    return readFileSync(`/proc/${childOf(holderPid)}/comm`, 'utf8') === 'bash\n';
  } catch {
    return false;
  }
}
