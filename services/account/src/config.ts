import { isAbsolute } from 'node:path';
import { ConfigError, type Env, withoutCredentials } from '@audiosplit/chassis/process/env';
import { maxDatabaseConnections } from '@audiosplit/chassis/process/process-config';
import {
  missing,
  parsed,
  type Refuse,
  readSettings,
  url,
  type ValuesOf,
} from '@audiosplit/chassis/process/settings';
import { isMailAddress } from './mail/compose.ts';
import type { FolderOptions } from './mail/folder.ts';
import type { Sender } from './mail/mailer.ts';
import type { SmtpOptions } from './mail/smtp.ts';

const SMTP_FORM = 'smtp://user:password@host:587 or smtps://…, user, password and port if need be';
const SENDER_FORM = 'name@example.com or Name <name@example.com>';
const FOLDER_FORM = 'an absolute path of a folder';
const DEFAULT_PORT = { 'smtp:': 587, 'smtps:': 465 } as const;
const DEFAULT_SENDER: Sender = { name: 'audiosplit', address: 'no-reply@localhost' };

export const SETTINGS = {
  DATABASE_MAX_CONNECTIONS: maxDatabaseConnections(4),
  SMTP_URL: url(['smtp', 'smtps'], {
    what: 'mail server, `smtp://user:password@host:587` or `smtps://…`; a password is sent over TLS only',
    shownDefault: 'mail goes to a folder',
    isSecret: true,
    chart: 'mail.smtp',
  }),
  MAIL_DIR: parsed(
    { what: 'without `SMTP_URL`: folder in which each mail is written as an `.eml` file' },
    {
      allowed: FOLDER_FORM,
      parse(value, refuse) {
        if (!isAbsolute(value)) throw refuse(FOLDER_FORM);
        return value;
      },
    },
  ),
  MAIL_FROM: parsed(
    {
      what: 'sender of mail; required with `SMTP_URL`',
      shownDefault: '`audiosplit <no-reply@localhost>`',
      chart: 'mail.from',
    },
    { allowed: SENDER_FORM, parse: parseSender },
  ),
  PUBLIC_BASE_URL: url(['http', 'https'], {
    what: 'scheme, host and port of the gateway, for links in mail',
    isRequired: true,
    chart: 'publicBaseUrl',
  }),
};

export interface AccountConfig {
  readonly maxDatabaseConnections: number;
  readonly mail: MailConfig;
  /** Scheme, host and port of the public API, for links in mails. */
  readonly publicBaseUrl: string;
}

export type MailConfig =
  | ({ readonly kind: 'smtp' } & SmtpOptions)
  | ({ readonly kind: 'folder' } & FolderOptions);

/** Throws ConfigError. */
export function readAccountConfig(env: Env): AccountConfig {
  const values = readSettings(SETTINGS, env);
  return {
    maxDatabaseConnections: values.DATABASE_MAX_CONNECTIONS,
    mail: mailConfigOf(values),
    publicBaseUrl: values.PUBLIC_BASE_URL.origin,
  };
}

/** SMTP_URL takes precedence over MAIL_DIR, which may be set by default. SMTP needs a sender of the operator's own. */
function mailConfigOf(values: ValuesOf<typeof SETTINGS>): MailConfig {
  const { SMTP_URL: smtp, MAIL_DIR: directory, MAIL_FROM: from } = values;
  if (smtp !== undefined) {
    if (from === undefined) throw missing(SETTINGS, 'MAIL_FROM');
    return { kind: 'smtp', ...fromSmtpUrl(smtp), from };
  }
  if (directory === undefined) {
    throw new ConfigError('SMTP_URL', undefined, `${SMTP_FORM}; or MAIL_DIR, a folder`);
  }
  return { kind: 'folder', directory, from: from ?? DEFAULT_SENDER };
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

function parseSender(value: string, refuse: Refuse): Sender {
  const named = /^([^<>]*)<([^<>]+)>$/.exec(value);
  const sender = { name: named?.[1]?.trim() ?? '', address: (named?.[2] ?? value).trim() };
  if (!isMailAddress(sender.address) || /\p{Cc}/u.test(sender.name)) throw refuse(SENDER_FORM);
  return sender;
}
