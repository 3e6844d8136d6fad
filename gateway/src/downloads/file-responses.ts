import { Type } from 'typebox';

const content = { 'application/octet-stream': { schema: Type.String({ format: 'binary' }) } };

/** How the API description shows an answer that is a file, of whatever type it was stored with. */
export const fileResponses: Readonly<Record<number, unknown>> = {
  200: { description: 'The file, to be saved under the name that the link carries.', content },
  206: { description: 'The range of bytes that was asked for.', content },
};
