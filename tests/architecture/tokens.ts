type TokenKind = 'code' | 'comment' | 'string' | 'template' | 'regex';
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const STRING_LITERALS: Readonly<Record<string, RegExp>> = {
  "'": /'(?:[^\\\n']|\\.)*'/sy,
  '"': /"(?:[^\\\n"]|\\.)*"/sy,
};
const REGEX_LITERAL = /\/(?:[^\\\n/[]|\\.|\[(?:[^\\\n\]]|\\.)*\])+\/[a-z]*/y;
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};<>+*%~^-]|\breturn|\n)\s*$/;

/**
 * Splits a source into code, comments and literals. A string ends with its line; the text in JSX relies on
 * that.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  /** For each open template: the number of open braces in its current `${…}`. */
  const templates: number[] = [];
  let codeStart = 0;
  let at = 0;
  const take = (kind: TokenKind, end: number) => {
    if (at > codeStart) tokens.push({ kind: 'code', text: text.slice(codeStart, at) });
    tokens.push({ kind, text: text.slice(at, end) });
    at = end;
    codeStart = end;
  };
  const takeLiteral = (kind: TokenKind, literal: RegExp) => {
    literal.lastIndex = at;
    if (literal.test(text)) take(kind, literal.lastIndex);
    else at += 1;
  };
  const takeTemplate = () => {
    const end = endOfTemplate(text, at + 1);
    if (text[end - 1] === '{') templates.push(0);
    take('template', end);
  };
  while (at < text.length) {
    const char = text[at];
    const open = templates.at(-1);
    const stringLiteral = STRING_LITERALS[char ?? ''];
    if (text.startsWith('//', at)) take('comment', endOf(text, '\n', at));
    else if (text.startsWith('/*', at)) take('comment', Math.min(text.length, endOf(text, '*/', at + 2) + 2));
    else if (stringLiteral !== undefined) takeLiteral('string', stringLiteral);
    else if (char === '`') takeTemplate();
    else if (char === '}' && open === 0) {
      templates.pop();
      takeTemplate();
    } else if (char === '/' && BEFORE_REGEX.test(text.slice(Math.max(0, at - 40), at))) {
      takeLiteral('regex', REGEX_LITERAL);
    } else {
      if (open !== undefined && char === '{') templates[templates.length - 1] = open + 1;
      if (open !== undefined && char === '}') templates[templates.length - 1] = open - 1;
      at += 1;
    }
  }
  if (at > codeStart) tokens.push({ kind: 'code', text: text.slice(codeStart, at) });
  return tokens;
}

function endOf(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? text.length : found;
}

/** After the closing backtick, or after the `${` of the next substitution. */
function endOfTemplate(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '`') return at + 1;
    else if (text.startsWith('${', at)) return at + 2;
  }
  return text.length;
}
