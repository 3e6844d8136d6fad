import { Type } from 'typebox';
import { oneOf } from './fields.ts';

const dependencyStatus = oneOf(['ok', 'failing'], 'Whether it can be reached.');

export const Alive = Type.Object({ status: Type.Literal('ok') }, { $id: 'Alive' });

export const Acceptance = Type.Object(
  { status: oneOf(['accepting', 'draining'], 'Accepting means: send requests here.') },
  { $id: 'Acceptance' },
);

export const Readiness = Type.Object(
  {
    status: oneOf(['ready', 'draining', 'failing'], 'Ready means: requests to the API will be served.'),
    dependencies: Type.Object({
      limiter: dependencyStatus,
      store: dependencyStatus,
      auth: dependencyStatus,
    }),
  },
  { $id: 'Readiness' },
);
