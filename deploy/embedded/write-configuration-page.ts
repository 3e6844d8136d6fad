/** `npm run generate -- configuration` */
import { writeFile } from 'node:fs/promises';
import { CONFIGURATION_PAGE, renderConfigurationPage } from './configuration-page.ts';

await writeFile(CONFIGURATION_PAGE, renderConfigurationPage());
