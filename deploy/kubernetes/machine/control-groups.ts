/** The control groups for the pods of nodes: a folder in every hierarchy of the kernel, of version 1 or 2. */
import { existsSync, globSync } from 'node:fs';
import { mkdir, readdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '@audiosplit/chassis/errors';
import { until } from '@audiosplit/chassis/testing/until';
import { CONTROL_GROUP } from '../layout.ts';

const ROOT = '/sys/fs/cgroup';
/** The controllers that the kubelet needs, in version 2. */
const CONTROLLERS = '+cpu +cpuset +memory +pids';
const REMOVAL_TIMEOUT_MS = 5_000;

export async function makeControlGroups(nodeNames: readonly string[]): Promise<void> {
  for (const hierarchy of hierarchies()) {
    const group = join(hierarchy, CONTROL_GROUP);
    for (const name of nodeNames) await mkdir(join(group, name), { recursive: true });
    if (!isVersion2()) continue;
    for (const folder of [hierarchy, group]) {
      await writeFile(join(folder, 'cgroup.subtree_control'), CONTROLLERS);
    }
  }
}

/** Call it after the processes in them have ended. */
export async function removeControlGroups(): Promise<void> {
  for (const hierarchy of hierarchies()) {
    const group = join(hierarchy, CONTROL_GROUP);
    if (existsSync(group)) await remove(group);
  }
}

async function remove(group: string): Promise<void> {
  for (const entry of await readdir(group, { withFileTypes: true })) {
    if (entry.isDirectory()) await remove(join(group, entry.name));
  }
  // The kernel releases a process shortly after it has ended.
  const isRemoved = () =>
    rmdir(group).then(
      () => true,
      (error) => {
        if (hasCode(error, 'EBUSY')) return false;
        if (hasCode(error, 'ENOENT')) return true;
        throw error;
      },
    );
  await until(isRemoved, `${group} is free of processes`, REMOVAL_TIMEOUT_MS);
}

function isVersion2(): boolean {
  return existsSync(join(ROOT, 'cgroup.controllers'));
}

export function hierarchies(): readonly string[] {
  if (isVersion2()) return [ROOT];
  return globSync(`${ROOT}/*/cgroup.procs`).map((file) => join(file, '..'));
}
