/**
 * JSON that passes through as text. JavaScript cannot hold all of it: 12345678901234567890, 1e400, -0 and 1.0 would
 * come back as something else, and of two members of one name only one would.
 */

/** JSON text that goes into an answer as it stands. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** JSON of an object, any member of which may be JsonText. */
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

/** Strings, punctuation, and runs of anything else: numbers and words. White space falls between. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/**
 * What stands under a name in a JSON object, without white space and otherwise as written. Undefined where the object
 * has no such member; of several the last one counts, as it does to JSON.parse. The text must be valid JSON.
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
