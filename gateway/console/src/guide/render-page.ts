/** Renders a page of the guide from Markdown, and collects its headings and links. */
import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { readCodeBlock } from './code-blocks.ts';
import { GUIDE_SOURCES, type GuideSource, pathOf } from './contents.ts';
import { escapeHtml } from './escape-html.ts';
import { renderCode, renderTable } from './render-blocks.ts';

export interface GuidePage {
  /** Path at which it is served. */
  readonly path: string;
  readonly title: string;
  /** Its first paragraph. */
  readonly description: string;
  /** HTML after the title. */
  readonly article: string;
  readonly headings: readonly Heading[];
  /** Link targets as written. */
  readonly links: readonly string[];
}

export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** Throws for a link to a page outside of the guide, and for code without a role. */
export function renderPage(source: GuideSource, markdown: string): GuidePage {
  const headings: Heading[] = [];
  const links: string[] = [];
  let section = '';
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const text = textOf(tokens);
        const id = freeId(text, headings);
        headings.push({ level: depth, id, text });
        section = text;
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${inner}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const address = resolveLink(href, source);
        links.push(address);
        const isForeign = /^https?:/.test(address);
        return `<a href="${escapeHtml(address)}"${isForeign ? ' rel="noreferrer"' : ''}>${this.parser.parseInline(tokens)}</a>`;
      },
      html({ text }) {
        if (!text.startsWith('<!--')) throw new Error(`${source.file} has markup of its own: ${text}`);
        return '';
      },
      code({ text, lang }) {
        return renderCode(readCodeBlock(lang, text), section);
      },
      table({ header, rows }) {
        const inline = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens);
        return renderTable(
          header.map(inline),
          rows.map((row) => row.map(inline)),
          section,
        );
      },
    },
  });
  const [title, ...tokens] = marked.lexer(markdown);
  if (title?.type !== 'heading' || title.depth !== 1)
    throw new Error(`${source.file} does not begin with a title`);
  section = title.text;
  const first = tokens.find(({ type }) => type === 'paragraph');
  return {
    path: pathOf(source),
    title: title.text,
    description: first === undefined ? '' : textOf([first]),
    article: marked.parser(tokens),
    headings,
    links,
  };
}

function textOf(tokens: readonly Token[]): string {
  const textIn = (token: Token): string => {
    if ('tokens' in token && token.tokens !== undefined) return textOf(token.tokens);
    return 'text' in token ? token.text : '';
  };
  return tokens.map(textIn).join('').replaceAll('\n', ' ');
}

/** Like GitHub's, so that links also work in the repository. */
function freeId(text: string, taken: readonly Heading[]): string {
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  if (taken.some((heading) => heading.id === id)) throw new Error(`two headings are called “${text}”`);
  return id;
}

/** Links name files, so that they work in the repository. They are resolved to paths here. */
function resolveLink(href: string, from: GuideSource): string {
  const [target = '', fragment] = href.split('#', 2);
  if (!target.endsWith('.md') || /^\w+:/.test(target)) return href;
  const file = posix.join(posix.dirname(from.file), target);
  const page = GUIDE_SOURCES.find((source) => source.file === file);
  if (page === undefined) throw new Error(`${from.file} links to ${href}, which is no page of the guide`);
  return fragment === undefined ? pathOf(page) : `${pathOf(page)}#${fragment}`;
}
