import { isAbsolute } from 'node:path';
import {
  ConfigError,
  type Env,
  integer,
  MIN_SECRET_BYTES,
  optionalText,
  optionalUrl,
  requiredUrl,
  secret,
  text,
  withoutCredentials,
} from '@audiosplit/chassis/process/env';
import { isMailAddress } from './mail/compose.ts';
import type { FolderOptions } from './mail/folder.ts';
import type { Sender } from './mail/mailer.ts';
import type { SmtpOptions } from './mail/smtp.ts';

export interface AccountConfig {
  readonly maxDatabaseConnections: number;
  readonly mail: MailConfig;
  readonly downloads: DownloadConfig;
}

export type MailConfig =
  | ({ readonly kind: 'smtp' } & SmtpOptions)
  | ({ readonly kind: 'folder' } & FolderOptions);

/** For the links in mails. Must match the gateway's. */
export interface DownloadConfig {
  /** Scheme, host and port. */
  readonly publicBaseUrl: string;
  readonly secret: string;
}

/**
 * Variables: DATABASE_MAX_CONNECTIONS, SMTP_URL or MAIL_DIR, MAIL_FROM, PUBLIC_BASE_URL, DOWNLOAD_SECRET. Throws
 * ConfigError.
 */
export function readAccountConfig(env: Env): AccountConfig {
  return {
    maxDatabaseConnections: integer(env, 'DATABASE_MAX_CONNECTIONS', 10, 4, 200),
    mail: readMailConfig(env),
    downloads: {
      publicBaseUrl: requiredUrl(env, 'PUBLIC_BASE_URL', ['http', 'https']).origin,
      secret: secret(env, 'DOWNLOAD_SECRET', MIN_SECRET_BYTES),
    },
  };
}

const SMTP_FORM = 'smtp://user:password@host:587 or smtps://…, user, password and port if need be';
const DEFAULT_PORT = { 'smtp:': 587, 'smtps:': 465 } as const;

/** SMTP_URL takes precedence over MAIL_DIR, which may be set by default. */
function readMailConfig(env: Env): MailConfig {
  const url = optionalUrl(env, 'SMTP_URL', ['smtp', 'smtps']);
  if (url !== undefined) return { kind: 'smtp', ...fromSmtpUrl(url), from: readSender(env, undefined) };
  const directory = optionalText(env, 'MAIL_DIR');
  if (directory === undefined)
    throw new ConfigError('SMTP_URL', undefined, `${SMTP_FORM}; or MAIL_DIR, a folder`);
  if (!isAbsolute(directory)) throw new ConfigError('MAIL_DIR', directory, 'an absolute path of a folder');
  return { kind: 'folder', directory, from: readSender(env, 'audiosplit <no-reply@localhost>') };
}

function fromSmtpUrl(url: URL): Omit<SmtpOptions, 'from'> {
  const refuse = (allowed: string) => new ConfigError('SMTP_URL', withoutCredentials(url.href), allowed);
  const protocol = url.protocol === 'smtps:' ? 'smtps:' : 'smtp:';
  if (url.hostname === '') throw refuse(SMTP_FORM);
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') {
    throw refuse(`${SMTP_FORM}, and nothing after them`);
  }
  if ((url.username === '') !== (url.password === '')) throw refuse('both a user and a password, or neither');
  return {
    // A URL puts an IPv6 address in brackets.
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? DEFAULT_PORT[protocol] : Number(url.port),
    tls: protocol === 'smtps:',
    credentials:
      url.username === ''
        ? undefined
        : { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) },
  };
}

const SENDER_FORM = 'name@example.com or Name <name@example.com>';

/** SMTP needs a sender of the operator's own, so it has no default. */
function readSender(env: Env, fallback: string | undefined): Sender {
  const value = fallback === undefined ? optionalText(env, 'MAIL_FROM') : text(env, 'MAIL_FROM', fallback);
  if (value === undefined) throw new ConfigError('MAIL_FROM', undefined, SENDER_FORM);
  const named = /^([^<>]*)<([^<>]+)>$/.exec(value);
  const sender = { name: named?.[1]?.trim() ?? '', address: (named?.[2] ?? value).trim() };
  if (!isMailAddress(sender.address) || /\p{Cc}/u.test(sender.name)) {
    throw new ConfigError('MAIL_FROM', value, SENDER_FORM);
  }
  return sender;
}
