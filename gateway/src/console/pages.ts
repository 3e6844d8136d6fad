/**
 * The console's page: what `npm run build` made of gateway/console, held in memory with its compressed forms. One document
 * serves every address of the page, which looks at the address itself. What it loads has its hash in its name and may be
 * kept for good; the document is asked for anew each time.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';

export interface ConsolePages {
  readonly document: PageFile;
  /** By path. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly brotli: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

/** Addresses that the page knows. */
const PAGE_PATHS = ['/', '/sign-in', '/sign-up', '/jobs', '/jobs/:jobId', '/keys', '/usage'];
const ASSETS = 'assets';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const COMPRESSED = new Set(['.html', '.js', '.css', '.svg']);
/** The slow end of brotli takes longer than the rest of the start; this is within 5 % of its size. */
const BROTLI_QUALITY = 9;

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; " +
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Undefined where the page has not been built. */
export async function readConsolePages(
  directory = join(import.meta.dirname, '../../console/dist'),
): Promise<ConsolePages | undefined> {
  const html = await readFile(join(directory, 'index.html')).catch(() => undefined);
  if (html === undefined) return undefined;
  const names = await readdir(join(directory, ASSETS));
  const assets = await Promise.all(
    names
      .filter((name) => TYPES[extname(name)] !== undefined)
      .map(
        async (name) =>
          [
            `/${ASSETS}/${name}`,
            await toPageFile(name, await readFile(join(directory, ASSETS, name))),
          ] as const,
      ),
  );
  return { document: await toPageFile('index.html', html), assets: new Map(assets) };
}

async function toPageFile(name: string, plain: Buffer): Promise<PageFile> {
  const extension = extname(name);
  const isCompressed = COMPRESSED.has(extension);
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  return {
    type: TYPES[extension] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    plain,
    brotli: isCompressed ? await brotli(plain, { params }) : undefined,
    gzip: isCompressed ? await zip(plain) : undefined,
  };
}

/** Without pages whoever opens the address in a browser finds the reference of the API. */
export function consolePages(pages: ConsolePages | undefined): FastifyPluginAsync {
  return async (app) => {
    const hidden = { schema: { hide: true } };
    if (pages === undefined) {
      app.get('/', hidden, async (_request, reply) => reply.redirect('/docs'));
      return;
    }
    for (const path of PAGE_PATHS) {
      app.get(path, hidden, async (request, reply) =>
        send(request, reply.headers(HEADERS).header('cache-control', 'no-cache'), pages.document),
      );
    }
    for (const [path, file] of pages.assets) {
      app.get(path, hidden, async (request, reply) =>
        send(request, reply.header('cache-control', 'public, max-age=31536000, immutable'), file),
      );
    }
  };
}

function send({ headers }: FastifyRequest, reply: FastifyReply, file: PageFile): FastifyReply {
  reply.headers({ etag: file.etag, vary: 'accept-encoding' });
  if (headers['if-none-match']?.includes(file.etag)) return reply.code(304).send();
  reply.type(file.type);
  const accepted = String(headers['accept-encoding'] ?? '');
  if (file.brotli !== undefined && accepts(accepted, 'br')) {
    return reply.header('content-encoding', 'br').send(file.brotli);
  }
  if (file.gzip !== undefined && accepts(accepted, 'gzip')) {
    return reply.header('content-encoding', 'gzip').send(file.gzip);
  }
  return reply.send(file.plain);
}

/** RFC 9110, section 12.5.3; a weight of nothing says no. */
function accepts(header: string, coding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', weight = ''] = part.trim().split(';');
    return name.trim() === coding && !/^\s*q=0(\.0*)?\s*$/.test(weight);
  });
}
