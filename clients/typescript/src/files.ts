/** Bytes in and out, by the links that the API signs. */
import { attachmentName } from './attachment-name.ts';
import { AudiosplitError, connectionFailed, describeResponse } from './error.ts';
import type { Operations } from './generated/operations.ts';
import { type CallOptions, pathSegment, type Transport } from './request.ts';
import type { Segment } from './types.ts';

/** A Blob can be sent again, and a function gives the body of each try. A stream can be read only once. */
export type Body =
  | NonNullable<RequestInit['body']>
  | AsyncIterable<Uint8Array>
  | (() => AsyncIterable<Uint8Array>);

export interface TransferOptions extends Pick<CallOptions, 'signal' | 'onRetry' | 'retries'> {
  /**
   * Called with the bytes that were sent so far, from 0 on at each try. Needs a runtime that sends streams (Node, Deno,
   * Bun).
   */
  readonly onProgress?: (sentBytes: number) => void;
  /** Of a body that is no Blob: some object stores want it before the first byte. Browsers do not send it. */
  readonly sizeBytes?: number;
}

export interface UploadOptions extends TransferOptions {
  /** The segments are named after it. */
  readonly fileName?: string;
}

export interface OpenOptions extends Pick<CallOptions, 'signal' | 'onRetry' | 'retries'> {
  /** Bytes that an earlier download left, below the size of the segment: the rest is asked for alone. 0 by default. */
  readonly from?: number;
}

export interface OpenedSegment {
  /** What the API calls the file; undefined where the answer names none, or no plain one. */
  readonly fileName: string | undefined;
  /**
   * All bytes of the segment, once, behind those that were there before. A connection that breaks off is taken up after the last byte that came. Throws
   * AudiosplitError.
   */
  readonly bytes: AsyncGenerator<Uint8Array, void>;
}

export interface Files {
  /**
   * The segments of a completed job in their order. Where the link of one is about to end, the job is read again for
   * fresh ones, so the loop may take its time. Throws a TypeError before the job has completed.
   */
  segments(jobId: string, options?: Pick<CallOptions, 'signal'>): AsyncGenerator<Segment, void>;
  /**
   * Fetches a segment by its link, without credentials. The body of the answer is still to be read. Throws a TypeError for
   * a segment of a dry run, which has no file.
   */
  downloadSegment(segment: Pick<Segment, 'downloadUrl'>, options?: DownloadOptions): Promise<Response>;
  /** Like `downloadSegment`, for a body that is read to its end whatever happens to the connection. */
  openSegment(segment: Pick<Segment, 'downloadUrl' | 'size'>, options?: OpenOptions): Promise<OpenedSegment>;
  /** Fetches all segments of a completed job as one zip file. The body of the answer is still to be read. */
  downloadArchive(jobId: string, options?: Pick<CallOptions, 'signal'>): Promise<Response>;
  /** The same of all completed jobs of a batch that has ended, with a folder for each. */
  downloadBatchArchive(batchId: string, options?: Pick<CallOptions, 'signal'>): Promise<Response>;
  /**
   * Uploads a file that has no URL. Resolves with the `sourceUrl` for a job. The failure of a stream is
   * final; an error from reading the file is thrown unchanged.
   */
  uploadSource(file: Body, options?: UploadOptions): Promise<string>;
  /** The second half of `uploadSource`, for a link that `createUpload` has given. */
  uploadTo(link: { readonly uploadUrl: string }, file: Body, options?: TransferOptions): Promise<void>;
}

export interface DownloadOptions extends Pick<CallOptions, 'signal'> {
  /** Value of a Range header, such as `bytes=0-1023`. */
  readonly range?: string;
}

/** A link that ends sooner is not handed out, unless it has just been given: then it is our clock that is ahead. */
const MIN_LINK_LIFE_MS = 60_000;
const PARTIAL_CONTENT = 206;

