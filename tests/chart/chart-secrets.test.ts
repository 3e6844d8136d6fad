import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSecrets } from './chart-secrets.ts';

const env = [
  { name: 'PORT', value: '1' },
  { name: 'A_FILE', value: '/secrets/A' },
];
const volumeMounts = [{ name: 'secrets', mountPath: '/secrets' }];
const sources = [{ secret: { name: 'keys', items: [{ key: 'a', path: 'A' }] } }];
const pod = {
  imagePullSecrets: [{ name: 'registry' }],
  containers: [{ name: 'auth', env, volumeMounts }],
  volumes: [{ name: 'secrets', projected: { sources } }],
};
const DEPLOYMENT = { kind: 'Deployment', spec: { template: { spec: pod } } };
const KEYS = { spec: { target: { name: 'keys' }, data: [{ secretKey: 'a' }] } };
const REGISTRY = {
  spec: {
    target: { name: 'registry', template: { data: { '.dockerconfigjson': '{{ .config }}' } } },
    data: [{ secretKey: 'config' }],
  },
};

test('what is asked for is made', () => {
  assert.deepEqual(checkSecrets([DEPLOYMENT], [KEYS, REGISTRY]), []);
});

test('a Secret that is missing, and a key that is not used', () => {
  const keys = { spec: { ...KEYS.spec, data: [{ secretKey: 'b' }] } };
  assert.deepEqual(checkSecrets([DEPLOYMENT], [keys]), [
    'keys/a is asked for and not made',
    'keys/b is made and nobody asks for it',
    'registry/.dockerconfigjson is asked for and not made',
  ]);
});
