/**
 * Parses the fence of a code block: language, role, and the file name of a program.
 *
 *     ```sh run              commands; one shell per page runs them in order
 *     ```js run split.mjs    a program
 *     ```json output         printed output
 *
 * A test runs every block marked `run`, and rejects blocks without a role.
 */
import { marked } from 'marked';

export interface CodeBlock {
  readonly language: string;
  readonly role: 'run' | 'output';
  /** File name of a program. */
  readonly fileName: string | undefined;
  readonly text: string;
}

const FENCE = /^(\w+) (run|output)(?: ([\w.-]+))?$/;

/** Throws for any other fence. */
export function readCodeBlock(fence: string | undefined, text: string): CodeBlock {
  const [, language, role, fileName] = FENCE.exec(fence ?? '') ?? [];
  if (language === undefined || (role !== 'run' && role !== 'output')) {
    throw new Error(`a block of code is neither run nor output: ${fence ?? 'no language'}\n${text}`);
  }
  return { language, role, fileName, text };
}

/** All code blocks of a page, including nested ones. */
export function codeBlocksOf(markdown: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  void marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type === 'code') blocks.push(readCodeBlock(token.lang, token.text));
  });
  return blocks;
}
