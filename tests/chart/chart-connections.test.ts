import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresConnections, trialConnections } from './chart-connections.ts';
import { workload } from './manifests.fixture.ts';

const deployment = (replicas: number, container: object) =>
  workload('Deployment', [{ name: 'one', ...container }], {}, replicas);
const service = (replicas: number, connections: string) =>
  deployment(replicas, { env: [{ name: 'DATABASE_MAX_CONNECTIONS', value: connections }] });

test('what runs, as much again, migrations and people', () => {
  assert.equal(postgresConnections([service(2, '10'), service(3, '5'), deployment(9, {})]), 2 * 35 + 10 + 5);
});

test("a trial's own server", () => {
  assert.equal(trialConnections([service(2, '10')]), undefined);
  assert.equal(trialConnections([deployment(1, { args: ['-c', 'max_connections=300'] })]), 300);
});
