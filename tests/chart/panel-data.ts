/**
 * Whether expressions have data over a process's scraped pages. The pages become the series of a promtool test, a minute
 * apart, and each expression is evaluated at the last one. NaN counts as no data, because a panel shows none.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** What Prometheus gives to a target. */
const TARGET = 'namespace="audiosplit",instance="product"';
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

/** As promtool takes them: `_` where a page lacks a series. */
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
      // Without exponents, whose sign promtool takes for a step.
      return [[`${name}{${TARGET}${labels && `,${labels}`}}`, Number(value).toFixed(9)]];
    }),
  );
}

/** What Grafana would have put in: everything, over as long as the pages reach back. */
export function asAsked(expression: string, pages: number): string {
  return expression.replaceAll('$namespace', '.*').replaceAll('$__rate_interval', `${pages}m`);
}

/** Those of the expressions that give nothing. `file` is written for promtool. Throws where promtool does not understand. */
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
