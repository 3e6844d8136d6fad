import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { GENERATED, readDescription, renderClient } from './render-client.ts';

describe('the generated files', async () => {
  const description = await readDescription();
  for (const [name, text] of await renderClient(description)) {
    test(`${name} matches the description; otherwise run \`npm run generate -- client\``, async () => {
      const checkedIn = (await readFile(join(GENERATED, name), 'utf8')).split('\n');
      // Printing the whole files would hide the difference.
      const differing = text.split('\n').findIndex((line, index) => line !== checkedIn[index]);
      const found = differing < 0 ? checkedIn.length : differing;
      assert.deepEqual(checkedIn.slice(found, found + 3), text.split('\n').slice(found, found + 3));
      assert.equal(checkedIn.length, text.split('\n').length);
    });
  }
});
