import { formatTable, verdictOf } from '@audiosplit/chassis/testing/bench-table';

export interface Bench {
  /** Per measured run. */
  readonly requests: number;
  /** Runs of each measure, in turn. */
  readonly rounds: number;
  /** Undefined: limits are counted in memory, and the limiter on Redis is not measured. */
  readonly redisUrl: string | undefined;
  /** Reports progress. */
  readonly progress: (line: string) => void;
}

/** One line of the table. */
export interface Row {
  readonly measure: string;
  readonly figure: string;
  readonly ratio: string;
  readonly goal: string;
  /** Undefined: no goal. */
  readonly isMet: boolean | undefined;
}

export function formatReport(rows: readonly Row[]): string {
  return formatTable(
    ['measure', 'figure', 'ratio', 'goal', ''],
    rows.map(({ measure, figure, ratio, goal, isMet }) => [measure, figure, ratio, goal, verdictOf(isMet)]),
  );
}
