/**
 * Passes JSON through as text. JavaScript cannot represent all of it: 12345678901234567890, 1e400, -0 and 1.0 would
 * change, and of two members of one name only one would remain.
 */

/** JSON text that is inserted into a response unchanged. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Serialises an object whose members may be JsonText. */
export function stringifyMembers(value: object | null): string {
  if (value === null) return 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => {
      const text = member instanceof JsonText ? member.text : JSON.stringify(member);
      return `${JSON.stringify(name)}:${text}`;
    });
  return `{${members.join(',')}}`;
}

/** Strings, punctuation, and runs of anything else (numbers and words), without white space. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/**
 * The text of a member of a JSON object, without white space. Undefined if there is none. The last of several counts,
 * as with JSON.parse. The text must be valid JSON.
 */
export function memberText(object: string, name: string): string | undefined {
  let found: string | undefined;
  let depth = 0;
  let key: string | undefined;
  let value = '';
  for (const [token] of object.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']';
    if (depth === 1 && key === undefined) {
      if (token.startsWith('"')) key = JSON.parse(token);
    } else if (depth === 1 && (token === ',' || closes)) {
      if (key === name) found = value;
      key = undefined;
      value = '';
    } else if (depth > 0 && !(depth === 1 && token === ':')) {
      if (key === name) value += token;
    }
    if (token === '{' || token === '[') depth += 1;
    if (closes) depth -= 1;
  }
  return found;
}
