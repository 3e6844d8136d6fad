import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkEgress, type PolicyValues } from './chart-egress.ts';
import type { EgressRule } from './chart-manifests.ts';
import { labelsOf, workload } from './manifests.fixture.ts';

const deployment = (component: string) => ({
  ...workload('Deployment', [], labelsOf(component)),
  metadata: { name: component },
});
const policy = (component: string, egress: readonly EgressRule[], policyTypes = ['Ingress', 'Egress']) => ({
  kind: 'NetworkPolicy',
  metadata: { name: component },
  spec: { podSelector: { matchLabels: labelsOf(component) }, policyTypes, egress },
});
const ports = [{ port: 443 }];
const STORE = { to: [{ ipBlock: { cidr: '10.0.0.1/32' } }], ports };
const INTERNET = { to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }], ports };
const INTERNET_6 = { to: [{ ipBlock: { cidr: '::/0' } }], ports };

function faultsOf(
  component: string,
  egress: readonly EgressRule[],
  values: PolicyValues = {},
): readonly string[] {
  return checkEgress([deployment(component), policy(component, egress)], values);
}

test('who keeps to its stores is well', () => {
  assert.deepEqual(faultsOf('jobs', [STORE]), []);
});

test('a rule without peers leads anywhere, in every component', () => {
  const fault = 'a rule without peers leads to any address, ports [{"port":443}]';
  assert.deepEqual(faultsOf('jobs', [STORE, { ports }]), [`Deployment jobs: ${fault}`]);
  assert.deepEqual(faultsOf('splitter', [{ to: [], ports }]), [`Deployment splitter: ${fault}`]);
});

test('a pod that no policy bounds', () => {
  const fault = 'Deployment jobs: no policy says where it may go';
  assert.deepEqual(checkEgress([deployment('jobs'), policy('auth', [])], {}), [fault]);
  assert.deepEqual(checkEgress([deployment('jobs'), policy('jobs', [], ['Ingress'])], {}), [fault]);
});

test('splitters and webhooks reach the internet, and no others', () => {
  assert.deepEqual(faultsOf('splitter', [INTERNET, INTERNET_6]), []);
  assert.deepEqual(faultsOf('webhooks', [{ to: INTERNET.to }]), []);
  for (const rule of [INTERNET, INTERNET_6]) {
    assert.deepEqual(faultsOf('gateway', [rule]), [
      'Deployment gateway: 1 rules lead to the internet, and values let it out to 0',
    ]);
  }
});

test('others are let out by values, each to what is its own, at a port', () => {
  const values = { networkPolicies: { enabled: true, storage: { internet: true }, payments: { to: [] } } };
  assert.deepEqual(faultsOf('gateway', [STORE, INTERNET], values), []);
  assert.equal(faultsOf('auth', [INTERNET], values).length, 1);
  assert.equal(faultsOf('billing', [INTERNET, INTERNET], values).length, 1);
  assert.deepEqual(faultsOf('gateway', [{ to: INTERNET.to }], values), [
    'Deployment gateway: the internet at every port',
  ]);
});
