import { CUT_PATH, MARK_BARS, MARK_VIEW_BOX } from '../../brand/mark.ts';

export function Brand() {
  return (
    <span class="brand">
      <svg viewBox={MARK_VIEW_BOX} height="26" aria-hidden="true" focusable="false">
        {MARK_BARS.map(({ x, y, height }) => (
          <rect key={x} x={x} y={y} width="4" height={height} rx="2" />
        ))}
        <path d={CUT_PATH} />
      </svg>
      audiosplit
    </span>
  );
}
