/**
 * Headers sent with requests for a source. They may be credentials of other services: they are stored
 * encrypted and bound to their job until it ends, and only the splitter that has claimed the job receives
 * them.
 */

import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { createSecretBox } from '@audiosplit/chassis/secrets/secret-box';
import { faultOfSourceHeaders, type SourceHeaders, toSourceHeaders } from '@audiosplit/proto/source-headers';
import type { JobError } from './job.ts';

export interface SourceHeaderBox {
  seal(jobId: string, headers: SourceHeaders): Buffer;
  /** Undefined if the key has changed since. */
  open(jobId: string, sealed: Buffer): SourceHeaders | undefined;
}

export const HEADERS_LOST: JobError = {
  code: 'INTERNAL_ERROR',
  message: 'The source headers can no longer be decrypted: their key has changed. Create the job again.',
};

export function createSourceHeaderBox(secret: string): SourceHeaderBox {
  const box = createSecretBox(secret, 'audiosplit source headers');
  return {
    seal: (jobId, headers) => box.seal(Buffer.from(JSON.stringify(headers)), jobId),
    open(jobId, sealed) {
      try {
        return JSON.parse(box.open(sealed, jobId).toString()) as SourceHeaders;
      } catch {
        return undefined;
      }
    },
  };
}

/** Throws InvalidParamsError, naming the public field. */
export function readSourceHeaders(given: SourceHeaders): SourceHeaders {
  const fault = faultOfSourceHeaders(given);
  if (fault !== undefined) throw new InvalidParamsError('sourceHeaders', fault);
  return toSourceHeaders(given);
}
