import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConfigError, type Env } from './env.ts';
import {
  flag,
  hostPorts,
  integer,
  list,
  oneOf,
  optional,
  parsed,
  port,
  readSetting,
  readSettings,
  required,
  type Setting,
  secret,
  text,
  url,
  withDefault,
} from './settings.ts';

const what = 'a setting of this test';
const read = <T>(setting: Setting<T>, value?: string) => readSetting('V', setting, { V: value });
const postgres = url(['postgres', 'postgresql'], { what });
const items = list({ what }, { allowed: 'anything', parse: (each) => each });
const digit = integer({ what, default: 7, min: 1, max: 9 });

describe('reading the environment', () => {
  const failsWith = (read: () => unknown, ...parts: string[]) =>
    assert.throws(read, (error) => {
      assert.ok(error instanceof ConfigError);
      for (const part of parts) assert.ok(error.message.includes(part), `${error.message} lacks ${part}`);
      assert.ok(!error.message.includes('\n'), 'one line');
      return true;
    });

  test('an empty variable counts as unset', () => {
    assert.equal(read(text({ what, default: 'fallback' }), '  '), 'fallback');
    assert.equal(read(digit, ''), 7);
  });

  test('a wrong value is reported with the variable, the value and the allowed values', () => {
    const PORT = port({ what, default: 8080 });
    failsWith(() => readSettings({ PORT }, { PORT: '80a' }), 'PORT', '"80a"', '0 to 65535');
    failsWith(() => readSettings({ PORT }, { PORT: '70000' }), 'PORT', '"70000"', '65535');
    failsWith(() => read(PORT, '1e3'), '"1e3"');
    failsWith(
      () => read(oneOf(['info', 'warn'], { what, default: 'info' }), 'loud'),
      'V',
      '"loud"',
      'info, warn',
    );
    failsWith(() => read(flag({ what, default: 'false' }), 'yes'), '"yes"', 'true, false');
    failsWith(() => read(postgres, 'mysql://h/d'), 'V', 'mysql', 'postgres:');
    failsWith(() => read(hostPorts({ what }), 'kafka'), 'V', '"kafka"', 'host:port');
    failsWith(() => read(hostPorts({ what }), 'a:9092,,b:9092'), 'host:port');
  });

  test('no error shows a credential', () => {
    failsWith(() => read(postgres, 'http://me:hunter2@h/'), '…@h');
    for (const value of [
      'http://me:hunter2@h/',
      'postgres://me:hunter2/@h/',
      'http://me:@hunter2@h/',
      'http://me:?hunter2#@h/',
      'me:hunter2@h/d',
      'mysql://h/d?user=me&password=hunter2',
    ]) {
      assert.throws(
        () => read(postgres, value),
        (error: Error) => error instanceof ConfigError && !error.message.includes('hunter2'),
        value,
      );
    }
    failsWith(() => read(postgres, 'mysql://h/d?user=me'), 'mysql://h/d?user=…');
    assert.throws(
      () => read(hostPorts({ what }), 'a:9092,me:hunter2@b:9092'),
      (error: Error) => error instanceof ConfigError && !error.message.includes('hunter2'),
    );
    assert.throws(
      () => read(secret({ what }), 'short'),
      (error: Error) => !error.message.includes('short"') && error.message.includes('32 bytes'),
    );
  });

  test('a secret may have several values, one per line and none of them short', () => {
    const long = 'x'.repeat(32);
    assert.equal(read(secret({ what }), ` ${long}\n`), long);
    const both = `${long}\r\n  y${long}`;
    assert.equal(read(secret({ what }), both), both);
    failsWith(() => read(secret({ what }), `${long}\nshort`), 'V', '(hidden)', 'a line each');
  });

  test('lists and brokers are read', () => {
    assert.deepEqual(read(items, ' 10.0.0.0/8, ,fd00::/8 '), ['10.0.0.0/8', 'fd00::/8']);
    assert.deepEqual(read(hostPorts({ what }), 'a:9092, b:9092'), ['a:9092', 'b:9092']);
    assert.equal(read(hostPorts({ what })), undefined);
    assert.deepEqual(read(items), []);
  });

  test('a table gives typed values: required, with a default, or optional', () => {
    const table = { TEXT: text({ what }), DIGIT: digit, NEEDED: text({ what, isRequired: true }) };
    const values: { TEXT: string | undefined; DIGIT: number; NEEDED: string } = readSettings(table, {
      NEEDED: ' x ',
      OTHER: 'ignored',
    } satisfies Env);
    assert.deepEqual(values, { TEXT: undefined, DIGIT: 7, NEEDED: 'x' });
    failsWith(() => readSettings(table, {}), 'NEEDED is not set');
  });

  test('a setting can be required, optional, or have another default in another table', () => {
    failsWith(() => read(required(postgres)), 'V is not set', 'postgres:');
    assert.equal(read(optional(required(postgres))), undefined);
    assert.equal(read(withDefault(text({ what }), 'other')), 'other');
  });

  test('the error includes the reason of a custom parser', () => {
    const form = (value: string) => {
      throw new Error(`${value} is too old`);
    };
    failsWith(
      () => read(parsed({ what }, { allowed: 'a vintage', parse: form }), '1890'),
      'a vintage (1890 is too old)',
    );
  });
});
