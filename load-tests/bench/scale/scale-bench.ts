/**
 * `npm run bench -- scale [--minutes 40 --rounds 3]`: runs one long conversion on one splitter and on two,
 * each pinned to its own core, through the whole product. Then it extrapolates to up to 64 splitters with a
 * model that uses the measured costs.
 *
 * Rounds are interleaved, and the median counts. The source's server, the other processes and the engines use
 * the same cores. FFMPEG_PATH chooses the encoder.
 */
import { availableParallelism } from 'node:os';
import { formatTable, verdictOf } from '@audiosplit/chassis/testing/bench-table';
import { median } from '@audiosplit/chassis/testing/latency';
import { whole } from '../../../deploy/provision/options.ts';
import { command } from '../../../tests/harness/command/command.ts';
import { pinkNoise } from '../../../tests/harness/servers/noise.ts';
import { startSources } from '../../../tests/harness/servers/sources.ts';
import { runScaleJob, type ScaleRun } from './scale-installation.ts';
import { fitPartCosts, simulateJob } from './scale-model.ts';

const GOAL = 1.8;
const SEGMENT_SECONDS = 30;
const MODELLED_WORKERS = [1, 2, 4, 8, 16, 32, 64];
const MODELLED_HOURS = [1, 3, 10];
/** A gigabit minus protocol overhead; shared by all splitters. */
const STORE_BYTES_PER_SECOND = 110e6;
/** The time of an offer through outbox, relay, bus and claim. */
const OFFER_SECONDS = 0.05;
const OFFERS_AT_ONCE = 5;
/** Shorter sources are not divided. */
const LEAST_MINUTES = 30;
const SOURCE = 'talk.mp3';

const CASES = {
  whole: { name: '1 splitter, whole', workers: 1, inParts: false },
  inParts: { name: '1 splitter, in parts', workers: 1, inParts: true },
  onTwo: { name: '2 splitters, in parts', workers: 2, inParts: true },
} as const;

type Runs = Readonly<Record<keyof typeof CASES, ScaleRun[]>>;

await command(
  {
    command: 'npm run bench -- scale',
    options: {
      minutes: whole({ least: LEAST_MINUTES, most: 600 }, 40, 'length of the source'),
      rounds: whole({ least: 1, most: 100 }, 3, 'runs of each case'),
    },
  },
  async ({ minutes, rounds }) => {
    if (availableParallelism() < 2) throw new Error('two splitters need two cores');
    const sourceSeconds = minutes * 60 + 10;
    const source = await pinkNoise(sourceSeconds);
    await using sources = await startSources({ files: { [SOURCE]: source } });
    const runs: Runs = { whole: [], inParts: [], onTwo: [] };
    for (let round = 1; round <= rounds; round++) {
      for (const key of Object.keys(CASES) as (keyof Runs)[]) {
        const { name, ...job } = CASES[key];
        const run = await runScaleJob({
          ...job,
          sourceUrl: sources.url(SOURCE),
          segmentSeconds: SEGMENT_SECONDS,
        });
        runs[key].push(run);
        process.stderr.write(`round ${round}: ${name}: ${run.seconds.toFixed(1)} s\n`);
      }
    }
    const head = `mp3 128k to m4a, ${minutes} minutes in segments of ${SEGMENT_SECONDS} s, ${rounds} rounds`;
    return {
      report: `${[head, measuredTable(runs), ...modelled(runs.inParts, sourceSeconds, source.length)].join('\n\n')}\n`,
      isFine: speedUp(runs, 'onTwo') >= GOAL,
    };
  },
);

function measuredTable(runs: Runs): string {
  return formatTable(
    ['', 'seconds', 'speed-up', 'goal'],
    (Object.keys(CASES) as (keyof Runs)[]).map((key) => {
      const goal = key === 'onTwo' ? `${GOAL}: ${verdictOf(speedUp(runs, key) >= GOAL)}` : '';
      return [CASES[key].name, medianSeconds(runs[key]).toFixed(1), speedUp(runs, key).toFixed(2), goal];
    }),
  );
}

function speedUp(runs: Runs, key: keyof Runs): number {
  return medianSeconds(runs.inParts) / medianSeconds(runs[key]);
}

function medianSeconds(runs: readonly ScaleRun[]): number {
  return median(runs.map(({ seconds }) => seconds));
}

function modelled(runs: readonly ScaleRun[], sourceSeconds: number, sourceBytes: number): string[] {
  const parts = runs.flatMap((run) => run.parts);
  const fullSegments = Math.max(...parts.map(({ segments }) => segments));
  const partSeconds = fullSegments * SEGMENT_SECONDS;
  const lastSegmentSeconds = sourceSeconds % SEGMENT_SECONDS;
  const costs = {
    ...fitPartCosts(
      parts.map(({ segments, tookSeconds }) => ({
        soundSeconds:
          segments < fullSegments ? (segments - 1) * SEGMENT_SECONDS + lastSegmentSeconds : partSeconds,
        tookSeconds,
      })),
    ),
    preparingPerSecond: median(runs.map(({ preparingSeconds = 0 }) => preparingSeconds)) / sourceSeconds,
    offerSeconds: OFFER_SECONDS,
  };
  const secondsOf = (workers: number, hours: number) =>
    simulateJob(workers, costs, {
      soundSeconds: hours * 3_600,
      partSeconds,
      sourceBytesPerSecond: sourceBytes / sourceSeconds,
      storeBytesPerSecond: STORE_BYTES_PER_SECOND,
      offersAtOnce: OFFERS_AT_ONCE,
    });
  const rows = MODELLED_WORKERS.map((workers) => [
    String(workers),
    ...MODELLED_HOURS.map((hours) => {
      const seconds = secondsOf(workers, hours);
      return `${seconds.toFixed(1)} (${(secondsOf(1, hours) / seconds).toFixed(1)})`;
    }),
  ]);
  return [
    `Modelled from: preparing ${(costs.preparingPerSecond * 3600).toFixed(2)} s an hour, a part ${costs.partOverheadSeconds.toFixed(2)} s and ${(costs.partPerSecond * 3600).toFixed(1)} s an hour, parts of ${partSeconds} s, an offer ${OFFER_SECONDS} s, a store of ${STORE_BYTES_PER_SECOND / 1e6} MB/s for all together`,
    formatTable(
      ['splitters of one core', ...MODELLED_HOURS.map((hours) => `${hours} h: seconds (speed-up)`)],
      rows,
    ),
  ];
}
