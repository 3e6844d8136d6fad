/** `npm run generate -- errors` */
import { writeFile } from 'node:fs/promises';
import { ERRORS_PAGE, renderErrorsPage } from './errors-page.ts';

await writeFile(ERRORS_PAGE, renderErrorsPage());
