/** The document around a page's article: head, navigation and table of contents. */
import { CUT_PATH, MARK_BARS, MARK_VIEW_BOX } from '../brand/mark.ts';
import { escapeHtml } from './escape-html.ts';
import type { GuidePage, Heading } from './render-page.ts';

/** URLs of built assets. */
export interface GuideAssets {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  readonly icon: string;
}

interface Framed {
  readonly title: string;
  readonly description: string;
  /** The open part of the documentation. */
  readonly part: 'guide' | 'reference';
  readonly body: string;
}

export function renderDocument(page: GuidePage, pages: readonly GuidePage[], assets: GuideAssets): string {
  const body = `<div class="guide">
<nav class="guide-pages" aria-label="Pages of the guide">
<ul>
${pages.map((each) => `<li>${pageLink(each, page)}</li>`).join('\n')}
</ul>
</nav>
<main id="main" tabindex="-1">
<h1>${escapeHtml(page.title)}</h1>
${contents(page.headings)}
<div class="guide-article">
${page.article}
${neighbours(page, pages)}
</div>
</main>
</div>
<p class="toast" role="status" id="toast"></p>`;
  return renderFrame({ title: page.title, description: page.description, part: 'guide', body }, assets);
}

/** The page that the reference's script fills from /openapi.json. */
export function renderReference(assets: GuideAssets): string {
  const body = `<main id="main" class="reference" tabindex="-1">
<h1>API reference</h1>
<p>Every call under <code>/api/v1</code>, from the description of this installation in
<a href="/openapi.json">OpenAPI 3.1</a>. The <a href="/docs">guide</a> shows how they work together.</p>
<p>Samples read what is yours from the environment. <code>AUDIOSPLIT_URL</code> is the address of this installation,
<code>AUDIOSPLIT_KEY</code> an API key, <code>AUDIOSPLIT_TOKEN</code> the <code>accessToken</code> that signing in gives;
ids, links and tokens are those that earlier calls give or that are mailed. JavaScript is for Node.js, in a file that ends
in <code>.mjs</code>; neither it nor Python needs a package.</p>
<div id="reference"></div>
<noscript><p>This page needs JavaScript. <a href="/openapi.json">/openapi.json</a> holds the same as JSON.</p></noscript>
</main>`;
  const description = 'Every call of the API: what it takes, what it answers, how it fails.';
  return renderFrame({ title: 'API reference', description, part: 'reference', body }, assets);
}

function renderFrame({ title, description, part, body }: Framed, assets: GuideAssets): string {
  const [script, ...further] = assets.scripts;
  const current = (each: Framed['part']) => (each === part ? ' aria-current="true"' : '');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(description)}">
<title>${escapeHtml(title)} · audiosplit</title>
<link rel="icon" type="image/svg+xml" href="${assets.icon}">
${assets.styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('\n')}
${further.map((href) => `<link rel="modulepreload" href="${href}">`).join('\n')}
<script type="module" blocking="render" src="${script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<div class="top-inner">
<a class="top-brand" href="/" aria-label="audiosplit, the page">${brand()}</a>
<nav class="top-nav" aria-label="Documentation">
<a href="/docs"${current('guide')}>Guide</a>
<a href="/docs/reference"${current('reference')}>API reference</a>
</nav>
<div class="top-account"><button type="button" class="button button-quiet" id="theme" hidden></button></div>
</div>
</header>
${body}
</body>
</html>
`;
}

function brand(): string {
  const bars = MARK_BARS.map(
    ({ x, y, height }) => `<rect x="${x}" y="${y}" width="4" height="${height}" rx="2"/>`,
  );
  return `<span class="brand"><svg viewBox="${MARK_VIEW_BOX}" height="26" aria-hidden="true" focusable="false">${bars.join('')}<path d="${CUT_PATH}"/></svg>audiosplit</span>`;
}

function pageLink(to: GuidePage, from: GuidePage): string {
  return `<a href="${to.path}"${to === from ? ' aria-current="page"' : ''}>${escapeHtml(to.title)}</a>`;
}

function contents(headings: readonly Heading[]): string {
  const entries = headings.filter(({ level }) => level === 2);
  if (entries.length < 2) return '';
  return `<nav class="guide-contents" aria-labelledby="contents">
<h2 id="contents">On this page</h2>
<ul>
${entries.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`).join('\n')}
</ul>
</nav>`;
}

function neighbours(page: GuidePage, pages: readonly GuidePage[]): string {
  const position = pages.indexOf(page);
  const link = (to: GuidePage | undefined, label: string, rel: string) =>
    to === undefined
      ? ''
      : `<a class="card" rel="${rel}" href="${to.path}"><small>${label}</small>${escapeHtml(to.title)}</a>`;
  return `<nav class="guide-neighbours" aria-label="Before and after this page">
${link(pages[position - 1], 'Before', 'prev')}
${link(pages[position + 1], 'Next', 'next')}
</nav>`;
}
