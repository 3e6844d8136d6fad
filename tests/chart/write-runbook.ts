/** `npm run generate -- runbook` */
import { writeFile } from 'node:fs/promises';
import { RUNBOOK_PAGE, renderRunbook } from './runbook-page.ts';

await writeFile(RUNBOOK_PAGE, renderRunbook());
