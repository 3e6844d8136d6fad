/**
 * Writes a JSON value as a literal of a programming language; objects and long lists have a line for each
 * member.
 */
export interface Notation {
  readonly text: (text: string) => string;
  readonly name: (name: string) => string;
  readonly word: (value: boolean | null) => string;
  readonly indent: string;
}

const LINE_LENGTH = 60;

export function literal(value: unknown, notation: Notation, before = ''): string {
  if (typeof value === 'string') return notation.text(value);
  if (value === null || typeof value === 'boolean') return notation.word(value);
  if (typeof value !== 'object') return String(value);
  const inner = before + notation.indent;
  const written = (member: unknown) => literal(member, notation, inner);
  if (!Array.isArray(value)) {
    const members = Object.entries(value).map(
      ([name, member]) => `${notation.name(name)}: ${written(member)}`,
    );
    return bracketed(['{', ...members, '}'], inner, before);
  }
  const line = `[${value.map(written).join(', ')}]`;
  return line.includes('\n') || line.length > LINE_LENGTH
    ? bracketed(['[', ...value.map(written), ']'], inner, before)
    : line;
}

function bracketed([open, ...rest]: readonly string[], inner: string, before: string): string {
  const close = rest.pop();
  if (rest.length === 0) return `${open}${close}`;
  return `${open}\n${rest.map((member) => `${inner}${member},\n`).join('')}${before}${close}`;
}
