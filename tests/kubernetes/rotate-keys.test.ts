import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeIdentities, privateKeyVariable } from '@audiosplit/chassis/identity/identity-environment';
import { PROCESSES } from '@audiosplit/proto/callers';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { keyRotation } from './rotate-keys.ts';

/** Answers as kubectl does for three Deployments; the rollout of `jobs` fails. */
const KUBECTL = `#!/bin/sh
cd "$(dirname "$0")"
shift 2
echo "$*" >> calls
case "$*" in
  'get secret'*) cat secret.json ;;
  'get deployment'*) printf 'deployment.apps/%s\\n' auth jobs splitter ;;
  'replace'*) cat > replaced.json ;;
  'rollout status deployment.apps/jobs'*) exit 1 ;;
esac`;

test('Deployments get new keys one after the other, and none after a failed one', async () => {
  await using folder = await temporaryFolder();
  const file = (name: string) => join(folder.path, name);
  await writeFile(file('kubectl'), KUBECTL, { mode: 0o755 });
  await writeFile(file('secret.json'), JSON.stringify(secretWithKeys()));
  const task = {
    signal: new AbortController().signal,
    step: <T>(_label: string, work: () => Promise<T>) => work(),
  };
  const rotate = keyRotation(file('kubectl'), file('kubeconfig'), task);
  await assert.rejects(rotate('add'), /exit code 1/);
  const calls = (await readFile(file('calls'), 'utf8')).trimEnd().split('\n');
  assert.deepEqual(
    calls.filter((call) => call.startsWith('rollout')),
    [
      'rollout restart deployment.apps/auth',
      'rollout status deployment.apps/auth --timeout 8m',
      'rollout restart deployment.apps/jobs',
      'rollout status deployment.apps/jobs --timeout 8m',
    ],
  );
  const { data } = JSON.parse(await readFile(file('replaced.json'), 'utf8'));
  const lines = Buffer.from(data['public-keys'], 'base64').toString().split('\n').filter(Boolean);
  assert.equal(lines.length, 2 * PROCESSES.length);
});

function secretWithKeys() {
  const keys = makeIdentities();
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const data = Object.fromEntries(
    PROCESSES.map((each) => [`${each}-private-key`, base64(keys[privateKeyVariable(each)])]),
  );
  return { kind: 'Secret', data: { ...data, 'public-keys': base64(keys.IDENTITY_PUBLIC_KEYS) } };
}
