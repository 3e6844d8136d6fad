/** The guide at /docs and the API reference below it: pages that the console's build has made. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FastifyPluginAsync } from 'fastify';
import { type PageFile, sendDocument, toPageFile } from '../http/server/page-file.ts';

/** By the address of each page. */
export type GuidePages = ReadonlyMap<string, PageFile>;

const ROOT = '/docs';
/** Where people read the API's description. */
const REFERENCE = `${ROOT}/reference`;
/** Swagger UI styles its elements in place, and needs nothing from elsewhere either. */
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Undefined where they have not been built. */
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

/** Without pages the bare description stands in. */
export function guidePages(pages: GuidePages | undefined): FastifyPluginAsync {
  return async (app) => {
    const hidden = { schema: { hide: true } };
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
