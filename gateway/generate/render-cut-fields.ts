/** The shapes of a cut's fields as data, for a host of the engine that has no gateway. */
import { CUT_FIELDS } from '../src/schemas/cut-fields.ts';
import { PATTERN_MESSAGES, PATTERNS } from '../src/schemas/patterns.ts';

export function renderCutFields(): string {
  const shapes = JSON.stringify(CUT_FIELDS, withoutWords, 2);
  const used = Object.values(PATTERNS).filter((pattern) => shapes.includes(JSON.stringify(pattern)));
  const messages = Object.fromEntries(used.map((pattern) => [pattern, PATTERN_MESSAGES[pattern]]));
  return `import type { Shape } from '../shape.ts';

/** By the name of the field. */
export const CUT_SHAPES: Readonly<Record<string, Shape>> = ${shapes};

/** What a pattern asks for, in words. */
export const PATTERN_MESSAGES: Readonly<Record<string, string>> = ${JSON.stringify(messages, null, 2)};
`;
}

function withoutWords(key: string, value: unknown): unknown {
  return key === 'description' && typeof value === 'string' ? undefined : value;
}
