import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSecretFiles } from '@audiosplit/chassis/process/secret-files';
import { SETTINGS as SETTINGS_OF_COMMANDS } from '../../deploy/operations/settings.ts';
import { OWN_SETTINGS_OF, settingsOf } from '../harness/settings.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

/** Engine addresses contain passwords. */
const NAME_OF_SECRET = /SECRET|PASSWORD$|CREDENTIALS|TOKEN|_KEYS?(_|$)|^(DATABASE|REDIS|SMTP)_URL$/;
/** It is sent to browsers. */
const PUBLIC = 'STRIPE_PUBLISHABLE_KEY';

test('every secret of every process can be given in a file', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'secret');
  await writeFile(path, 'value\n');
  for (const table of [...Object.keys(OWN_SETTINGS_OF).map(settingsOf), SETTINGS_OF_COMMANDS]) {
    const secrets = Object.keys(table).filter((name) => NAME_OF_SECRET.test(name) && name !== PUBLIC);
    assert.ok(secrets.length > 0);
    for (const name of secrets) {
      const env: NodeJS.ProcessEnv = { [`${name}_FILE`]: path };
      loadSecretFiles(env, table);
      assert.deepEqual(env, { [name]: 'value' });
    }
  }
});
