/**
 * `npm run test:chart`: everything about charts/audiosplit that can be known without a cluster. What it takes is built the
 * first time. With `--write` the chart's README is generated anew instead of compared.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { explainFailure } from '../engines/explain-failure.ts';
import { Interrupted, onInterruption } from '../engines/interruption.ts';
import { reportedTask, reportTo, seconds } from '../engines/progress.ts';
import { repositoryRoot } from '../local/install.mjs';
import { checkEnvironments, type Manifest } from './chart-environment.ts';
import { type ChartTools, ensureChartTools } from './chart-tools.ts';
import { type Suite, untestedValues } from './chart-values.ts';
import { ensureKubernetesSchemas, KUBERNETES_VERSION } from './kubernetes-schemas.ts';
import { documentsOf, yamlToJson } from './yaml-to-json.ts';

const CHART = join(repositoryRoot, 'charts/audiosplit');
const EXAMPLES = ['docs/examples/external-secrets.yaml'];
const RELEASE = ['test', CHART, '--namespace', 'audiosplit', '--kube-version', KUBERNETES_VERSION];

const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
const work = await mkdtemp(join(tmpdir(), 'audiosplit-chart-'));
try {
  const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
  const task = reportedTask('chart', reportTo(process.stderr), interruption.signal);
  const tools = await ensureChartTools(task);
  const schemas = await ensureKubernetesSchemas(tools.helm, task);
  const faults = await testChart(tools, schemas, values.write);
  for (const fault of faults) process.stderr.write(`\n${fault.trimEnd()}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
} finally {
  await rm(work, { recursive: true, force: true });
}

/** Resolves with a text per fault. */
async function testChart(tools: ChartTools, schemas: string, write: boolean): Promise<readonly string[]> {
  const kubeconform = ['-strict', '-summary', '-schema-location', schemas];
  const faults: string[] = [];
  const check = async (what: string, find: () => Promise<string | undefined>) => {
    const startedMs = performance.now();
    const fault = await find();
    process.stdout.write(`${fault === undefined ? 'ok    ' : 'FAILED'} ${what} (${seconds(startedMs)})\n`);
    if (fault !== undefined) faults.push(`=== ${what}\n${fault}`);
  };

  for (const file of globSync('ci/*-values.yaml', { cwd: CHART }).sort()) {
    const name = basename(file, '-values.yaml');
    const values = ['--values', join(CHART, file)];
    const rendered = join(work, `${name}.yaml`);
    await check(`${name}: helm lint`, () => run(tools.helm, ['lint', CHART, '--strict', ...values]));
    await check(`${name}: helm template`, async () => {
      const result = await output(tools.helm, ['template', ...RELEASE, ...values]);
      await writeFile(rendered, result.stdout);
      return faultOf(result);
    });
    await check(`${name}: schemas of Kubernetes ${KUBERNETES_VERSION} and of custom resources`, () =>
      run(tools.kubeconform, [...kubeconform, rendered]),
    );
    await check(`${name}: kube-linter`, () =>
      run(tools.kubeLinter, ['lint', '--config', join(import.meta.dirname, 'kube-linter.yaml'), rendered]),
    );
    await check(`${name}: what processes are told`, async () => {
      const documents = documentsOf(await readFile(rendered, 'utf8'));
      const found = checkEnvironments((await yamlToJson(tools.helm, documents)) as readonly Manifest[]);
      return found.length === 0 ? undefined : found.join('\n');
    });
  }
  await check('examples', () =>
    run(tools.kubeconform, [...kubeconform, ...EXAMPLES.map((path) => join(repositoryRoot, path))]),
  );
  await check('unit tests', () => run(tools.unittest, [CHART]));
  await check('a unit test for every value', () => findUntestedValues(tools.helm));
  await check('README.md', () => compareReadme(tools.helmDocs, write));
  return faults;
}

async function findUntestedValues(helm: string): Promise<string | undefined> {
  const readDocuments = async (file: string) => documentsOf(await readFile(join(CHART, file), 'utf8'));
  const suites = await Promise.all(globSync('tests/*_test.yaml', { cwd: CHART }).map(readDocuments));
  const [defaults, ...others] = await yamlToJson(helm, [
    ...(await readDocuments('values.yaml')),
    ...suites.flat(),
  ]);
  const untested = untestedValues(defaults as object, others as readonly Suite[]);
  return untested.length === 0 ? undefined : untested.join('\n');
}

async function compareReadme(helmDocs: string, write: boolean): Promise<string | undefined> {
  const result = await output(helmDocs, [
    '--chart-search-root',
    CHART,
    '--sort-values-order',
    'file',
    '--dry-run',
    '--log-level',
    'warning',
  ]);
  if (result.exitCode !== 0) return faultOf(result);
  const path = join(CHART, 'README.md');
  const wanted = `${result.stdout.trim()}\n`;
  if (write) {
    await writeFile(path, wanted);
    return undefined;
  }
  const actual = await readFile(path, 'utf8').catch(() => '');
  return actual === wanted ? undefined : 'it is not what its values say: npm run test:chart -- --write';
}

interface Output {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function output(command: string, args: readonly string[]): Promise<Output> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], signal: interruption.signal });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { exitCode, stdout, stderr };
}

/** Undefined where the program is content, else what it said. */
async function run(command: string, args: readonly string[]): Promise<string | undefined> {
  return faultOf(await output(command, args));
}

function faultOf({ exitCode, stdout, stderr }: Output): string | undefined {
  return exitCode === 0 ? undefined : `${stdout}${stderr}`;
}
