/** Serves the guide at /docs and the API reference below it, as built with the console. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FastifyPluginAsync } from 'fastify';
import { type PageFile, sendDocument, toPageFile } from '../http/server/page-file.ts';

export type GuidePages = ReadonlyMap<string, PageFile>;

const ROOT = '/docs';
const REFERENCE = `${ROOT}/reference`;
/** Swagger UI writes HTML and holds some images of its own. Everything else comes from this origin. */
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Undefined if the pages have not been built. */
export async function readGuidePages(
  directory = join(import.meta.dirname, '../../console/dist/docs'),
): Promise<GuidePages | undefined> {
  const names = await readdir(directory).catch(() => undefined);
  if (names === undefined) return undefined;
  return new Map(
    await Promise.all(
      names.map(async (name) => {
        const page = toPageFile(name, await readFile(join(directory, name)));
        return [name === 'index.html' ? ROOT : `${ROOT}/${basename(name, '.html')}`, page] as const;
      }),
    ),
  );
}

/** Without pages, /docs redirects to /openapi.json. */
export function guidePages(pages: GuidePages | undefined): FastifyPluginAsync {
  return async (app) => {
    const hidden = { config: { bounds: ['pages'] as const }, schema: { hide: true } };
    app.get(`${ROOT}/`, hidden, async (_request, reply) => reply.redirect(ROOT));
    app.get(`${REFERENCE}/`, hidden, async (_request, reply) => reply.redirect(REFERENCE));
    if (pages === undefined) {
      app.get(ROOT, hidden, async (_request, reply) => reply.redirect('/openapi.json'));
      return;
    }
    for (const [path, page] of pages) {
      const policy = path === REFERENCE ? REFERENCE_POLICY : undefined;
      app.get(path, hidden, async (request, reply) => sendDocument(request, reply, page, policy));
    }
  };
}
