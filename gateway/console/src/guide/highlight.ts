/** Syntax highlighting by classes only, because the content policy forbids inline styles. */
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import plaintext from 'highlight.js/lib/languages/plaintext';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';

const GRAMMARS = { sh: bash, js: javascript, ts: typescript, py: python, go, json, text: plaintext };
for (const [name, grammar] of Object.entries(GRAMMARS)) highlighter.registerLanguage(name, grammar);

/** Returns HTML. Throws for an unknown language. */
export function highlight(code: string, language: string): string {
  if (!Object.hasOwn(GRAMMARS, language)) throw new Error(`there is no grammar of ${language}`);
  return highlighter.highlight(code, { language }).value;
}
