import { Type } from 'typebox';
import type { ErrorCode } from '../http/errors/error-codes.ts';

const content = { 'application/octet-stream': { schema: Type.String({ format: 'binary' }) } };

/** The description of a response that is a file of any type. */
export const fileResponses: Readonly<Record<number, unknown>> = {
  200: { description: 'The file, to be saved under the name that the link carries.', content },
  206: { description: 'The requested range of bytes.', content },
};

/** Errors of a download by link. */
export const FILE_ERRORS: readonly ErrorCode[] = [
  'INVALID_PARAMS',
  'INVALID_SIGNATURE',
  'DOWNLOAD_EXPIRED',
  'NOT_FOUND',
  'RANGE_NOT_SATISFIABLE',
  'RATE_LIMITED',
];
