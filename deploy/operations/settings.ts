/** The environment variables of operators' commands. Each command reads those that it needs. */

import { KAFKA_SETTINGS } from '@audiosplit/chassis/event-bus/kafka/connection';
import { IDENTITY_SETTINGS } from '@audiosplit/chassis/identity/keys';
import { STORAGE_SETTINGS } from '@audiosplit/chassis/object-store/storage-url';
import { AUTHORITIES, DATABASE_URL } from '@audiosplit/chassis/process/process-config';
import { rpcUrlSettings } from '@audiosplit/chassis/process/rpc-urls';
import { required, secret } from '@audiosplit/chassis/process/settings';
import { DATABASE_PASSWORDS } from './access/grant-access-command.ts';
import { RESEALED } from './reseal.ts';

/** A secret with which a service encrypts what it stores, by its variable: `AUTH_SECRET`, and so on. */
export const STORED_SECRET = secret({ what: 'encrypts stored secrets' });

const secrets = Object.keys(RESEALED).flatMap((service) =>
  ['SECRET', 'SECRET_NEXT'].map((name) => [`${service.toUpperCase()}_${name}`, STORED_SECRET]),
);

export const SETTINGS = {
  DATABASE_URL: required(DATABASE_URL),
  ...IDENTITY_SETTINGS,
  ...KAFKA_SETTINGS,
  ...STORAGE_SETTINGS,
  ...rpcUrlSettings(['billing']),
  ...(Object.fromEntries(secrets) as Readonly<Record<string, typeof STORED_SECRET>>),
  ...DATABASE_PASSWORDS,
  NODE_EXTRA_CA_CERTS: AUTHORITIES,
};
