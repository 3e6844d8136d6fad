/** The guide at /docs: pages that the console's build has made of docs/guide, and the reference beside them. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FastifyPluginAsync } from 'fastify';
import { REFERENCE_PATH } from '../http/openapi.ts';
import { type PageFile, sendDocument, toPageFile } from '../http/page-file.ts';

/** By the address of each page. */
export type GuidePages = ReadonlyMap<string, PageFile>;

const ROOT = '/docs';

/** Undefined where they have not been built. */
export async function readGuidePages(
  directory = join(import.meta.dirname, '../../console/dist/docs'),
): Promise<GuidePages | undefined> {
  const names = await readdir(directory).catch(() => undefined);
  if (names === undefined) return undefined;
  return new Map(
    await Promise.all(
      names.map(async (name) => {
        const page = await toPageFile(name, await readFile(join(directory, name)));
        return [name === 'index.html' ? ROOT : `${ROOT}/${basename(name, '.html')}`, page] as const;
      }),
    ),
  );
}

/** Without pages there is the reference. */
export function guidePages(pages: GuidePages | undefined): FastifyPluginAsync {
  return async (app) => {
    const hidden = { schema: { hide: true } };
    app.get(`${ROOT}/`, hidden, async (_request, reply) => reply.redirect(ROOT));
    if (pages === undefined) {
      app.get(ROOT, hidden, async (_request, reply) => reply.redirect(REFERENCE_PATH));
      return;
    }
    for (const [path, page] of pages) {
      app.get(path, hidden, async (request, reply) => sendDocument(request, reply, page));
    }
  };
}
