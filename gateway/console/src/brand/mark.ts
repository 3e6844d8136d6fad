/** A waveform with a cut, as the parts of an SVG. */
const HEIGHTS = [8, 14, 22, 30, 18, 10, 16, 26, 34, 24, 14, 8];
const CUT_AFTER = 6;

export const MARK_VIEW_BOX = '0 0 100 44';
export const CUT_PATH = 'M49 4v36';
export const MARK_BARS = HEIGHTS.map((height, n) => ({
  x: 4 + n * 7 + (n >= CUT_AFTER ? 10 : 0),
  y: 22 - height / 2,
  height,
}));
