// `npm run docs:coverage`
import { writeReport } from '../../chaos/report-file.ts';
import { COVERAGE_PAGE, collectScenarios, renderCoverage } from '../acceptance/coverage.ts';

writeReport(COVERAGE_PAGE, renderCoverage(await collectScenarios()));
