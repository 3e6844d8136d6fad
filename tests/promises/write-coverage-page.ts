// `npm run docs:coverage`

import { COVERAGE_PAGE, collectScenarios, renderCoverage } from '../acceptance/coverage.ts';
import { writeReport } from '../harness/command/report-file.ts';

writeReport(COVERAGE_PAGE, renderCoverage(await collectScenarios()));
