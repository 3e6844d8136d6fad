/** `npm run generate -- metrics` */
import { writeFile } from 'node:fs/promises';
import { METRICS_PAGE, renderMetricsPage } from './metrics-page.ts';

await writeFile(METRICS_PAGE, renderMetricsPage());
