/**
 * Serves the console's page, as built from gateway/console, from memory. One document serves every address; the page
 * itself routes. Assets have a hash in their name and are cached for good, the document is revalidated.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import {
  isPageFile,
  type PageFile,
  sendDocument,
  sendPageFile,
  toPageFile,
} from '../http/server/page-file.ts';
import { type StripePage, stripePolicy } from './stripe-page.ts';

export interface ConsolePages {
  readonly document: PageFile;
  /** By path. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

interface ConsolePagesOptions {
  /** Addresses of the page. Default: those of the console. */
  readonly paths?: readonly string[];
  /** Whether the page at a known address has nothing to show and must be sent with 404. */
  readonly isMissing?: (request: FastifyRequest) => Promise<boolean>;
}

const PAGE_PATHS = [
  '/',
  '/sign-in',
  '/sign-in/link',
  '/sign-up',
  '/password/forgot',
  '/password/reset',
  '/verify',
  '/jobs',
  '/jobs/:jobId',
  '/batches/:batchId',
  '/keys',
  '/webhooks',
  '/usage',
  '/billing',
  '/account',
  '/account/connections',
  '/account/security',
];
const ASSETS = 'assets';

/** Undefined if the page has not been built. */
export async function readConsolePages(
  directory = join(import.meta.dirname, '../../console/dist'),
): Promise<ConsolePages | undefined> {
  const html = await readFile(join(directory, 'index.html')).catch(() => undefined);
  if (html === undefined) return undefined;
  const names = await readdir(join(directory, ASSETS));
  const assets = await Promise.all(
    names
      .filter(isPageFile)
      .map(
        async (name) =>
          [`/${ASSETS}/${name}`, toPageFile(name, await readFile(join(directory, ASSETS, name)))] as const,
      ),
  );
  return { document: toPageFile('index.html', html), assets: new Map(assets) };
}

/** Without built pages, `/` redirects to `/docs`. */
export function consolePages(
  pages: ConsolePages | undefined,
  { paths = PAGE_PATHS, isMissing = async () => false }: ConsolePagesOptions = {},
): FastifyPluginAsync {
  return async (app) => {
    const hidden = { config: { bounds: ['pages'] as const }, schema: { hide: true } };
    if (pages === undefined) {
      app.get('/', hidden, async (_request, reply) => reply.redirect('/docs'));
      return;
    }
    for (const path of paths) {
      app.get(path, hidden, async (request, reply) => {
        if (await isMissing(request)) reply.code(404);
        return sendDocument(request, reply, pages.document);
      });
    }
    for (const [path, file] of pages.assets) {
      app.get(path, hidden, async (request, reply) =>
        sendPageFile(request, reply.header('cache-control', 'public, max-age=31536000, immutable'), file),
      );
    }
  };
}

interface PageConfig {
  /** Set if an external issuer signs users in: the page then shows no sign-in form. */
  readonly issuer: string | undefined;
  readonly stripe: StripePage | undefined;
}

/** Writes configuration into the document that the page needs before its first call. */
export function configuredPages(
  pages: ConsolePages | undefined,
  { issuer, stripe }: PageConfig,
): ConsolePages | undefined {
  if (pages === undefined) return undefined;
  const names = {
    issuer,
    'stripe-key': stripe?.publishableKey,
    'stripe-script': stripe?.scriptUrl.href,
  };
  const metas = Object.entries(names).map(([name, content]) =>
    content === undefined ? '' : metaOf(name, content),
  );
  const document = withMetas(metas.join(''), pages.document);
  return {
    ...pages,
    document: stripe === undefined ? document : { ...document, policy: stripePolicy(stripe) },
  };
}

function metaOf(name: string, value: string): string {
  const content = value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<meta name="audiosplit-${name}" content="${content}">`;
}

function withMetas(metas: string, document: PageFile): PageFile {
  if (metas === '') return document;
  const html = document.plain.toString().replace('<title>', () => `${metas}<title>`);
  return toPageFile('index.html', Buffer.from(html));
}
