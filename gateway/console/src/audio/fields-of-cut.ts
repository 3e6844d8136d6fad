/** The form of a split with the settings of a job, to split its source once more with others. */
import type { OutputFormat } from '@audiosplit/proto/vocabulary';
import { formatTime } from '../format/typed-time.ts';
import { type Cut, secondsOf } from './cut.ts';
import type { CutOptions } from './cut-options.ts';
import { textOfPlan } from './edited-plan.ts';
import type { SplitFields } from './split-fields.ts';
import { unshownFieldsOf } from './unshown-fields.ts';

const MEGABYTE = 1e6;

export function fieldsOf(cut: Cut, format: OutputFormat | undefined): SplitFields {
  const { splitMode: mode } = cut;
  return {
    mode,
    texts: { [mode]: textIn(cut) },
    options: optionsOf(cut),
    format: format ?? '',
    unshown: unshownFieldsOf(cut),
  };
}

interface PlannedSegment {
  readonly startTime: number;
  readonly endTime: number;
  readonly title?: string | undefined;
}

/** The same with segments as ranges. What made the cuts is not done twice; caps and all else stay. */
export function fieldsOfSegments(
  cut: Cut,
  format: OutputFormat | undefined,
  segments: readonly PlannedSegment[],
  seconds: number,
): SplitFields {
  const fields = fieldsOf(cut, format);
  const { window: _, overlap: __, isDryRun: ___, ...options } = fields.options;
  const ceiling = cut.splitMode === 'fileSize' && cut.maxFileSize !== undefined ? cut.maxFileSize : undefined;
  const plan = segments.map(({ startTime, endTime, title }) => ({ start: startTime, end: endTime, title }));
  return {
    ...fields,
    mode: 'ranges',
    texts: { ...fields.texts, ranges: textOfPlan(plan, seconds) },
    options: ceiling === undefined ? options : { ...options, maxFileSize: String(ceiling / MEGABYTE) },
  };
}

function textIn(cut: Cut): string {
  const { segmentDuration, maxFileSize, silence, chapters = [], ranges, splitPoints = [], parts } = cut;
  switch (cut.splitMode) {
    case 'duration':
      return segmentDuration === undefined ? '' : formatTime(segmentDuration);
    case 'fileSize':
      return maxFileSize === undefined ? '' : String(maxFileSize / MEGABYTE);
    case 'silence':
      return String(silence?.minSilence ?? '');
    case 'chapters':
      return chapters.map(({ startTime, title }) => line(timeOf(startTime), title)).join('\n');
    case 'parts':
      return String(parts ?? '');
    case 'ranges':
      return ranges === undefined
        ? splitPoints.map(timeOf).join('\n')
        : ranges
            .map(({ start, end, title }) =>
              line(`${timeOf(start)}-${end === undefined ? '' : timeOf(end)}`, title),
            )
            .join('\n');
    default:
      return cut.splitMode satisfies never;
  }
}

function optionsOf(cut: Cut): CutOptions {
  const { splitMode, maxDuration, maxFileSize, snapToSilence, overlap, trim, fileName, preset, dryRun } = cut;
  return {
    ...(maxDuration === undefined ? {} : { maxDuration: formatTime(maxDuration) }),
    ...(maxFileSize === undefined || splitMode === 'fileSize'
      ? {}
      : { maxFileSize: String(maxFileSize / MEGABYTE) }),
    ...(snapToSilence === undefined ? {} : { window: String(snapToSilence.window) }),
    ...(overlap === undefined ? {} : { overlap: String(overlap) }),
    ...(trim?.start === undefined ? {} : { trimStart: timeOf(trim.start) }),
    ...(trim?.end === undefined ? {} : { trimEnd: timeOf(trim.end) }),
    ...(fileName === undefined ? {} : { fileName }),
    ...(preset === 'speech' ? { isForSpeech: true } : {}),
    ...(dryRun === true ? { isDryRun: true } : {}),
  };
}

function timeOf(position: number | string): string {
  return formatTime(secondsOf(position));
}

function line(time: string, title: string | undefined): string {
  return title === undefined ? time : `${time} ${title}`;
}
