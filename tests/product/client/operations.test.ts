import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAudiosplit } from '@audiosplit/client';
import { startTestGateway } from '@audiosplit/gateway/testing/test-gateway';

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;

test('every operation of the API has a method', async () => {
  await using gateway = await startTestGateway();
  const response = await fetch(new URL('/openapi.json', gateway.url));
  const { paths } = (await response.json()) as { readonly paths: Paths };
  const byHand: Record<string, string> = {
    followSplit: 'followJob',
    downloadSplitArchive: 'downloadArchive',
  };
  const methods = Object.keys(createAudiosplit({ baseUrl: 'http://localhost' }));
  const missing = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([, item]) => Object.entries(item))
    .filter(([verb]) => verb !== 'head')
    .map(([, { operationId }]) => byHand[operationId] ?? operationId)
    .filter((name) => !methods.includes(name));
  assert.deepEqual(missing, []);
});
