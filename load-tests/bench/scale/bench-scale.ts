/**
 * `npm run bench -- scale [--minutes 40 --rounds 3]`: one long conversion on one splitter and on two, each held to a core
 * of its own, through the real jobs service and its Postgres. Then, by a model with the costs measured, on up to 64.
 *
 * Rounds are interleaved, and the median counts. What the source's server, the jobs service and Postgres take comes out of
 * the same cores. FFMPEG_PATH chooses the encoder.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { formatTable } from '@audiosplit/chassis/testing/bench-table';
import { median } from '@audiosplit/chassis/testing/latency';
import { OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { resolveFfmpegPath } from '@audiosplit/splitter/media/ffmpeg/binary';
import { DIVISION, partSecondsOf } from '@audiosplit/splitter/media/parts/plan-parts';
import { type ScaleRun, serveSource, startScaleInstallation } from './scale-installation.ts';
import { fitPartCosts, simulateJob } from './scale-model.ts';

const GOAL = 1.8;
const SEGMENT_SECONDS = 30;
const MODELLED_WORKERS = [1, 2, 4, 8, 16, 32, 64];
const MODELLED_HOURS = [1, 3, 10];
/** A gigabit, less what protocols take; shared by all who work. */
const STORE_BYTES_PER_SECOND = 110e6;
/** An offer's way: outbox, relay, bus, claim. */
const OFFER_SECONDS = 0.05;
const OFFERS_AT_ONCE = 5;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '40' }, rounds: { type: 'string', default: '3' } },
});
const minutes = Number(values.minutes);
const rounds = Number(values.rounds);
if (!(minutes >= 30 && rounds >= 1))
  throw new RangeError('--minutes from 30 on, as shorter sources stay whole; --rounds from 1 on');
if (availableParallelism() < 2) throw new Error('two splitters need two cores');

const CASES = [
  { name: '1 splitter, whole', workers: 1, inParts: false },
  { name: '1 splitter, in parts', workers: 1, inParts: true },
  { name: '2 splitters, in parts', workers: 2, inParts: true },
] as const;

const folder = await mkdtemp(join(tmpdir(), 'audiosplit-scale-'));
try {
  const path = join(folder, 'talk.mp3');
  const sourceSeconds = minutes * 60 + 10;
  await makeSource(path, sourceSeconds);
  const { size: sourceBytes } = await stat(path);
  await using source = await serveSource(path);
  await using installation = await startScaleInstallation(folder, process.env.FFMPEG_PATH);
  const runs = new Map<string, ScaleRun[]>(CASES.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const { name, workers, inParts } of CASES) {
      const run = await installation.run({
        sourceUrl: source.url,
        segmentSeconds: SEGMENT_SECONDS,
        outputFormat: OutputFormat.AAC,
        workers,
        inParts,
      });
      runs.get(name)?.push(run);
      process.stderr.write(`round ${round}: ${name}: ${run.seconds.toFixed(1)} s\n`);
    }
  }

  const medianOf = (name: string) => median((runs.get(name) ?? []).map(({ seconds }) => seconds));
  const one = medianOf(CASES[1].name);
  process.stdout.write(
    `\nmp3 128k to m4a, ${minutes} minutes in segments of ${SEGMENT_SECONDS} s, ${rounds} rounds\n\n`,
  );
  process.stdout.write(
    `${formatTable(
      ['', 'seconds', 'speed-up', 'goal'],
      CASES.map(({ name, workers }) => {
        const seconds = medianOf(name);
        const goal = workers === 2 ? `${GOAL}: ${one / seconds >= GOAL ? 'met' : 'not met'}` : '';
        return [name, seconds.toFixed(1), (one / seconds).toFixed(2), goal];
      }),
    )}\n`,
  );

  const measured = (runs.get(CASES[1].name) ?? []).flatMap((run) => run.parts);
  const lastSegmentSeconds = sourceSeconds % SEGMENT_SECONDS;
  const partSeconds = partSecondsOf('m4a', SEGMENT_SECONDS, DIVISION);
  const costs = {
    ...fitPartCosts(
      measured.map(({ segments, tookSeconds }) => ({
        soundSeconds:
          segments * SEGMENT_SECONDS < partSeconds
            ? (segments - 1) * SEGMENT_SECONDS + lastSegmentSeconds
            : partSeconds,
        tookSeconds,
      })),
    ),
    preparingPerSecond:
      median((runs.get(CASES[1].name) ?? []).map(({ preparingSeconds = 0 }) => preparingSeconds)) /
      sourceSeconds,
    offerSeconds: OFFER_SECONDS,
  };
  process.stdout.write(
    `\nModelled from: preparing ${(costs.preparingPerSecond * 3600).toFixed(2)} s an hour, a part ${costs.partOverheadSeconds.toFixed(2)} s and ${(costs.partPerSecond * 3600).toFixed(1)} s an hour, parts of ${partSeconds} s, an offer ${OFFER_SECONDS} s, a store of ${STORE_BYTES_PER_SECOND / 1e6} MB/s for all together\n\n`,
  );
  const timeOf = (workers: number, hours: number) =>
    simulateJob(workers, costs, {
      soundSeconds: hours * 3_600,
      partSeconds,
      sourceBytesPerSecond: sourceBytes / sourceSeconds,
      storeBytesPerSecond: STORE_BYTES_PER_SECOND,
      offersAtOnce: OFFERS_AT_ONCE,
    });
  process.stdout.write(
    `${formatTable(
      ['splitters of one core', ...MODELLED_HOURS.map((hours) => `${hours} h: seconds (speed-up)`)],
      MODELLED_WORKERS.map((workers) => [
        String(workers),
        ...MODELLED_HOURS.map((hours) => {
          const seconds = timeOf(workers, hours);
          return `${seconds.toFixed(1)} (${(timeOf(1, hours) / seconds).toFixed(1)})`;
        }),
      ]),
    )}\n`,
  );
  if (one / medianOf(CASES[2].name) < GOAL) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function makeSource(path: string, seconds: number): Promise<void> {
  const noise = `anoisesrc=r=44100:d=${seconds}:a=0.2:c=pink:seed=7,aformat=channel_layouts=stereo`;
  const args = [
    '-nostdin',
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    noise,
    '-c:a',
    'libmp3lame',
    '-b:a',
    '128k',
    '-y',
    path,
  ];
  await promisify(execFile)(await resolveFfmpegPath(undefined), args);
}
