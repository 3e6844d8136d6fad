/** `npm run generate -- client`: makes the client's src/generated anew from the gateway's own description. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GENERATED, readDescription, renderClient } from './render-client.ts';

for (const [name, text] of await renderClient(await readDescription())) {
  await writeFile(join(GENERATED, name), text);
}
