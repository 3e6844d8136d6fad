// `npm run generate -- coverage`: results/promises.md
import { join } from 'node:path';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { writeReport } from '../harness/command/report-file.ts';
import { findNamedTests } from './named-tests.ts';
import { SECTIONS } from './promises.ts';
import { renderPromises } from './promises-page.ts';

writeReport(
  join(repositoryRoot, 'results/promises.md'),
  renderPromises(SECTIONS, findNamedTests(repositoryRoot)),
);
