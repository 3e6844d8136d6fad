/**
 * The widths of scale factor bands by sampling frequency (ISO/IEC 14496-3 tables 4.129 to 4.147): one base-36
 * digit per band, in units of four coefficients.
 */
const LONG = {
  hz96000: '11111111111111222223333344679bggggggggggg',
  hz64000: '11111111111111222233344456679aaaaaaaaaaaaaaaaaa',
  hz48000: '111111111122222223333445566778888888888888888888o',
  hz32000: '111111111122222223333445566778888888888888888888888',
  hz24000: '1111111111122222222223333444556677899abcddggggg',
  hz16000: '222222222223333333334444555667789aabcdefggg',
  hz8000: '33333333333334444444555566677899abcdefgk',
} as const;
const SHORT = {
  hz96000: '111111222479',
  hz48000: '11111222333444',
  hz24000: '111111122233445',
  hz16000: '111111112233455',
  hz8000: '111111122223455',
} as const;

export interface BandWidths {
  /** For a window of 1024 coefficients. */
  readonly long: readonly number[];
  /** For a window of 128 coefficients. */
  readonly short: readonly number[];
}

const BY_FREQUENCY_INDEX: readonly BandWidths[] = [
  ...Array<BandWidths>(2).fill(widths(LONG.hz96000, SHORT.hz96000)),
  widths(LONG.hz64000, SHORT.hz96000),
  ...Array<BandWidths>(2).fill(widths(LONG.hz48000, SHORT.hz48000)),
  widths(LONG.hz32000, SHORT.hz48000),
  ...Array<BandWidths>(2).fill(widths(LONG.hz24000, SHORT.hz24000)),
  ...Array<BandWidths>(3).fill(widths(LONG.hz16000, SHORT.hz16000)),
  ...Array<BandWidths>(2).fill(widths(LONG.hz8000, SHORT.hz8000)),
];

export function bandWidths(frequencyIndex: number): BandWidths | undefined {
  return BY_FREQUENCY_INDEX[frequencyIndex];
}

function widths(long: string, short: string): BandWidths {
  const parse = (digits: string): readonly number[] =>
    [...digits].map((digit) => 4 * Number.parseInt(digit, 36));
  return { long: parse(long), short: parse(short) };
}
