/** Finds contradictions within a cut request whose fields have valid shapes. Times are rounded already. */
import type { CutRequest } from './cut-request.ts';
import { applyPreset, checkEncoding } from './encoding-options.ts';
import { checkFileNameTemplate } from './file-name-template.ts';
import type { FieldViolation } from './invalid-cuts.ts';
import type { OutputFormat } from './output-formats.ts';

type Rule = (cut: CutRequest, outputFormat: OutputFormat | undefined) => FieldViolation[];

/** Checks only fields that the mode takes; a field that it needs may be missing. */
export function checkCutRules(cut: CutRequest, outputFormat: OutputFormat | undefined): FieldViolation[] {
  return RULES.flatMap((rule) => rule(cut, outputFormat));
}

const checkTrim: Rule = ({ trim }) => {
  if (trim?.end === undefined || trim.end > (trim.start ?? 0)) return [];
  return [{ field: 'trim.end', message: 'must be above trim.start' }];
};

const checkChapters: Rule = (cut) => {
  if (cut.splitMode !== 'chapters') return [];
  const at = cut.chapters?.findIndex(
    ({ startTime }, n, all) => n > 0 && startTime < (all[n - 1]?.startTime ?? 0),
  );
  if (at === undefined || at < 0) return [];
  return [{ field: `chapters[${at}].startTime`, message: 'must not be below that of the chapter before' }];
};

const checkRanges: Rule = (cut) => {
  if (cut.splitMode !== 'ranges') return [];
  const { ranges, splitPoints } = cut;
  if (ranges === undefined && splitPoints === undefined) {
    return [{ field: 'ranges', message: 'is required with splitMode ranges, or splitPoints in its place' }];
  }
  if (ranges !== undefined && splitPoints !== undefined) {
    return [{ field: 'splitPoints', message: 'does not go with ranges: give one of the two' }];
  }
  return [
    ...(ranges ?? []).flatMap(({ start, end }, n) =>
      end === undefined || end > start
        ? []
        : [{ field: `ranges[${n}].end`, message: 'must be above the start of its range' }],
    ),
    ...(splitPoints ?? []).flatMap((point, n, all) => {
      if (point > (all[n - 1] ?? 0)) return [];
      const message = n === 0 ? 'must be above 0' : 'must be above the point before';
      return [{ field: `splitPoints[${n}]`, message }];
    }),
  ];
};

const checkSilence: Rule = (cut) => {
  const { maxDuration } = cut;
  const minDuration = cut.splitMode === 'silence' ? cut.silence?.minDuration : undefined;
  if (maxDuration === undefined || minDuration === undefined || maxDuration >= minDuration) return [];
  return [{ field: 'maxDuration', message: 'must not be below silence.minDuration' }];
};

const checkSnap: Rule = ({ snapToSilence, splitMode, maxDuration, maxFileSize }) => {
  if (snapToSilence === undefined) return [];
  const cutsByItself = splitMode === 'duration' || splitMode === 'fileSize' || splitMode === 'parts';
  const { window, minSilence = 0 } = snapToSilence;
  return [
    ...(cutsByItself || maxDuration !== undefined || maxFileSize !== undefined
      ? []
      : [
          {
            field: 'snapToSilence',
            message: `goes with splitMode ${splitMode} only together with maxDuration or maxFileSize`,
          },
        ]),
    ...(minSilence > window
      ? [{ field: 'snapToSilence.minSilence', message: 'must not be above snapToSilence.window' }]
      : []),
  ];
};

const checkOverlap: Rule = (cut) => {
  const { overlap, maxDuration } = cut;
  if (overlap === undefined) return [];
  if (cut.splitMode === 'silence' && cut.silence?.keepSilence !== undefined) {
    return [{ field: 'overlap', message: 'does not go with silence.keepSilence' }];
  }
  const isTooLong = (length: number | undefined) => length !== undefined && overlap >= length / 2;
  if (cut.splitMode === 'duration' && isTooLong(cut.segmentDuration)) {
    return [{ field: 'overlap', message: 'must be less than half of segmentDuration' }];
  }
  if (isTooLong(maxDuration)) return [{ field: 'overlap', message: 'must be less than half of maxDuration' }];
  return cut.splitMode === 'parts' && isTooLong(longestPart(cut))
    ? [{ field: 'overlap', message: 'must be less than half of a part of what trim leaves' }]
    : [];
};

/** The source may end before `trim.end`, in which case parts are shorter. */
function longestPart({ parts, trim }: Extract<CutRequest, { splitMode: 'parts' }>): number | undefined {
  const start = trim?.start ?? 0;
  return trim?.end === undefined || trim.end <= start ? undefined : (trim.end - start) / parts;
}

/** If neither the request nor its preset sets the format, the splitter checks. */
const checkEncodingFields: Rule = ({ encoding, preset }, outputFormat) => {
  const effective =
    preset === undefined ? { format: outputFormat, encoding } : applyPreset(preset, outputFormat, encoding);
  if (effective.format === undefined || encoding === undefined) return [];
  return checkEncoding(effective.format, effective.encoding ?? {}).map(({ field, message }) => ({
    field: `encoding.${field}`,
    message,
  }));
};

const checkFileName: Rule = ({ fileName }) => {
  const message = fileName === undefined ? undefined : checkFileNameTemplate(fileName);
  return message === undefined ? [] : [{ field: 'fileName', message }];
};

const RULES: readonly Rule[] = [
  checkTrim,
  checkChapters,
  checkRanges,
  checkSilence,
  checkSnap,
  checkOverlap,
  checkEncodingFields,
  checkFileName,
];
