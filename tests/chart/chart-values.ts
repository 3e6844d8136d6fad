/**
 * Finds the parts of a chart that no unit test covers, so that they could break unnoticed: values, component
 * keys, templates.
 */
export interface Suite extends TestedTemplates {
  readonly set?: object;
  readonly tests: readonly ({ readonly set?: object } & TestedTemplates)[];
}

interface TestedTemplates {
  readonly template?: string;
  readonly templates?: readonly string[];
}

/** Paths such as `image.tag` that no suite sets, in the order of the defaults. */
export function untestedValues(defaults: object, suites: readonly Suite[]): readonly string[] {
  return pathsOf(defaults).filter(notSetBy(suites));
}

/** The keys that each component accepts without a default, and that no suite sets for any component. */
export function untestedComponentKeys(
  keys: readonly string[],
  components: readonly string[],
  suites: readonly Suite[],
): readonly string[] {
  const isUntested = notSetBy(suites);
  return keys.filter((key) => components.every((component) => isUntested(`${component}.${key}`)));
}

/** The texts in backticks in the first column of the table below a heading. */
export function keysInTable(markdown: string, heading: string): readonly string[] {
  const section = markdown.split(`\n${heading}\n`)[1]?.split(/^#/m)[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, key = '']) => key),
  );
}

/** The templates below `templates/` that no suite renders. Partials render nothing by themselves. */
export function untestedTemplates(paths: readonly string[], suites: readonly Suite[]): readonly string[] {
  const tested = new Set(
    suites
      .flatMap((suite) => [suite, ...suite.tests])
      .flatMap(({ template, templates = [] }) => [template, ...templates]),
  );
  return paths.filter((path) => !/(^|\/)_/.test(path) && !tested.has(path));
}

function notSetBy(suites: readonly Suite[]): (path: string) => boolean {
  const set = new Set(
    suites.flatMap((suite) => [suite, ...suite.tests].map((each) => each.set)).flatMap(pathsOf),
  );
  return (path) =>
    ![...set].some((each) => each === path || each.startsWith(`${path}.`) || path.startsWith(`${each}.`));
}

/** An empty object is a value, and so is everything that is not an object. */
function pathsOf(values: unknown): readonly string[] {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return [];
  return Object.entries(values).flatMap(([name, value]) => {
    const below = pathsOf(value);
    return below.length === 0 ? [name] : below.map((path) => `${name}.${path}`);
  });
}
