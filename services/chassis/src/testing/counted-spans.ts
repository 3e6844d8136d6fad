/** What a process tells of its spans on /metrics. */
export interface CountedSpans {
  readonly started: number;
  readonly exported: number;
  readonly failed: number;
  readonly dropped: number;
}

/** Of one page, or of several in one. */
export function countedSpans(page: string): CountedSpans {
  const sumOf = (series: string) =>
    page
      .split('\n')
      .filter((line) => line.startsWith(`${series} `))
      .reduce((sum, line) => sum + Number(line.slice(series.length)), 0);
  const ended = (outcome: string) => sumOf(`audiosplit_trace_spans_total{outcome="${outcome}"}`);
  return {
    started: sumOf('audiosplit_trace_spans_started_total'),
    exported: ended('exported'),
    failed: ended('failed'),
    dropped: ended('dropped'),
  };
}
