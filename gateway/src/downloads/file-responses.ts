import { Type } from 'typebox';
import type { ErrorCode } from '../http/errors/error-codes.ts';

const content = { 'application/octet-stream': { schema: Type.String({ format: 'binary' }) } };

/** How the API description shows an answer that is a file, of whatever type it was stored with. */
export const fileResponses: Readonly<Record<number, unknown>> = {
  200: { description: 'The file, to be saved under the name that the link carries.', content },
  206: { description: 'The range of bytes that was asked for.', content },
};

/** How reading a file by its link may be refused. */
export const FILE_ERRORS: readonly ErrorCode[] = [
  'INVALID_PARAMS',
  'INVALID_SIGNATURE',
  'DOWNLOAD_EXPIRED',
  'NOT_FOUND',
  'RANGE_NOT_SATISFIABLE',
];
