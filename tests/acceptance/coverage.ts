/**
 * results/coverage.md: which test shows which promise of the interface and the decisions, and which acceptance test shows
 * which endpoint.
 */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { findNamedTests } from '../promises/named-tests.ts';
import { SECTIONS } from '../promises/promises.ts';
import { renderPromises } from '../promises/promises-page.ts';
import { ENDPOINTS, type Endpoint } from './endpoints.ts';
import { collectWhile, type Scenario } from './scenario.ts';

export const COVERAGE_PAGE = join(repositoryRoot, 'results/coverage.md');

export interface LocatedScenario extends Scenario {
  /** Name of its file. */
  readonly file: string;
}

/** Loads every acceptance file without running anything; works once per process, as modules load once. */
export async function collectScenarios(): Promise<readonly LocatedScenario[]> {
  const files = globSync('*.acceptance.ts', { cwd: import.meta.dirname }).sort();
  const located: LocatedScenario[] = [];
  for (const file of files) {
    const url = pathToFileURL(join(import.meta.dirname, file)).href;
    const scenarios = await collectWhile(() => import(url));
    located.push(...scenarios.map((scenario) => ({ ...scenario, file })));
  }
  return located;
}

export function renderCoverage(scenarios: readonly LocatedScenario[]): string {
  const sections = ENDPOINTS.map((endpoint, position) => renderEndpoint(endpoint, position + 1, scenarios));
  const others = scenarios.filter(
    ({ covers, showsUnbuilt }) => covers === undefined && showsUnbuilt === undefined,
  );
  return `# What is promised, and the test that shows it

Written by \`npm run generate -- coverage\`. \`npm test\` fails when a promise is named by no test, and when a test names one that
does not exist. The promises stand in [tests/promises](../tests/promises), an id
for each sentence, row, bound and transition that binds: \`I-…\` those of the interface, \`D-…\` those of the decisions
where it leaves something open. A test names what it shows in its title or in a comment above it. \`npm test\` runs them
all but for \`*.acceptance.ts\` (\`npm run verify -- acceptance\`) and \`*.engine.test.ts\` (\`npm run verify -- engines\`).

${renderPromises(SECTIONS, findNamedTests(repositoryRoot))}
# The endpoints, seen from outside

What the acceptance tests show on a clean clone, through processes, HTTP and files alone.

${sections.join('\n')}
## Beyond single endpoints

${others.map(line).join('\n')}
`;
}

/** Endpoints that no scenario says anything about. */
export function untoldEndpoints(scenarios: readonly Scenario[]): readonly Endpoint[] {
  return ENDPOINTS.filter(
    (endpoint) => !scenarios.some((each) => covers(each, endpoint) || unbuilt(each, endpoint)),
  );
}

const covers = (scenario: Scenario, endpoint: Endpoint) => scenario.covers?.includes(endpoint) === true;
const unbuilt = (scenario: Scenario, endpoint: Endpoint) =>
  scenario.showsUnbuilt?.includes(endpoint) === true;

function renderEndpoint(endpoint: Endpoint, number: number, scenarios: readonly LocatedScenario[]): string {
  const shown = scenarios.filter((each) => covers(each, endpoint));
  const refused = scenarios.filter((each) => unbuilt(each, endpoint));
  const state = shown.length > 0 ? '' : ' — not built, answers 501';
  return `## ${number}. ${endpoint}${state}\n\n${[...shown, ...refused].map(line).join('\n')}\n`;
}

function line({ name, file }: LocatedScenario): string {
  return `- ${name} ([${basename(file, '.acceptance.ts')}](../tests/acceptance/${file}))`;
}
