import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConfigError, integer, list, oneOf, optionalHostPorts, optionalUrl, secret, text } from './env.ts';

describe('reading the environment', () => {
  const failsWith = (read: () => unknown, ...parts: string[]) =>
    assert.throws(read, (error) => {
      assert.ok(error instanceof ConfigError);
      for (const part of parts) assert.ok(error.message.includes(part), `${error.message} lacks ${part}`);
      assert.ok(!error.message.includes('\n'), 'one line');
      return true;
    });

  test('an empty variable counts as unset', () => {
    assert.equal(text({ A: '  ' }, 'A', 'fallback'), 'fallback');
    assert.equal(integer({ A: '' }, 'A', 7, 1, 9), 7);
  });

  test('a wrong value names the variable, the value and what is allowed', () => {
    failsWith(() => integer({ PORT: '80a' }, 'PORT', 8080, 0, 65_535), 'PORT', '"80a"', '0 to 65535');
    failsWith(() => integer({ PORT: '70000' }, 'PORT', 8080, 0, 65_535), 'PORT', '"70000"', '65535');
    failsWith(() => integer({ PORT: '1e3' }, 'PORT', 8080, 0, 65_535), '"1e3"');
    failsWith(() => oneOf({ L: 'loud' }, 'L', ['info', 'warn'], 'info'), 'L', '"loud"', 'info, warn');
    failsWith(
      () => optionalUrl({ U: 'mysql://h/d' }, 'U', ['postgres', 'postgresql']),
      'U',
      'mysql',
      'postgres:',
    );
    failsWith(() => optionalHostPorts({ K: 'kafka' }, 'K'), 'K', '"kafka"', 'host:port');
  });

  test('no error shows a credential', () => {
    failsWith(() => optionalUrl({ U: 'http://me:hunter2@h/' }, 'U', ['postgres']), '…@h');
    for (const value of [
      'http://me:hunter2@h/',
      'postgres://me:hunter2/@h/',
      'http://me:@hunter2@h/',
      'http://me:?hunter2#@h/',
      'me:hunter2@h/d',
      'mysql://h/d?user=me&password=hunter2',
    ]) {
      assert.throws(
        () => optionalUrl({ U: value }, 'U', ['postgres']),
        (error: Error) => error instanceof ConfigError && !error.message.includes('hunter2'),
        value,
      );
    }
    failsWith(() => optionalUrl({ U: 'mysql://h/d?user=me' }, 'U', ['postgres']), 'mysql://h/d?user=…');
    assert.throws(
      () => optionalHostPorts({ K: 'a:9092,me:hunter2@b:9092' }, 'K'),
      (error: Error) => error instanceof ConfigError && !error.message.includes('hunter2'),
    );
    assert.throws(
      () => secret({ S: 'short' }, 'S', 32),
      (error: Error) => !error.message.includes('short"') && error.message.includes('32 bytes'),
    );
  });

  test('a secret may have several values, a line each and none of them short', () => {
    const long = 'x'.repeat(32);
    assert.equal(secret({ S: ` ${long}\n` }, 'S', 32), long);
    const both = `${long}\r\n  y${long}`;
    assert.equal(secret({ S: both }, 'S', 32), both);
    failsWith(() => secret({ S: `${long}\nshort` }, 'S', 32), 'S', '(hidden)', 'a line each');
  });

  test('lists and brokers', () => {
    assert.deepEqual(list({ C: ' 10.0.0.0/8, ,fd00::/8 ' }, 'C'), ['10.0.0.0/8', 'fd00::/8']);
    assert.deepEqual(optionalHostPorts({ K: 'a:9092, b:9092' }, 'K'), ['a:9092', 'b:9092']);
    assert.equal(optionalHostPorts({}, 'K'), undefined);
  });
});
