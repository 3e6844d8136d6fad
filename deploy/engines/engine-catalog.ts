import type { Engine, EngineName } from './engine.ts';
import { kafka } from './kafka.ts';
import { postgres } from './postgres.ts';
import { redis } from './redis.ts';
import { stripeMock } from './stripe-mock.ts';
import { versitygw } from './versitygw.ts';

export const engines: Readonly<Record<EngineName, Engine>> = {
  postgres,
  redis,
  kafka,
  versitygw,
  'stripe-mock': stripeMock,
};
