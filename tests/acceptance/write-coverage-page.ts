// `npm run generate -- coverage`: results/coverage.md
import { writeReport } from '../harness/command/report-file.ts';
import { COVERAGE_PAGE, collectScenarios, renderCoverage } from './coverage.ts';

writeReport(COVERAGE_PAGE, renderCoverage(await collectScenarios()));
