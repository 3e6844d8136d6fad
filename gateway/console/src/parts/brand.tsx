const BARS = [8, 14, 22, 30, 18, 10, 16, 26, 34, 24, 14, 8];
const CUT_AFTER = 6;

/** A waveform with a cut. */
export function Brand() {
  return (
    <span class="brand">
      <svg viewBox="0 0 100 44" height="26" aria-hidden="true" focusable="false">
        {BARS.map((height, n) => (
          <rect
            key={n}
            x={4 + n * 7 + (n >= CUT_AFTER ? 10 : 0)}
            y={22 - height / 2}
            width="4"
            height={height}
            rx="2"
          />
        ))}
        <path d="M49 4v36" />
      </svg>
      audiosplit
    </span>
  );
}