export function createFiles(
  transport: Transport,
  { getSplit, createUpload }: Pick<Operations, 'getSplit' | 'createUpload'>,
): Files {
  async function readSegments(jobId: string, options: CallOptions): Promise<readonly Segment[]> {
    const job = await getSplit(jobId, options);
    if (job.status === 'completed') return job.segments;
    throw new TypeError(`job ${jobId} is ${job.status}: wait for its end before its segments`);
  }

  async function downloadSegment(
    { downloadUrl }: Pick<Segment, 'downloadUrl'>,
    { range, ...options }: DownloadOptions & CallOptions = {},
  ): Promise<Response> {
    return transport.fetch(
      {
        method: 'GET',
        path: linkOf(downloadUrl),
        credentials: [],
        ...(range === undefined ? {} : { headers: { Range: range } }),
      },
      options,
    );
  }

  async function uploadTo(
    { uploadUrl }: { readonly uploadUrl: string },
    file: Body,
    { onProgress, sizeBytes, signal, ...options }: TransferOptions = {},
  ): Promise<void> {
    const unreadable = new AbortController();
    const contentLength = file instanceof Blob && onProgress !== undefined ? file.size : sizeBytes;
    const response = await transport.fetch(
      {
        method: 'PUT',
        path: uploadUrl,
        credentials: [],
        headers: contentLength === undefined ? {} : { 'Content-Length': String(contentLength) },
        rawBody: () => toRequestBody(file, onProgress, unreadable),
      },
      {
        ...options,
        // fetch would report what reading the file throws as a broken connection.
        signal: signal === undefined ? unreadable.signal : AbortSignal.any([signal, unreadable.signal]),
        ...(isReadOnce(file) ? { retries: { maxRetries: 0, maxRateLimitRetries: 0 } } : {}),
      },
    );
    await response.body?.cancel();
  }

  function fetchArchive(path: string, options: Pick<CallOptions, 'signal'> | undefined): Promise<Response> {
    return transport.fetch({ method: 'GET', path, credentials: ['apiKey'] }, options);
  }

  return {
    async *segments(jobId, options = {}) {
      let readAtMs = Date.now();
      let segments = await readSegments(jobId, options);
      for (let index = 0; index < segments.length; index++) {
        let segment = segments[index];
        const nowMs = Date.now();
        const { expiresAt } = segment ?? {};
        const endsSoon = expiresAt !== undefined && Date.parse(expiresAt) - nowMs < MIN_LINK_LIFE_MS;
        if (endsSoon && nowMs - readAtMs >= MIN_LINK_LIFE_MS) {
          readAtMs = nowMs;
          segments = await readSegments(jobId, options);
          segment = segments[index];
        }
        if (segment !== undefined) yield segment;
      }
    },
    downloadSegment,
    async openSegment({ downloadUrl, size }, { from = 0, ...options } = {}) {
      const range = from === 0 ? {} : { range: `bytes=${from}-` };
      const response = await downloadSegment({ downloadUrl: linkOf(downloadUrl) }, { ...options, ...range });
      return {
        fileName: attachmentName(response.headers.get('Content-Disposition')),
        bytes: readToEnd({ downloadUrl: linkOf(downloadUrl), size, from }, response, options),
      };
    },
    downloadArchive: (jobId, options) =>
      fetchArchive(`/api/v1/splits/${pathSegment(jobId)}/archive`, options),
    downloadBatchArchive: (batchId, options) =>
      fetchArchive(`/api/v1/batches/${pathSegment(batchId)}/archive`, options),
    async uploadSource(file, { fileName, ...options } = {}) {
      const { onProgress, sizeBytes, ...call } = options;
      const { uploadUrl, sourceUrl } = await createUpload(fileName === undefined ? {} : { fileName }, call);
      await uploadTo({ uploadUrl }, file, options);
      return sourceUrl;
    },
    uploadTo,
  };

  async function* readToEnd(
    {
      downloadUrl,
      size,
      from,
    }: { readonly downloadUrl: string; readonly size: number; readonly from: number },
    first: Response,
    options: CallOptions,
  ): AsyncGenerator<Uint8Array, void> {
    const host = transport.hostOf(downloadUrl);
    const retries = transport.retriesOf('GET', options);
    let response: Response | undefined = first;
    let received = from;
    for (;;) {
      try {
        response ??= await downloadSegment(
          { downloadUrl },
          { ...options, range: `bytes=${received}-`, retries: { maxRetries: 0, maxRateLimitRetries: 0 } },
        );
        // A server that takes no notice of ranges begins at 0 again.
        let skip = response.status === PARTIAL_CONTENT ? 0 : received;
        for await (const chunk of chunksOf(response)) {
          const fresh = chunk.subarray(Math.min(skip, chunk.length));
          skip -= chunk.length - fresh.length;
          if (fresh.length === 0) continue;
          received += fresh.length;
          retries.reset();
          yield fresh;
        }
        if (received === size) return;
        if (received > size) {
          const message = `a segment of ${size} bytes came with more`;
          throw new AudiosplitError({ code: 'UNEXPECTED_ANSWER', message }, describeResponse(response, host));
        }
        throw new Error(`${received} bytes instead of ${size}`);
      } catch (error) {
        options.signal?.throwIfAborted();
        await retries.after(error instanceof AudiosplitError ? error : connectionFailed(error, host));
        response = undefined;
      }
    }
  }
}

function linkOf(downloadUrl: string | undefined): string {
  if (downloadUrl === undefined) throw new TypeError('this segment has no link: a dry run makes no files');
  return downloadUrl;
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  // Not every browser iterates over a stream by itself.
  const reader = body.getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function toRequestBody(
  file: Body,
  onProgress: ((sentBytes: number) => void) | undefined,
  unreadable: AbortController,
): NonNullable<RequestInit['body']> {
  const content = typeof file === 'function' ? file() : file;
  if (content instanceof Blob || content instanceof ReadableStream) {
    if (onProgress === undefined) return content;
    return toStream(counted(chunksOf(new Response(content)), onProgress, unreadable));
  }
  return isIterable(content) ? toStream(counted(content, onProgress, unreadable)) : content;
}

function toStream(chunks: AsyncGenerator<Uint8Array, void>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await chunks.return();
    },
  });
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  onProgress: ((sentBytes: number) => void) | undefined,
  unreadable: AbortController,
): AsyncGenerator<Uint8Array, void> {
  let sentBytes = 0;
  onProgress?.(sentBytes);
  const source = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await source.next().catch((error: unknown) => {
        unreadable.abort(error);
        throw error;
      });
      if (next.done === true) return;
      yield next.value;
      sentBytes += next.value.length;
      onProgress?.(sentBytes);
    }
  } finally {
    await source.return?.();
  }
}

function isIterable(content: object | string): content is AsyncIterable<Uint8Array> {
  return typeof content === 'object' && Symbol.asyncIterator in content;
}

function isReadOnce(file: Body): boolean {
  return file instanceof ReadableStream || (typeof file === 'object' && isIterable(file));
}
