import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { cgroupCores, usableCores } from './usable-cores.ts';

function coresWith(files: Readonly<Record<string, string>>): number | undefined {
  return cgroupCores((path) => files[path]);
}

test('the unified hierarchy gives its quota, the smallest of all levels', () => {
  const group = { '/proc/self/cgroup': '0::/pods/job\n' };
  assert.equal(coresWith({ ...group, '/sys/fs/cgroup/pods/job/cpu.max': '150000 100000\n' }), 1.5);
  assert.equal(
    coresWith({
      ...group,
      '/sys/fs/cgroup/pods/job/cpu.max': 'max 100000\n',
      '/sys/fs/cgroup/pods/cpu.max': '400000 100000\n',
      '/sys/fs/cgroup/cpu.max': '800000 100000\n',
    }),
    4,
  );
  assert.equal(coresWith({ ...group, '/sys/fs/cgroup/pods/job/cpu.max': 'max 100000\n' }), undefined);
});

test('the root of the mount counts in a container whose group has another name inside', () => {
  assert.equal(
    coresWith({ '/proc/self/cgroup': '0::/../../outside\n', '/sys/fs/cgroup/cpu.max': '50000 100000\n' }),
    0.5,
  );
});

test('the older hierarchies give their quota, with cpu at any position among the controllers', () => {
  const files = {
    '/proc/self/cgroup': '12:memory:/a\n4:cpu,cpuacct:/docker/b\n0::/\n',
    '/sys/fs/cgroup/cpu,cpuacct/docker/b/cpu.cfs_quota_us': '-1\n',
    '/sys/fs/cgroup/cpu,cpuacct/docker/b/cpu.cfs_period_us': '100000\n',
    '/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us': '200000\n',
    '/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us': '100000\n',
  };
  assert.equal(coresWith(files), 2);
});

test('unreadable or invalid files give no quota', () => {
  assert.equal(coresWith({}), undefined);
  const group = { '/proc/self/cgroup': '0::/\nnonsense\n' };
  for (const text of ['', 'x y', '0 0', '100000', '-5 100000'])
    assert.equal(coresWith({ ...group, '/sys/fs/cgroup/cpu.max': text }), undefined, text);
});

test('this process may use at least one core and at most those that it can be scheduled on', () => {
  const cores = usableCores();
  assert.ok(Number.isInteger(cores) && cores >= 1 && cores <= availableParallelism());
});
