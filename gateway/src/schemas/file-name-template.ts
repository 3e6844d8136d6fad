/** Templates of file names, as the splitter fills them in. */

export const PLACEHOLDERS = ['name', 'index', 'number', 'count', 'title', 'start'] as const;

const NAMES: ReadonlySet<string> = new Set(PLACEHOLDERS);
/** A placeholder, or a brace that begins or ends none. */
const PLACEHOLDER_OR_BRACE = /\{([^{}]*)\}|[{}]/g;

/** Undefined if the template can be filled in. */
export function faultOfTemplate(template: string): string | undefined {
  for (const [found, name] of template.matchAll(PLACEHOLDER_OR_BRACE)) {
    if (name === undefined) return `must not hold a lone ${found}`;
    if (!NAMES.has(name)) {
      return `has no placeholder ${found}; there are ${PLACEHOLDERS.map((each) => `{${each}}`).join(', ')}`;
    }
  }
  return undefined;
}
