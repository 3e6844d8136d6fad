import { Type } from 'typebox';
import { ERROR_CODES } from '../http/errors/error-guide.ts';
import { oneOf } from './fields.ts';

export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      code: oneOf(ERROR_CODES, 'What went wrong, for programs.'),
      message: Type.String({ description: 'What went wrong, for people.' }),
      status: Type.Integer({ description: 'The HTTP status once more.' }),
      retryAfter: Type.Optional(
        Type.Integer({ description: 'Seconds until the next request may pass. Only with RATE_LIMITED.' }),
      ),
      details: Type.Optional(
        Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
          description: 'With INVALID_PARAMS: what is wrong with which field.',
        }),
      ),
    }),
  },
  { $id: 'Error' },
);
