/** Checks as much as is possible without Python; `npm run verify -- packages` regenerates all of the files. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { GENERATED } from './environment.ts';
import { digestLine, readDescription, renderWithoutPython } from './render.ts';

describe('the generated files of the Python client; if one differs, run `npm run generate -- python`', async () => {
  const description = await readDescription();
  const readGenerated = (name: string) => readFile(join(GENERATED, name), 'utf8');

  test('models.py is generated from this description', async () => {
    assert.equal((await readGenerated('models.py')).split('\n')[1], digestLine(description).trimEnd());
  });

  for (const [name, text] of renderWithoutPython(description)) {
    test(`${name} matches the description`, async () => assert.equal(await readGenerated(name), text));
  }
});
