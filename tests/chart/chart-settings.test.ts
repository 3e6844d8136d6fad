/**
 * Each setting that names a chart value: the value exists, and its bounds are within those of the setting.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { OWN_SETTINGS_OF, settingsOf } from '../harness/settings.ts';

interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
  readonly maximum?: number;
}

const root: Schema = JSON.parse(
  readFileSync(join(repositoryRoot, 'charts/audiosplit/values.schema.json'), 'utf8'),
);

function schemaOf(path: string): Schema | undefined {
  return path.split('.').reduce<Schema | undefined>((schema, key) => {
    const { properties = {} } = schema ?? {};
    const shared = root.$defs?.[schema?.$ref?.replace('#/$defs/', '') ?? '']?.properties ?? {};
    return properties[key] ?? shared[key];
  }, root);
}

for (const process of Object.keys(OWN_SETTINGS_OF)) {
  for (const [name, setting] of Object.entries(settingsOf(process))) {
    const { chart } = setting;
    if (chart === undefined) continue;
    test(`${process}: ${name} is ${chart} in the chart`, () => {
      const schema = schemaOf(chart);
      assert.ok(schema !== undefined, `values.schema.json has no ${chart}`);
      if (!('min' in setting && 'max' in setting) || schema.minimum === undefined) return;
      assert.ok(schema.minimum >= Number(setting.min), `minimum ${schema.minimum} < ${setting.min}`);
      assert.ok(Number(schema.maximum) <= Number(setting.max), `maximum ${schema.maximum} > ${setting.max}`);
    });
  }
}
