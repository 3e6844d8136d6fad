// `npm run generate -- coverage`

import { COVERAGE_PAGE, collectScenarios, renderCoverage } from '../acceptance/coverage.ts';
import { writeReport } from '../harness/report-file.ts';

writeReport(COVERAGE_PAGE, renderCoverage(await collectScenarios()));
