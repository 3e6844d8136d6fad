/** A bar per day, and their running sum against the plan's minutes, on one scale. */
import { useRef } from 'preact/hooks';
import type { UsageReport } from '../api/client.ts';
import { useWidth } from '../parts/use-width.ts';

const HEIGHT = 240;
const EDGE = { left: 44, right: 8, top: 14, bottom: 28 };
const DAY_MS = 86_400_000;
const names = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export function UsagePlot({ report }: { readonly report: UsageReport }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  return (
    <div ref={box} class="plot" style={{ height: `${HEIGHT}px` }}>
      {width > 0 && <Plot report={report} width={width} />}
    </div>
  );
}

function Plot({ report, width }: { readonly report: UsageReport; readonly width: number }) {
  const days = daysOf(report);
  const included = report.usage.minutesIncluded;
  const most = niceCeiling(Math.max(1, included, days.at(-1)?.sum ?? 0) * 1.05);
  const inner = { width: width - EDGE.left - EDGE.right, height: HEIGHT - EDGE.top - EDGE.bottom };
  const step = inner.width / days.length;
  const x = (n: number) => EDGE.left + n * step;
  const y = (share: number) => EDGE.top + inner.height * (1 - share);
  const today = new Date().toISOString().slice(0, 10);
  const past = days.filter(({ day }) => day <= today);
  const line = past.map(({ sum }, n) => `${n === 0 ? 'M' : 'L'}${x(n) + step / 2} ${y(sum / most)}`).join('');
  const every = Math.max(1, Math.ceil(days.length / Math.max(2, Math.floor(inner.width / 70))));
  return (
    <svg width={width} height={HEIGHT} aria-hidden="true" focusable="false">
      {[0, 0.5, 1].map((share) => (
        <g key={share}>
          <line class="plot-grid" x1={EDGE.left} x2={width - EDGE.right} y1={y(share)} y2={y(share)} />
          <text class="plot-text" x={EDGE.left - 8} y={y(share) + 4} text-anchor="end">
            {(most * share).toLocaleString('en')}
          </text>
        </g>
      ))}
      {days.map(({ day, minutes }, n) => (
        <g key={day}>
          {minutes > 0 && (
            <rect
              class="plot-bar"
              x={x(n) + step * 0.18}
              width={step * 0.64}
              y={y(minutes / most)}
              height={Math.max(2, (inner.height * minutes) / most)}
              rx={Math.min(3, step * 0.2)}
            >
              <title>{`${day}: ${minutes.toFixed(1)} min`}</title>
            </rect>
          )}
          {n % every === 0 && (
            <text class="plot-text" x={x(n) + step / 2} y={HEIGHT - 8} text-anchor="middle">
              {names.format(new Date(day))}
            </text>
          )}
        </g>
      ))}
      <line
        class="plot-quota"
        x1={EDGE.left}
        x2={width - EDGE.right}
        y1={y(included / most)}
        y2={y(included / most)}
      />
      <path class="plot-line" d={line} />
    </svg>
  );
}

interface Day {
  readonly day: string;
  readonly minutes: number;
  readonly sum: number;
}

/** All days of the period, including empty ones. */
function daysOf({ period, days }: UsageReport): Day[] {
  const known = new Map(days.map(({ day, seconds }) => [day, seconds / 60]));
  const all: Day[] = [];
  let sum = 0;
  const firstMs = Date.parse(period.start.slice(0, 10));
  for (let at = firstMs; at < Date.parse(period.end); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    const minutes = known.get(day) ?? 0;
    sum += minutes;
    all.push({ day, minutes, sum });
  }
  return all;
}

/** The next of 1, 2, 4, 8, 10, 20 … that is no less. */
function niceCeiling(value: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 4, 8, 10].find((each) => each * magnitude >= value) ?? 10;
  return factor * magnitude;
}
