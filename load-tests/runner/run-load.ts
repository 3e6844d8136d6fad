/** Runs everything from building k6 to the report. */
import { mkdir, mkdtempDisposable, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { asStartError } from '../../deploy/provision/explain-failure.ts';
import { reportedTask, reportTo } from '../../deploy/provision/progress.ts';
import { versions } from '../../deploy/provision/versions.ts';
import type { ProcessSeries } from '../analysis/resources.ts';
import { collectSamples, type Samples } from '../analysis/samples.ts';
import { noisyNeighbour } from '../profiles/noisy-neighbour.ts';
import type { LoadPlan } from '../profiles/plan.ts';
import type { Settings } from '../profiles/profile.ts';
import { dashboardFile, writeReport } from '../report/report-files.ts';
import { renderVerdict } from '../report/verdict.ts';
import { defaultReport, type LoadRun } from './command-line.ts';
import { ensureK6, runK6 } from './k6.ts';
import { sampleResources } from './resource-sampler.ts';
import { type K6Summary, makeResults } from './results.ts';
import { startStubServer } from './stub-server.ts';
import { isWatched, openTarget } from './target.ts';

const PROGRESS_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 15_000;

/** Throws StartError; rejects with the signal's reason. */
export async function runLoad(args: LoadRun, signal: AbortSignal) {
  const { profile, minutes, scale, floodTimes } = args;
  const report = reportTo(process.stderr);
  const k6 = await asStartError(() => ensureK6(reportedTask('k6', report, signal)));
  await using target = await openTarget(args.target, profile, { signal, report });
  await using stubServer = profile.hasStubServer === true ? await startStubServer(args.stubHost) : undefined;
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-load-'));
  const { baseUrl, sourceUrl, callers, rpc, limits } = target;
  const settings: Settings = { minutes, scale, floodTimes, withRpc: rpc !== undefined, limits };
  const summaryFile = join(folder.path, 'summary.json');
  const startedAt = new Date();
  const reportFile = args.report ?? defaultReport(profile.name, startedAt);
  const dashboard = dashboardFile(reportFile);
  await mkdir(dirname(reportFile), { recursive: true });
  await rm(dashboard, { force: true });
  const samples = collectSamples();
  const sampler = sampleResources(target.watched, LOOK_EVERY_MS);
  const progress = setInterval(() => report('k6', describe(samples)), PROGRESS_EVERY_MS);
  let resources: readonly ProcessSeries[];
  try {
    report('k6', `${profile.name} for ${minutes} min against ${target.description} …`);
    if (profile.startsAtSecond !== undefined)
      report('k6', `prepares, then waits for second ${profile.startsAtSecond} of a minute`);
    const plan: LoadPlan = {
      profile: profile.name,
      settings,
      baseUrl,
      sourceUrl,
      callers,
      rpc,
      summaryFile,
      stubServerUrl: stubServer?.url,
    };
    await runK6(k6, plan, { signal, onLine: samples.add, dashboard });
  } finally {
    clearInterval(progress);
    resources = await sampler.stop();
  }
  const results = makeResults({
    profile,
    settings,
    facts: {
      command: commandOf(args),
      startedAt,
      seconds: (Date.now() - startedAt.getTime()) / 1_000,
      target: target.description,
      k6: versions.k6,
      cores: availableParallelism(),
    },
    samples,
    summary: JSON.parse(await readFile(summaryFile, 'utf8')) as K6Summary,
    resources: isWatched(profile) ? resources : undefined,
    gateways: profile.verdict === 'limiter' ? target.countByGateway() : undefined,
  });
  const places = writeReport(results, reportFile).map((path) => relative(process.cwd(), path));
  return {
    text: `${renderVerdict(results)}\nReport: ${places.join(', ')}\n`,
    outcome: results.outcome,
  };
}

function describe({ requests, droppedIterations }: Samples): string {
  const failed = requests.filter(({ isExpected }) => !isExpected).length;
  return `${requests.length} answers, ${failed} of them failures, ${droppedIterations} arrivals dropped`;
}

function commandOf({ profile, minutes, scale, floodTimes, target }: LoadRun): string {
  const options = [
    `--minutes ${minutes}`,
    ...(scale === 1 ? [] : [`--scale ${scale}`]),
    ...(profile === noisyNeighbour ? [`--flood ${floodTimes}`] : []),
    ...(target.kind === 'own'
      ? [`--gateways ${target.gateways}`, `--splitters ${target.splitters}`]
      : [`--base-url ${target.baseUrl}`]),
  ];
  return `npm run load -- ${profile.name} ${options.join(' ')}`;
}
