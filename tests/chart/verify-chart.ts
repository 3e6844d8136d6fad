/**
 * `npm run verify -- chart`: checks everything about charts/audiosplit that needs no cluster. The required
 * programs are built the first time. With `--write` the chart's README is generated instead of compared.
 */
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '@audiosplit/chassis/errors';
import { type ChartTools, ensureChartTools } from '../../deploy/kubernetes/chart-tools.ts';
import { COMPONENTS } from '../../deploy/kubernetes/components.ts';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { flag } from '../../deploy/provision/options.ts';
import { reportedTask, reportTo, seconds } from '../../deploy/provision/progress.ts';
import { versions } from '../../deploy/provision/versions.ts';
import { command } from '../harness/command/command.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
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
/** For a release with production values. */
const TOOLS_POD = join(repositoryRoot, 'docs/examples/tools-pod.yaml');
/** Pages that state how many connections Postgres needs, and the values that they refer to. */
const CONNECTION_PAGES = ['sizing.md', 'scaling.md'].map((page) =>
  join(repositoryRoot, 'docs/operations', page),
);
const DOCUMENTED_CONNECTIONS: Readonly<Record<string, RegExp>> = {
  minimal: /^\| trial \|.* (\d+) connections \|$/m,
  keda: /^\| 10,000 jobs a day \|.* (\d+) connections \|$/m,
  production: / = (\d+), so$/m,
};
const RELEASE = ['test', CHART, '--namespace', 'audiosplit', '--kube-version', versions.kubernetes];
/** Examples use this name for the release. */
const RELEASE_OF_EXAMPLES = ['audiosplit', ...RELEASE.slice(1)];

const VERIFY = {
  command: 'npm run verify -- chart',
  options: { write: flag("generates the chart's README anew instead of comparing it") },
};
const execute = promisify(execFile);

/** The tools that every check needs. */
interface Checking {
  readonly tools: ChartTools;
  /** Resolves with the program's stdout; rejects with its complete output if it fails. */
  readonly run: (program: string, ...args: readonly string[]) => Promise<string>;
  /** One value for each document of the files, in order. */
  readonly readYaml: (...paths: readonly string[]) => Promise<readonly unknown[]>;
  /** A folder for rendered files. */
  readonly work: string;
}

await command(VERIFY, async ({ write }, signal) => {
  const task = reportedTask('chart', reportTo(process.stderr), signal);
  const tools = await ensureChartTools(task);
  const schemas = await ensureKubernetesSchemas(tools.helm, task);
  await using work = await temporaryFolder();
  const run: Checking['run'] = async (program, ...args) => {
    const running = execute(program, args, { signal, maxBuffer: 256 * 1024 * 1024 });
    const { stdout } = await running.catch(({ message, stdout, stderr }) => {
      throw new Error(`${stdout}${stderr}` || message);
    });
    return stdout;
  };
  const readYaml: Checking['readYaml'] = async (...paths) => {
    const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    return yamlToJson(tools.helm, texts.flatMap(documentsOf));
  };
  const faults: string[] = [];
  const check: Check = async (what, find) => {
    const startedMs = performance.now();
    const found = await find().catch((error: unknown) => [messageOf(error)]);
    signal.throwIfAborted();
    process.stdout.write(`${found.length === 0 ? 'ok    ' : 'FAILED'} ${what} (${seconds(startedMs)})\n`);
    if (found.length > 0) faults.push(`=== ${what}\n${found.join('\n').trimEnd()}\n`);
  };
  await testChart({ tools, run, readYaml, work: work.path }, check, schemas, write);
  return { report: faults.join('\n'), isFine: faults.length === 0 };
});

/** `find` resolves with a text for each fault, or rejects. */
type Check = (what: string, find: () => Promise<readonly string[]>) => Promise<void>;

