/** Bytes in and out, by the links that the API signs. */
import type { Operations } from './generated/operations.ts';
import { type CallOptions, pathSegment, type Transport } from './request.ts';
import type { Segment } from './types.ts';

export interface UploadOptions extends Pick<CallOptions, 'signal'> {
  /** The segments are named after it. */
  readonly fileName?: string;
}

export interface Files {
  /**
   * The segments of a completed job in their order. Where the link of one is about to end, the job is read again for
   * fresh ones, so the loop may take its time. Throws a TypeError before the job has completed.
   */
  segments(jobId: string, options?: Pick<CallOptions, 'signal'>): AsyncGenerator<Segment, void>;
  /** Fetches a segment by its link, without credentials. The body of the answer is still to be read. */
  downloadSegment(segment: Pick<Segment, 'downloadUrl'>, options?: DownloadOptions): Promise<Response>;
  /** Fetches all segments of a completed job as one zip file. The body of the answer is still to be read. */
  downloadArchive(jobId: string, options?: Pick<CallOptions, 'signal'>): Promise<Response>;
  /**
   * Sends a file that has no address of its own. Resolves to what to give a job as its `sourceUrl`. A Blob is sent again
   * where that is needed; a stream can be read only once, so its failure is final.
   */
  uploadSource(file: NonNullable<RequestInit['body']>, options?: UploadOptions): Promise<string>;
}

export interface DownloadOptions extends Pick<CallOptions, 'signal'> {
  /** Value of a Range header, such as `bytes=0-1023`. */
  readonly range?: string;
}

/** A link that ends sooner is not handed out, unless it has just been given: then it is our clock that is ahead. */
const MIN_LINK_LIFE_MS = 60_000;

export function createFiles(
  transport: Transport,
  { getSplit, createUpload }: Pick<Operations, 'getSplit' | 'createUpload'>,
): Files {
  async function readSegments(jobId: string, options: CallOptions): Promise<readonly Segment[]> {
    const job = await getSplit(jobId, options);
    if (job.status === 'completed') return job.segments;
    throw new TypeError(`job ${jobId} is ${job.status}: wait for its end before its segments`);
  }

  return {
    async *segments(jobId, options = {}) {
      let readAtMs = Date.now();
      let segments = await readSegments(jobId, options);
      for (let index = 0; index < segments.length; index++) {
        let segment = segments[index];
        const nowMs = Date.now();
        const endsSoon = segment !== undefined && Date.parse(segment.expiresAt) - nowMs < MIN_LINK_LIFE_MS;
        if (endsSoon && nowMs - readAtMs >= MIN_LINK_LIFE_MS) {
          readAtMs = nowMs;
          segments = await readSegments(jobId, options);
          segment = segments[index];
        }
        if (segment !== undefined) yield segment;
      }
    },
    downloadSegment: ({ downloadUrl }, { range, ...options } = {}) =>
      transport.fetch(
        {
          method: 'GET',
          path: downloadUrl,
          credentials: [],
          ...(range === undefined ? {} : { headers: { Range: range } }),
        },
        options,
      ),
    downloadArchive: (jobId, options) =>
      transport.fetch(
        { method: 'GET', path: `/api/v1/splits/${pathSegment(jobId)}/archive`, credentials: ['apiKey'] },
        options,
      ),
    async uploadSource(file, { fileName, ...options } = {}) {
      const { uploadUrl, sourceUrl } = await createUpload(
        fileName === undefined ? {} : { fileName },
        options,
      );
      const response = await transport.fetch(
        {
          method: 'PUT',
          path: uploadUrl,
          credentials: [],
          rawBody: file,
          ...(isReadOnce(file) ? { maxRetries: 0 } : {}),
        },
        options,
      );
      await response.body?.cancel();
      return sourceUrl;
    },
  };
}

/** Node's fetch takes what can be iterated over, too. */
function isReadOnce(file: NonNullable<RequestInit['body']>): boolean {
  return file instanceof ReadableStream || (typeof file === 'object' && Symbol.asyncIterator in file);
}
