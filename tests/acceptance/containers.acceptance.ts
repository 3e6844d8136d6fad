/**
 * A container's rights on its machine, seen from the machine: which of the requested restrictions are in
 * effect.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { SERVING_IMAGES } from '../../deploy/containers/product-images.ts';
import { containersUnderTest } from '../harness/installation/as-a-user/containers-under-test.ts';
import { scenario } from './scenario.ts';

const containers = containersUnderTest?.containers ?? [];

scenario('every container is healthy, and has been since its start', { containersOnly: true }, async () => {
  const services = new Set(containers.map(({ service }) => service));
  assert.deepEqual([...services].sort(), [...SERVING_IMAGES].sort());
  for (const { service, health, restarts } of containers) {
    assert.deepEqual({ service, health, restarts }, { service, health: 'healthy', restarts: 0 });
  }
});

scenario(
  'every container runs unprivileged, without capabilities, on a read-only root without a shell',
  { containersOnly: true },
  async () => {
    for (const { service, pid } of containers) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      for (const [name, expected] of [
        ['Uid', /^65532\t65532\t65532\t65532$/],
        ['Gid', /^65532\t65532\t65532\t65532$/],
        ['CapEff', /^0+$/],
        ['CapBnd', /^0+$/],
        ['NoNewPrivs', /^1$/],
      ] as const) {
        const value = new RegExp(`^${name}:\\t(.*)$`, 'm').exec(status)?.[1] ?? '';
        assert.match(value, expected, `${service}: ${name}`);
      }
      // proc(5): the fifth field is the mount point, the sixth its options.
      const mounts = (await readFile(`/proc/${pid}/mountinfo`, 'utf8')).split('\n');
      const root = mounts.map((line) => line.split(' ')).find(([, , , , place]) => place === '/');
      assert.equal(root?.[5]?.split(',')[0], 'ro', service);
      assert.ok(!existsSync(`/proc/${pid}/root/bin/sh`), service);
    }
  },
);

scenario('every container signs in to the engines as itself', { containersOnly: true }, async () => {
  for (const { service, pid } of containers) {
    const environment = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0');
    const valuesOf = (name: string) =>
      environment.flatMap((each) => (each.startsWith(`${name}=`) ? each.slice(name.length + 1) : []));
    const users = [
      ...['KAFKA_SASL_USERNAME', 'AWS_ACCESS_KEY_ID'].flatMap(valuesOf),
      ...['DATABASE_URL', 'REDIS_URL'].flatMap(valuesOf).map((url) => new URL(url).username),
    ];
    assert.ok(users.length > 0, service);
    for (const user of users) assert.equal(user.replace(/^audiosplit_/, ''), service);
  }
});
