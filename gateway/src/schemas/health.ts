import { Type } from 'typebox';
import { oneOf } from './fields.ts';

const dependencyStatus = oneOf(['ok', 'failing'], 'Whether it can be reached.');

export const Alive = Type.Object({ status: Type.Literal('ok') }, { $id: 'Alive' });

export const Readiness = Type.Object(
  {
    status: oneOf(['ready', 'draining', 'failing'], 'Ready means: send traffic here.'),
    dependencies: Type.Object({
      limiter: dependencyStatus,
      store: dependencyStatus,
      auth: dependencyStatus,
    }),
  },
  { $id: 'Readiness' },
);
