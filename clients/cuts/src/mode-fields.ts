/** The fields that each mode needs and takes. */
import type { CutRequest, SplitMode } from './cut-request.ts';
import type { FieldViolation } from './invalid-cuts.ts';

type FieldOf<T> = T extends unknown ? Exclude<keyof T, 'splitMode'> : never;
export type CutField = FieldOf<CutRequest>;

interface ModeFields {
  readonly needs: readonly CutField[];
  /** In addition to those that every mode takes. */
  readonly takes: readonly CutField[];
}

const EVERY_MODE: readonly CutField[] = [
  'maxDuration',
  'maxFileSize',
  'snapToSilence',
  'audioTrack',
  'encoding',
  'preset',
  'fileName',
  'dryRun',
];

export const MODE_FIELDS: Readonly<Record<SplitMode, ModeFields>> = {
  duration: { needs: ['segmentDuration'], takes: ['overlap', 'trim'] },
  fileSize: { needs: ['maxFileSize'], takes: ['overlap', 'trim'] },
  silence: { needs: [], takes: ['silence', 'overlap', 'trim'] },
  chapters: { needs: [], takes: ['chapters', 'trim'] },
  ranges: { needs: [], takes: ['ranges', 'splitPoints'] },
  parts: { needs: ['parts'], takes: ['overlap', 'trim'] },
};

export const SPLIT_MODES = Object.keys(MODE_FIELDS) as SplitMode[];

export function takesField(mode: SplitMode, field: CutField): boolean {
  const { needs, takes } = MODE_FIELDS[mode];
  return needs.includes(field) || takes.includes(field) || EVERY_MODE.includes(field);
}

/**
 * Fields that the mode needs and that are missing, and given fields that it does not take. `known`: of all
 * modes.
 */
export function checkModeFields(
  mode: SplitMode,
  known: readonly CutField[],
  isGiven: (field: CutField) => boolean,
): FieldViolation[] {
  return [
    ...MODE_FIELDS[mode].needs
      .filter((field) => !isGiven(field))
      .map((field) => ({ field, message: `is required with splitMode ${mode}` })),
    ...known
      .filter((field) => !takesField(mode, field) && isGiven(field))
      .map((field) => ({ field, message: `does not go with splitMode ${mode}` })),
  ];
}