async function testChart(checking: Checking, check: Check, schemas: string, write: boolean): Promise<void> {
  const { tools, run, readYaml, work } = checking;
  const accepts = async (program: string, ...args: readonly string[]) => {
    await run(program, ...args);
    return [];
  };
  const conforms = (...files: readonly string[]) =>
    accepts(tools.kubeconform, '-strict', '-summary', '-schema-location', schemas, ...files);
  const manifestsOf = new Map<string, readonly Manifest[]>();
  for (const file of globSync('ci/*-values.yaml', { cwd: CHART }).sort()) {
    const name = basename(file, '-values.yaml');
    const values = ['--values', join(CHART, file)];
    const rendered = join(work, `${name}.yaml`);
    await check(`${name}: helm lint`, () => accepts(tools.helm, 'lint', CHART, '--strict', ...values));
    await check(`${name}: helm template`, async () => {
      await writeFile(rendered, await run(tools.helm, 'template', ...RELEASE, ...values));
      return [];
    });
    await check(`${name}: schemas of Kubernetes ${versions.kubernetes} and of custom resources`, () =>
      conforms(rendered),
    );
    await check(`${name}: kube-linter`, () =>
      accepts(tools.kubeLinter, 'lint', '--config', join(import.meta.dirname, 'kube-linter.yaml'), rendered),
    );
    const manifests = (await readYaml(rendered)) as readonly Manifest[];
    manifestsOf.set(name, manifests);
    await check(`${name}: the environment of processes`, async () => [
      ...checkEnvironments(manifests),
      ...checkTools(manifests),
    ]);
    await check(`${name}: where pods may go`, async () => {
      const [given] = await readYaml(join(CHART, file));
      return checkEgress(manifests, given as PolicyValues);
    });
  }
  await check('examples', () => conforms(SECRETS_EXAMPLE, TOOLS_POD));
  await check('the Secrets of production', async () => {
    const examples = (await readYaml(SECRETS_EXAMPLE)) as readonly ExternalSecret[];
    return checkSecrets(manifestsOf.get('production') ?? [], examples);
  });
  await check("a pod for operators' commands beside production", () => checkToolsPod(checking));
  await check('connections of Postgres', () => compareConnections(manifestsOf));
  await check('unit tests', () => accepts(tools.unittest, CHART));
  await check('a unit test for every template and value', () => findUntested(checking));
  await check('README.md', () => compareReadme(checking, write));
}

async function checkToolsPod({ tools, run, readYaml, work }: Checking): Promise<readonly string[]> {
  const values = join(CHART, 'ci/production-values.yaml');
  const release = join(work, 'examples.yaml');
  await writeFile(release, await run(tools.helm, 'template', ...RELEASE_OF_EXAMPLES, '--values', values));
  const manifests = (await readYaml(release, TOOLS_POD)) as readonly Manifest[];
  const examples = (await readYaml(SECRETS_EXAMPLE)) as readonly ExternalSecret[];
  const [given] = await readYaml(values);
  return [
    ...checkTools(manifests),
    ...checkEgress(manifests, given as PolicyValues),
    ...checkSecrets(manifests, examples),
  ];
}

async function findUntested({ readYaml }: Checking): Promise<readonly string[]> {
  const files = ['values.yaml', ...globSync('tests/*_test.yaml', { cwd: CHART })];
  const [defaults, ...others] = await readYaml(...files.map((file) => join(CHART, file)));
  const suites = others as readonly Suite[];
  const readme = await readFile(join(CHART, 'README.md.gotmpl'), 'utf8');
  const keys = keysInTable(readme, '## Of one component alone');
  const templates = globSync('**/*.{yaml,txt,tpl}', { cwd: join(CHART, 'templates') }).sort();
  return [
    ...untestedTemplates(templates, suites),
    ...untestedValues(defaults as object, suites),
    ...untestedComponentKeys(keys, COMPONENTS, suites).map((key) => `<component>.${key}`),
  ];
}

async function compareConnections(
  manifestsOf: ReadonlyMap<string, readonly Manifest[]>,
): Promise<readonly string[]> {
  const pages = await Promise.all(CONNECTION_PAGES.map((path) => readFile(path, 'utf8')));
  return Object.entries(DOCUMENTED_CONNECTIONS).flatMap(([name, pattern]) => {
    const manifests = manifestsOf.get(name) ?? [];
    const needed = postgresConnections(manifests);
    const documented = Number(pattern.exec(pages.join('\n'))?.[1]);
    const taken = trialConnections(manifests) ?? needed;
    return [
      ...(documented === needed ? [] : [`${name} needs ${needed}, docs/operations says ${documented}`]),
      ...(taken >= needed ? [] : [`${name} needs ${needed}, its Postgres takes ${taken}`]),
    ];
  });
}

async function compareReadme({ tools, run }: Checking, write: boolean): Promise<readonly string[]> {
  const order = ['--sort-values-order', 'file'];
  const args = ['--chart-search-root', CHART, ...order, '--dry-run', '--log-level', 'warning'];
  const wanted = `${(await run(tools.helmDocs, ...args)).trim()}\n`;
  const path = join(CHART, 'README.md');
  if (write) await writeFile(path, wanted);
  const actual = await readFile(path, 'utf8').catch(() => '');
  return actual === wanted ? [] : ['it is not what its values say: npm run verify -- chart --write'];
}
