import { Type } from 'typebox';
import { CLOSED, timestamp } from './fields.ts';
import { PATTERNS } from './patterns.ts';

export const CreateUploadBody = Type.Object(
  {
    fileName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: PATTERNS.plainFileName,
        description: 'Plain name of the file; the segments are named after it.',
      }),
    ),
    size: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Exact size of the file in bytes. It is reserved, and what is sent must have it.',
      }),
    ),
  },
  CLOSED,
);

export const Upload = Type.Object(
  {
    uploadUrl: Type.String({ description: 'Signed link that takes the file as the body of a PUT.' }),
    sourceUrl: Type.String({ description: 'What to give a split job as sourceUrl once the file is there.' }),
    expiresAt: timestamp('When both links end.'),
  },
  { $id: 'Upload' },
);
