/** A file of what was built for browsers, held in memory with its compressed forms, and how it is sent. */
import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly brotli: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

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

const DOCUMENT_HEADERS = {
  'cache-control': 'no-cache',
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

/** Whether a file of this name is for browsers. */
export function isPageFile(name: string): boolean {
  return TYPES[extname(name)] !== undefined;
}

export async function toPageFile(name: string, plain: Buffer): Promise<PageFile> {
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

/** A page, which is asked for anew each time, and may do nothing but what its own files do. */
export function sendDocument(request: FastifyRequest, reply: FastifyReply, file: PageFile): FastifyReply {
  return sendPageFile(request, reply.headers(DOCUMENT_HEADERS), file);
}

/** As small as the browser can read it; not at all where it has it. */
export function sendPageFile({ headers }: FastifyRequest, reply: FastifyReply, file: PageFile): FastifyReply {
  // Where there is nothing, programs are answered in another form.
  const isFound = reply.statusCode !== 404;
  reply.headers({ etag: file.etag, vary: isFound ? 'accept-encoding' : 'accept, accept-encoding' });
  if (isFound && headers['if-none-match']?.includes(file.etag)) return reply.code(304).send();
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
