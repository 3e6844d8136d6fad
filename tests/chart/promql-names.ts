/**
 * Returns the metrics and labels that a PromQL expression names; parses only as much of the grammar as that
 * needs.
 */
export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

const TOKEN =
  /\s+|"(?:[^"\\]|\\.)*"|\$?[a-zA-Z_:][\w:]*|[0-9]+(?:\.[0-9]+)?(?:[smhdwy])?|=~|!~|!=|==|>=|<=|[{}()[\],=<>+*/%^-]/y;
const GROUPING = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', ...GROUPING]);
/** An aggregation may have its labels before its expression. */
const NAME = /^[a-zA-Z_:][\w:]*$/;

/** `groupings` are the labels of GROUPING. Throws SyntaxError for unknown syntax. */
export function readNames(expression: string) {
  const tokens = tokenize(expression);
  const selectors: { readonly metric: string; readonly matchers: readonly Matcher[] }[] = [];
  const groupings: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    if (token === '[') {
      at = tokens.indexOf(']', at);
      if (at < 0) throw new SyntaxError(`[ without ] in ${expression}`);
    } else if (GROUPING.has(token)) {
      if (tokens[at + 1] !== '(') continue;
      const end = tokens.indexOf(')', at);
      groupings.push(...tokens.slice(at + 2, end).filter((each) => each !== ','));
      at = end;
    } else if (NAME.test(token) && !WORDS.has(token)) {
      const next = tokens[at + 1];
      // A function, or an aggregation.
      if (next === '(' || GROUPING.has(next ?? '')) continue;
      if (next !== '{') {
        selectors.push({ metric: token, matchers: [] });
        continue;
      }
      const end = tokens.indexOf('}', at);
      if (end < 0) throw new SyntaxError(`{ without } in ${expression}`);
      selectors.push({ metric: token, matchers: readMatchers(tokens.slice(at + 2, end)) });
      at = end;
    }
  }
  return { selectors, groupings };
}

function tokenize(expression: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < expression.length) {
    const at = TOKEN.lastIndex;
    const [token] = TOKEN.exec(expression) ?? [];
    if (token === undefined) throw new SyntaxError(`not understood: ${expression.slice(at)}`);
    if (token.trim() !== '') tokens.push(token);
  }
  return tokens;
}

function readMatchers(tokens: readonly string[]): Matcher[] {
  const matchers: Matcher[] = [];
  for (let at = 0; at < tokens.length; at += 4) {
    const [label = '', operator = '', value = '', comma = ','] = tokens.slice(at, at + 4);
    if (!NAME.test(label) || !isOperator(operator) || !value.startsWith('"') || comma !== ',') {
      throw new SyntaxError(`not a matcher: ${tokens.slice(at, at + 4).join(' ')}`);
    }
    matchers.push({ label, operator, value: JSON.parse(value) as string });
  }
  return matchers;
}

function isOperator(token: string): token is Matcher['operator'] {
  return ['=', '!=', '=~', '!~'].includes(token);
}
