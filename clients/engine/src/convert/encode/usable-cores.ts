/**
 * How many cores this process may use.
 *
 * Node counts the cores on which it may be scheduled. A container's share of CPU time is a quota of its
 * control group, which Node does not see. Quotas of enclosing groups apply too, so all of them are read.
 * References: the kernel's Documentation/admin-guide/cgroup-v2.rst (cpu.max) and scheduler/sched-bwc.rst
 * (cpu.cfs_quota_us, cpu.cfs_period_us).
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { posix } from 'node:path';

/** The content of a file; undefined if it does not exist. */
type ReadText = (path: string) => string | undefined;

/** At least 1. */
export function usableCores(): number {
  const quota = cgroupCores(readText) ?? Number.POSITIVE_INFINITY;
  return Math.max(1, Math.min(availableParallelism(), Math.ceil(quota)));
}

/** The smallest quota of this process's control groups, in cores; undefined without any. */
export function cgroupCores(read: ReadText): number | undefined {
  const quotas = (read('/proc/self/cgroup') ?? '').split('\n').flatMap((line) => {
    const [hierarchy, controllers = '', group] = line.split(':');
    if (group === undefined) return [];
    if (hierarchy === '0') return pathsUp('/sys/fs/cgroup', group).map((dir) => unifiedQuota(read, dir));
    if (!controllers.split(',').includes('cpu')) return [];
    return pathsUp(`/sys/fs/cgroup/${controllers}`, group).map((dir) => legacyQuota(read, dir));
  });
  const known = quotas.filter((quota) => quota !== undefined && quota > 0);
  return known.length === 0 ? undefined : Math.min(...known.map(Number));
}

/**
 * The folders of a group and of those around it. Inside a container the group is often given by a path
 * outside of it.
 */
function pathsUp(root: string, group: string): readonly string[] {
  const paths: string[] = [];
  for (let path = posix.normalize(group); path !== '/' && path !== '.'; path = posix.dirname(path))
    paths.push(posix.join(root, path));
  return [...paths, root];
}

/** `max 100000` or `150000 100000`. */
function unifiedQuota(read: ReadText, dir: string): number | undefined {
  const [quota, period] = (read(`${dir}/cpu.max`) ?? '').trim().split(' ');
  return ratio(quota, period);
}

/** A quota of -1 means none. */
function legacyQuota(read: ReadText, dir: string): number | undefined {
  return ratio(read(`${dir}/cpu.cfs_quota_us`), read(`${dir}/cpu.cfs_period_us`));
}

function ratio(quota: string | undefined, period: string | undefined): number | undefined {
  const cores = Number.parseInt(quota ?? '', 10) / Number.parseInt(period ?? '', 10);
  return cores > 0 && Number.isFinite(cores) ? cores : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
