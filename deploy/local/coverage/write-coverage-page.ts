// `npm run docs:coverage`
import { writeFileSync } from 'node:fs';
import { COVERAGE_PAGE, collectScenarios, renderCoverage } from '../acceptance/coverage.ts';

writeFileSync(COVERAGE_PAGE, renderCoverage(await collectScenarios()));
