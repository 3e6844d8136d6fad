/** A start that cannot succeed: exit code 1 and one line that says what to change. */
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { before } from 'node:test';
import type { Env } from '@audiosplit/chassis/process/env';
import { removeDataDir, runProduct, temporaryFolder } from '../harness/product/product.ts';
import { scenario } from './scenario.ts';

const WRONG_VALUES: readonly (readonly [variable: string, value: string, allowed: RegExp])[] = [
  ['PORT', 'eighty', /0 to 65535/],
  ['PORT', '65536', /0 to 65535/],
  ['PORT', '-1', /0 to 65535/],
  ['HOST', '203.0.113.7', /127\.0\.0\.1/],
  ['EGRESS_ALLOW_CIDRS', '10.0.0.0', /10\.0\.0\.0\/8/],
  ['EGRESS_ALLOW_CIDRS', '10.0.0.0/33', /10\.0\.0\.0\/8/],
  ['DATABASE_URL', 'mysql://localhost/db', /postgres:/],
  ['REDIS_URL', 'http://localhost', /redis:/],
  ['KAFKA_BROKERS', 'localhost', /host:port/],
  ['STORAGE_URL', 'ftp://bucket', /s3:|file:/],
  ['SMTP_URL', 'http://localhost', /smtp:/],
  ['MAIL_FROM', 'nobody', /name@example\.com/],
  ['MAIL_DIR', 'mail', /absolute/],
  ['FFMPEG_PATH', '/nowhere/ffmpeg', /ffmpeg/],
  ['LOG_LEVEL', 'loud', /trace, debug, info, warn, error, silent/],
];

// The first start of a clone says as well what it builds.
before(() => runProduct({ PORT: 'eighty' }));

for (const [variable, value, allowed] of WRONG_VALUES) {
  scenario(`${variable}=${value} is refused by name, value and what is allowed`, {}, async () => {
    const dataDir = await temporaryFolder();
    try {
      const line = await refusedStart({ DATA_DIR: dataDir, [variable]: value });
      assert.ok(line.includes(variable), line);
      assert.ok(line.includes(value), line);
      assert.match(line, allowed);
    } finally {
      await removeDataDir(dataDir);
    }
  });
}

scenario('a folder that cannot be made is refused by name', {}, async () => {
  const folder = await temporaryFolder();
  try {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const line = await refusedStart({ DATA_DIR: join(file, 'data') });
    assert.ok(line.includes(`DATA_DIR ${join(file, 'data')}`), line);
    assert.match(line, /set DATA_DIR/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

scenario('a taken port is refused by name', {}, async () => {
  const dataDir = await temporaryFolder();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const line = await refusedStart({ DATA_DIR: dataDir, PORT: String(port) });
    assert.ok(line.includes(`PORT ${port}`), line);
    assert.match(line, /taken.*set PORT/);
  } finally {
    await new Promise((resolve) => server.close(resolve));
    await removeDataDir(dataDir);
  }
});

/** The one line, without its end. */
async function refusedStart(env: Env): Promise<string> {
  const { code, stdout, stderr } = await runProduct(env);
  const told = stderr.slice(0, 500);
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, told);
  const [line = '', ...others] = stderr.split('\n');
  assert.deepEqual(others, [''], `more than one line: ${told}`);
  assert.match(line, /^audiosplit: /);
  return line;
}
