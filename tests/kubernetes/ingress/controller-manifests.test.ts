import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '../../../deploy/launcher.mjs';
import { controllerManifests, KINDS, streamingArguments } from './controller-manifests.ts';

test('the documented settings of Traefik are those of the cluster test', () => {
  const page = readFileSync(join(repositoryRoot, 'docs/operations/ingress.md'), 'utf8');
  for (const argument of streamingArguments(KINDS.Ingress.entryPoint))
    assert.ok(page.includes(argument), argument);
});

test('each kind has its own entry point and port', () => {
  const manifests = controllerManifests('/bin/traefik', 'node-1');
  const specOf = (kind: string) => manifests.find((manifest) => manifest.kind === kind)?.spec;
  const ports = [KINDS.Ingress, KINDS.HTTPRoute].map(({ entryPoint: name, port, nodePort }) => ({
    name,
    port,
    nodePort,
  }));
  assert.partialDeepStrictEqual(specOf('Service'), { externalTrafficPolicy: 'Local', ports });
  assert.partialDeepStrictEqual(specOf('Gateway'), { listeners: [{ port: KINDS.HTTPRoute.port }] });
});
