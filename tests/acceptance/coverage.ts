/** results/coverage.md: which acceptance tests cover each endpoint. */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { ENDPOINTS, type Endpoint } from '../harness/endpoints.ts';
import { collectWhile, type Scenario } from './scenario.ts';

export const COVERAGE_PAGE = join(repositoryRoot, 'results/coverage.md');

export interface LocatedScenario extends Scenario {
  /** Name of its file. */
  readonly file: string;
}

/**
 * Loads every acceptance file without running anything. Works once per process, because modules load only
 * once.
 */
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
  const others = scenarios.filter(({ covers }) => covers === undefined);
  return `# The endpoints, seen from outside

Written by \`npm run generate -- coverage\`: what the acceptance tests show on a clean clone, through processes, HTTP and
files alone.

${sections.join('\n')}
## Beyond single endpoints

${others.map(line).join('\n')}
`;
}

/** The endpoints that no scenario covers. */
export function uncoveredEndpoints(scenarios: readonly Scenario[]): readonly Endpoint[] {
  return ENDPOINTS.filter((endpoint) => !scenarios.some(({ covers }) => covers?.includes(endpoint)));
}

function renderEndpoint(endpoint: Endpoint, number: number, scenarios: readonly LocatedScenario[]): string {
  const shown = scenarios.filter(({ covers }) => covers?.includes(endpoint));
  return `## ${number}. ${endpoint}\n\n${shown.map(line).join('\n')}\n`;
}

function line({ name, file }: LocatedScenario): string {
  return `- ${name} ([${basename(file, '.acceptance.ts')}](../tests/acceptance/${file}))`;
}
