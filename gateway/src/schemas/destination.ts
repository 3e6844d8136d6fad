import { Type } from 'typebox';
import { CLOSED, PATH_ID } from './fields.ts';
import { PATTERNS } from './patterns.ts';

/** The fields of a job whose segments are stored in a bucket of the caller. */
export const destinationFields = {
  destination: Type.Optional(
    Type.Object(
      {
        connection: Type.String({
          pattern: PATH_ID,
          description: 'Name or id of a connection of the account.',
          examples: ['archive'],
        }),
        prefix: Type.Optional(
          Type.String({
            maxLength: 256,
            pattern: PATTERNS.printable,
            description: 'Folder below the prefix of the connection.',
            examples: ['segments/'],
          }),
        ),
      },
      {
        ...CLOSED,
        description:
          "A bucket that the segments are put into, in a folder of the job's id, with `manifest.json` when all are there. Each " +
          'segment then has its `location`.',
      },
    ),
  ),
  keepCopy: Type.Optional(
    Type.Boolean({
      description:
        'With `destination`: false stores nothing with us, so that segments have no `downloadUrl`.',
    }),
  ),
};
