import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '@audiosplit/chassis/process/env';
import { readWebhooksConfig } from './config.ts';

const WEBHOOKS_SECRET = 'a secret of more than thirty-two bytes';

test('defaults: public addresses and https only', () => {
  assert.deepEqual(readWebhooksConfig({ WEBHOOKS_SECRET }), {
    maxDatabaseConnections: 10,
    egress: { allowCidrs: [], allowUrlPrefixes: [], plainHttp: 'allowed-cidrs-only' },
    dnsServers: [],
    attempts: { inFlight: 500, perAccount: 4, perHost: 2, pendingPerAccount: 10_000 },
    secret: WEBHOOKS_SECRET,
  });
});

test('a wrong value is rejected with the name of its variable; a secret is not shown', () => {
  for (const [variable, value] of [
    ['WEBHOOKS_SECRET', undefined],
    ['WEBHOOKS_SECRET', 'too short'],
    ['EGRESS_ALLOW_CIDRS', '10.0.0.1'],
    ['DATABASE_MAX_CONNECTIONS', '2'],
  ] as const) {
    assert.throws(
      () => readWebhooksConfig({ WEBHOOKS_SECRET, [variable]: value }),
      (error) =>
        error instanceof ConfigError && error.variable === variable && !error.message.includes('too short'),
    );
  }
});
