/** A built file for browsers, in memory with its compressed forms, and functions that send it. */
import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly isCompressible: boolean;
  /** The content policy of a document. Undefined: only its own files. */
  readonly policy?: string;
  /** Compressed on first use: most gateways never serve a page. */
  readonly compressed: Partial<Record<Coding, Promise<Buffer>>>;
}

type Coding = 'br' | 'gzip';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};
const COMPRESSIBLE = new Set(['.html', '.js', '.css', '.svg', '.json']);
/** Higher qualities take seconds for a large script and save at most 5 %. */
const BROTLI_QUALITY = 9;

const OWN_FILES_ONLY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; " +
  "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

const DOCUMENT_HEADERS = {
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

const CODINGS: readonly Coding[] = ['br', 'gzip'];
const brotli = promisify(brotliCompress);
const COMPRESS: Readonly<Record<Coding, (plain: Buffer) => Promise<Buffer>>> = {
  br: (plain) => brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify<Buffer, Buffer>(gzip),
};

export function isPageFile(name: string): boolean {
  return TYPES[extname(name)] !== undefined;
}

export function toPageFile(name: string, plain: Buffer): PageFile {
  const extension = extname(name);
  return {
    type: TYPES[extension] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    plain,
    isCompressible: COMPRESSIBLE.has(extension),
    compressed: {},
  };
}

/**
 * Sends a page to be revalidated each time. It may run only its own files, unless `policy` says otherwise. A 404 is not
 * stored, because it may depend on the session.
 */
export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PageFile,
  policy: string = file.policy ?? OWN_FILES_ONLY,
): Promise<FastifyReply> {
  return sendPageFile(
    request,
    reply.headers({
      ...DOCUMENT_HEADERS,
      ...(reply.statusCode === 404 ? { 'cache-control': 'no-store' } : {}),
      'content-security-policy': policy,
    }),
    file,
  );
}

/** Sends the smallest form that the browser accepts, or 304 if it has the file. */
export async function sendPageFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  file: PageFile,
): Promise<FastifyReply> {
  // A 404 has another body for programs.
  const isFound = reply.statusCode !== 404;
  reply.headers({ etag: file.etag, vary: isFound ? 'accept-encoding' : 'accept, accept-encoding' });
  if (isFound && headers['if-none-match']?.includes(file.etag)) return reply.code(304).send();
  reply.type(file.type);
  const accepted = String(headers['accept-encoding'] ?? '');
  const coding = CODINGS.find((each) => accepts(accepted, each));
  if (coding === undefined || !file.isCompressible) return reply.send(file.plain);
  file.compressed[coding] ??= COMPRESS[coding](file.plain);
  return reply.header('content-encoding', coding).send(await file.compressed[coding]);
}

/** RFC 9110, section 12.5.3. Weight 0 means no. */
function accepts(header: string, coding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', weight = ''] = part.trim().split(';');
    return name.trim() === coding && !/^\s*q=0(\.0*)?\s*$/.test(weight);
  });
}
