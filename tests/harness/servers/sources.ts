/** Serves the sources of jobs: at once, over some time, or endlessly until they are released. */
import { readFileSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { extname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from './listen.ts';
import { risingTone } from './tones.ts';

export interface SourceOptions {
  /** Roughly how long the file takes to arrive. */
  readonly paceMs?: number;
  /** Arrives slowly and endlessly while `hold` is in effect. */
  readonly held?: boolean;
}

export type Sources = Awaited<ReturnType<typeof startSources>>;

interface SourcesOptions {
  readonly host?: string;
  /** Keyed by name, in addition to `tour.mp3` and `long.wav`. */
  readonly files?: Readonly<Record<string, Buffer>>;
}

export const TOUR_SAMPLE_PATH = resolve(import.meta.dirname, '../../../deploy/embedded/samples/tour.mp3');
/** Long enough that its conversion is divided, and still little work. */
const LONG_SECONDS = 1_800;
const PIECES = 20;
/** Faster than the lowest speed that a splitter accepts. */
const TRICKLE = { bytes: 300, everyMs: 200 };
const CONTENT_TYPES: Readonly<Record<string, string>> = { '.mp3': 'audio/mpeg', '.wav': 'audio/wav' };

export async function startSources({ host, files = {} }: SourcesOptions = {}) {
  const made = new Map<string, Buffer>(Object.entries(files));
  let atMost = 0;
  let held = 0;
  const contentOf = (name: string) => {
    if (name === 'tour.mp3' && !made.has(name)) made.set(name, readFileSync(TOUR_SAMPLE_PATH));
    if (name === 'long.wav' && !made.has(name)) made.set(name, risingTone(LONG_SECONDS));
    return made.get(name);
  };
  /** Resolves with the number of bytes sent. */
  const trickle = async (response: ServerResponse, content: Buffer) => {
    let sent = 0;
    held += 1;
    while (atMost > 0 && !response.destroyed) {
      response.write(content.subarray(sent, sent + TRICKLE.bytes));
      sent += TRICKLE.bytes;
      await sleep(TRICKLE.everyMs);
    }
    held -= 1;
    return sent;
  };
  const serve: RequestListener = async (request, response) => {
    response.on('error', () => undefined);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const content = contentOf(pathname.slice(1));
    if (content === undefined) return void response.writeHead(404).end();
    const type = CONTENT_TYPES[extname(pathname)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'content-length': content.length });
    if (request.method === 'HEAD') response.end();
    else if (searchParams.has('held') && held < atMost)
      response.end(content.subarray(await trickle(response, content)));
    else await send(response, content, Number(searchParams.get('pace')));
  };
  const server = await listen(serve, host);
  return {
    url(name = 'tour.mp3', { paceMs = 0, held = false }: SourceOptions = {}) {
      return `${server.url}/${name}?pace=${paceMs}${held ? '&held' : ''}`;
    },
    /** Holds sources marked `held`, at most `most` at a time. All others arrive at their pace. */
    hold(most = Number.POSITIVE_INFINITY) {
      atMost = most;
    },
    release() {
      atMost = 0;
    },
    /** The number of sources held now. */
    held: () => held,
    [Symbol.asyncDispose]() {
      atMost = 0;
      return server[Symbol.asyncDispose]();
    },
  };
}

async function send(response: ServerResponse, content: Buffer, paceMs: number): Promise<void> {
  const pieceBytes = paceMs > 0 ? Math.ceil(content.length / PIECES) : content.length;
  for (let at = 0; at < content.length && !response.destroyed; at += pieceBytes) {
    response.write(content.subarray(at, at + pieceBytes));
    if (paceMs > 0) await sleep(paceMs / PIECES);
  }
  response.end();
}
