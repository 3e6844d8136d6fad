/** How much sound a core gets done in an hour, from every kind of source to every output: what docs/operations/sizing.md sizes by. */
import { OUTPUT_FORMATS } from '../src/formats/formats.ts';
import { SEGMENT_SECONDS } from './copy-rows.ts';
import {
  type Bench,
  type Contender,
  measureInterleaved,
  type Row,
  seconds,
  splitInChild,
} from './measure.ts';
import { sourceNamed } from './sources.ts';

/** One for each way of decoding; where the output is the source's own format, sound is copied. */
const SOURCES = ['wav', 'mp3 V2', 'flac', 'vorbis', 'opus', 'm4a'];
const CUT = { mode: 'duration', segmentDurationSeconds: SEGMENT_SECONDS } as const;
const JOB_MINUTES = 20;

export async function measureSizing(bench: Bench, sourceSeconds: number): Promise<readonly Row[]> {
  const contenders = new Map<string, Contender>();
  for (const name of SOURCES) {
    const source = sourceNamed(bench.sources, name);
    for (const outputFormat of OUTPUT_FORMATS) {
      contenders.set(
        `${name} → ${outputFormat}`,
        async () => (await splitInChild(bench, source, { cut: CUT, outputFormat })).cpuSeconds,
      );
    }
  }
  const measured = await measureInterleaved(bench, 'sizing', contenders);
  return [...measured].map(([pair, cpuSeconds]) => {
    const hoursOfSound = sourceSeconds / cpuSeconds;
    const jobs = Math.round((hoursOfSound * 60) / JOB_MINUTES);
    return {
      measure: `sizing ${pair}`,
      engine: `${seconds(cpuSeconds)} of processor time`,
      reference: '',
      result: `a core does ${Math.round(hoursOfSound)} h of sound an hour: ${jobs} jobs of ${JOB_MINUTES} min`,
      goal: '',
      isMet: undefined,
    };
  });
}
