/**
 * `npm run verify -- chart`: everything about charts/audiosplit that can be known without a cluster. What it takes is built the
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
import { type ChartTools, ensureChartTools } from '../../deploy/kubernetes/chart-tools.ts';
import { COMPONENTS } from '../../deploy/kubernetes/components.ts';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { explainFailure } from '../../deploy/provision/explain-failure.ts';
import { Interrupted, onInterruption } from '../../deploy/provision/interruption.ts';
import { reportedTask, reportTo, seconds } from '../../deploy/provision/progress.ts';
import { versions } from '../../deploy/provision/versions.ts';
import { postgresConnections, trialConnections } from './chart-connections.ts';
import { checkEgress, type PolicyValues } from './chart-egress.ts';
import { checkEnvironments } from './chart-environment.ts';
import type { Manifest } from './chart-manifests.ts';
import { checkTools } from './chart-operations.ts';
import { checkSecrets, type ExternalSecret } from './chart-secrets.ts';
import {
  keysInTable,
  type Suite,
  untestedComponentKeys,
  untestedTemplates,
  untestedValues,
} from './chart-values.ts';
import { ensureKubernetesSchemas } from './kubernetes-schemas.ts';
import { documentsOf, yamlToJson } from './yaml-to-json.ts';

const CHART = join(repositoryRoot, 'charts/audiosplit');
const SECRETS_EXAMPLE = join(repositoryRoot, 'docs/examples/external-secrets.yaml');
/** Beside a release with the values of production. */
const TOOLS_POD = join(repositoryRoot, 'docs/examples/tools-pod.yaml');
/** Pages that say how many connections Postgres needs, and where, by the values that they are about. */
const CONNECTION_PAGES = ['sizing.md', 'scaling.md'].map((page) =>
  join(repositoryRoot, 'docs/operations', page),
);
const DOCUMENTED_CONNECTIONS: Readonly<Record<string, RegExp>> = {
  minimal: /^\| trial \|.* (\d+) connections \|$/m,
  keda: /^\| 10,000 jobs a day \|.* (\d+) connections \|$/m,
  production: / = (\d+), so$/m,
};
const RELEASE = ['test', CHART, '--namespace', 'audiosplit', '--kube-version', versions.kubernetes];
/** By the name that examples take for that of the release. */
const RELEASE_OF_EXAMPLES = ['audiosplit', ...RELEASE.slice(1)];

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

  const manifestsOf = new Map<string, readonly Manifest[]>();
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
    await check(`${name}: schemas of Kubernetes ${versions.kubernetes} and of custom resources`, () =>
      run(tools.kubeconform, [...kubeconform, rendered]),
    );
    await check(`${name}: kube-linter`, () =>
      run(tools.kubeLinter, ['lint', '--config', join(import.meta.dirname, 'kube-linter.yaml'), rendered]),
    );
    const manifests = (await readYaml(tools.helm, rendered)) as readonly Manifest[];
    manifestsOf.set(name, manifests);
    await check(`${name}: what processes are told`, async () =>
      linesOf([...checkEnvironments(manifests), ...checkTools(manifests)]),
    );
    await check(`${name}: where pods may go`, async () => {
      const [given] = await readYaml(tools.helm, join(CHART, file));
      return linesOf(checkEgress(manifests, given as PolicyValues));
    });
  }
  await check('examples', () => run(tools.kubeconform, [...kubeconform, SECRETS_EXAMPLE, TOOLS_POD]));
  await check('the Secrets of production', async () => {
    const examples = (await readYaml(tools.helm, SECRETS_EXAMPLE)) as readonly ExternalSecret[];
    return linesOf(checkSecrets(manifestsOf.get('production') ?? [], examples));
  });
  await check("a pod for operators' commands beside production", () => checkToolsPod(tools.helm));
  await check('connections of Postgres', () => compareConnections(manifestsOf));
  await check('unit tests', () => run(tools.unittest, [CHART]));
  await check('a unit test for every template and value', () => findUntested(tools.helm));
  await check('README.md', () => compareReadme(tools.helmDocs, write));
  return faults;
}

async function checkToolsPod(helm: string): Promise<string | undefined> {
  const values = join(CHART, 'ci/production-values.yaml');
  const release = join(work, 'examples.yaml');
  const rendered = await output(helm, ['template', ...RELEASE_OF_EXAMPLES, '--values', values]);
  if (rendered.exitCode !== 0) return faultOf(rendered);
  await writeFile(release, rendered.stdout);
  const manifests = (await readYaml(helm, release, TOOLS_POD)) as readonly Manifest[];
  const examples = (await readYaml(helm, SECRETS_EXAMPLE)) as readonly ExternalSecret[];
  const [given] = await readYaml(helm, values);
  return linesOf([
    ...checkTools(manifests),
    ...checkEgress(manifests, given as PolicyValues),
    ...checkSecrets(manifests, examples),
  ]);
}

/** One value for each document of the files, in order. */
async function readYaml(helm: string, ...paths: readonly string[]): Promise<readonly unknown[]> {
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  return yamlToJson(helm, texts.flatMap(documentsOf));
}

async function findUntested(helm: string): Promise<string | undefined> {
  const files = ['values.yaml', ...globSync('tests/*_test.yaml', { cwd: CHART })];
  const [defaults, ...others] = await readYaml(helm, ...files.map((file) => join(CHART, file)));
  const suites = others as readonly Suite[];
  const readme = await readFile(join(CHART, 'README.md.gotmpl'), 'utf8');
  const keys = keysInTable(readme, '## Of one component alone');
  const templates = globSync('**/*.{yaml,txt,tpl}', { cwd: join(CHART, 'templates') }).sort();
  return linesOf([
    ...untestedTemplates(templates, suites),
    ...untestedValues(defaults as object, suites),
    ...untestedComponentKeys(keys, COMPONENTS, suites).map((key) => `<component>.${key}`),
  ]);
}

async function compareConnections(
  manifestsOf: ReadonlyMap<string, readonly Manifest[]>,
): Promise<string | undefined> {
  const pages = await Promise.all(CONNECTION_PAGES.map((path) => readFile(path, 'utf8')));
  const faults = Object.entries(DOCUMENTED_CONNECTIONS).flatMap(([name, pattern]) => {
    const manifests = manifestsOf.get(name) ?? [];
    const needed = postgresConnections(manifests);
    const documented = Number(pattern.exec(pages.join('\n'))?.[1]);
    const taken = trialConnections(manifests) ?? needed;
    return [
      ...(documented === needed ? [] : [`${name} needs ${needed}, docs/operations says ${documented}`]),
      ...(taken >= needed ? [] : [`${name} needs ${needed}, its Postgres takes ${taken}`]),
    ];
  });
  return linesOf(faults);
}

function linesOf(faults: readonly string[]): string | undefined {
  return faults.length === 0 ? undefined : faults.join('\n');
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
  return actual === wanted ? undefined : 'it is not what its values say: npm run verify -- chart --write';
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
