/**
 * What stands behind the fence of a block of code: its language, what becomes of it, and the name of a whole program.
 *
 *     ```sh run              commands; all of a page go through one shell, in order
 *     ```js run split.mjs    a program
 *     ```json output         what something has printed
 *
 * A test runs whatever says `run`, and lets nothing pass that says neither.
 */
import { marked } from 'marked';

export interface CodeBlock {
  readonly language: string;
  readonly role: 'run' | 'output';
  /** Of a program. */
  readonly fileName: string | undefined;
  readonly text: string;
}

const FENCE = /^(\w+) (run|output)(?: ([\w.-]+))?$/;

/** Throws where the fence says none of these. */
export function readCodeBlock(fence: string | undefined, text: string): CodeBlock {
  const [, language, role, fileName] = FENCE.exec(fence ?? '') ?? [];
  if (language === undefined || (role !== 'run' && role !== 'output')) {
    throw new Error(`a block of code is neither run nor output: ${fence ?? 'no language'}\n${text}`);
  }
  return { language, role, fileName, text };
}

/** All of a page, wherever they stand. */
export function codeBlocksOf(markdown: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  void marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type === 'code') blocks.push(readCodeBlock(token.lang, token.text));
  });
  return blocks;
}
