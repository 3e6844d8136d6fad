/** Which of a chart's values none of its unit tests sets, so that what they switch could break unseen. */
export interface Suite {
  readonly set?: object;
  readonly tests: readonly { readonly set?: object }[];
}

/** Paths such as `image.tag`, in the order of the defaults. */
export function untestedValues(defaults: object, suites: readonly Suite[]): readonly string[] {
  const tested = new Set(
    suites.flatMap(({ set, tests }) => [set, ...tests.map((test) => test.set)]).flatMap(pathsOf),
  );
  const isTested = (path: string) =>
    [...tested].some((each) => each === path || each.startsWith(`${path}.`) || path.startsWith(`${each}.`));
  return pathsOf(defaults).filter((path) => !isTested(path));
}

/** An empty object, and whatever is none, is a value. */
function pathsOf(values: unknown): readonly string[] {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return [];
  return Object.entries(values).flatMap(([name, value]) => {
    const below = pathsOf(value);
    return below.length === 0 ? [name] : below.map((path) => `${name}.${path}`);
  });
}
