/**
 * Whether expressions return data for a process's scraped pages. The pages become the series of a promtool
 * test, a minute apart, and each expression is evaluated at the last one. NaN counts as no data, because a
 * panel shows none.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** The labels that Prometheus adds to a target. */
const TARGET = 'namespace="audiosplit",instance="product"';
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

/** In promtool's notation: `_` if a page lacks a series. */
export function toInputSeries(pages: readonly string[]) {
  const byPage = pages.map(readSamples);
  const names = new Set(byPage.flatMap((samples) => [...samples.keys()]));
  return [...names].map((series) => ({
    series,
    values: byPage.map((samples) => samples.get(series) ?? '_').join(' '),
  }));
}

function readSamples(page: string): Map<string, string> {
  return new Map(
    page.split('\n').flatMap((line) => {
      const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
      if (name === undefined || !Number.isFinite(Number(value))) return [];
      // Without exponents, whose sign promtool would parse as a step.
      return [[`${name}{${TARGET}${labels && `,${labels}`}}`, Number(value).toFixed(9)]];
    }),
  );
}

/** Substitutes Grafana's variables: all values, over the time that the pages cover. */
export function asAsked(expression: string, pages: number): string {
  return expression.replaceAll('$namespace', '.*').replaceAll('$__rate_interval', `${pages}m`);
}

/**
 * The expressions that return nothing. `file` is written for promtool. Throws if promtool cannot parse it.
 */
export function withoutData(
  expressions: readonly string[],
  given: { readonly promtool: string; readonly pages: readonly string[]; readonly file: string },
): readonly string[] {
  const { promtool, pages, file } = given;
  const absences = new Map(
    expressions.map((expression) => [`absent((${asAsked(expression, pages.length)}) >= -Inf)`, expression]),
  );
  const group = {
    interval: '1m',
    input_series: toInputSeries(pages),
    promql_expr_test: [...absences.keys()].map((expr) => ({
      expr,
      eval_time: `${pages.length - 1}m`,
      exp_samples: [],
    })),
  };
  writeFileSync(file, JSON.stringify({ rule_files: [], evaluation_interval: '1m', tests: [group] }));
  const { stdout, stderr } = spawnSync(promtool, ['test', 'rules', file], { encoding: 'utf8' });
  const said = `${stdout}${stderr}`;
  const missing = [...said.matchAll(/expr: ("(?:[^"\\]|\\.)*"), time: \w+,\n +exp: nil\n/g)].flatMap(
    ([, quoted = '""']) => absences.get(JSON.parse(quoted) as string) ?? [],
  );
  const complaints = said.match(/expr: "/g)?.length ?? 0;
  if (complaints !== missing.length || !/SUCCESS|FAILED/.test(said))
    throw new Error(`promtool said:\n${said}`);
  return missing;
}
