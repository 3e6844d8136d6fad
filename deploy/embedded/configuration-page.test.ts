import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { CONFIGURATION_PAGE, renderConfigurationPage } from './configuration-page.ts';
import { OWN_SETTINGS_OF, settingsOf } from './settings.ts';

const COMPOSE_FILE = new URL('../containers/compose/compose.yaml', import.meta.url);

test('docs/configuration.md lists the settings of every process', async () => {
  const actual = await readFile(CONFIGURATION_PAGE, 'utf8').catch(() => '');
  assert.equal(actual, renderConfigurationPage(), 'run `npm run generate -- configuration`');
});

test('every setting is described in one line, without a full stop', () => {
  for (const process of Object.keys(OWN_SETTINGS_OF)) {
    for (const [name, { what, shownDefault = '', allowed }] of Object.entries(settingsOf(process))) {
      for (const cell of [what, shownDefault, allowed]) assert.doesNotMatch(cell, /[|\n]|\.$/, name);
    }
  }
});

test('compose.yaml sets only variables that a process reads', async () => {
  const [ofProduct = ''] = (await readFile(COMPOSE_FILE, 'utf8')).split('\n  access:\n');
  const known = new Set(Object.keys(OWN_SETTINGS_OF).flatMap((process) => Object.keys(settingsOf(process))));
  const set = [...ofProduct.matchAll(/^ {4,6}([A-Z][A-Z0-9_]+): /gm)].map(([, name = '']) => name);
  assert.ok(set.length > 20);
  // Each service finds the others by these; a build has BASE_IMAGE.
  const others = /^(\w+_RPC_URL|BASE_IMAGE)$/;
  assert.deepEqual(
    set.filter((name) => !known.has(name) && !others.test(name)),
    [],
  );
});
