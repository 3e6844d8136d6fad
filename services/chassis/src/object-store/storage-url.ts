/**
 * The location of objects as one URL: `file:///folder`, or `s3://bucket?endpoint=…&region=…` with both
 * parameters optional. Credentials for S3 come from the AWS environment, never from the URL.
 */
import { fileURLToPath } from 'node:url';
import { ConfigError, type Env, withoutCredentials } from '../process/env.ts';
import { parsed, readSettings, text } from '../process/settings.ts';
import { openFileObjectStore } from './files.ts';
import type { ObjectStore } from './object-store.ts';
import { openS3ObjectStore } from './s3.ts';

export type StorageLocation =
  | { readonly kind: 'files'; readonly directory: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      readonly endpoint?: string;
      readonly region?: string;
    };

const VARIABLE = 'STORAGE_URL';
const ALLOWED = 'file:///folder or s3://bucket?endpoint=https://host&region=name';
const S3_PARAMETERS = ['endpoint', 'region'];

export const STORAGE_SETTINGS = {
  STORAGE_URL: parsed(
    {
      what: 'where files are stored: `s3://bucket?endpoint=…&region=…` or `file:///folder`',
      isRequired: true,
      chart: 'storage.bucket',
    },
    { allowed: ALLOWED, parse: parseStorageUrl, show: withoutCredentials },
  ),
  AWS_ACCESS_KEY_ID: text({
    what: 'access key for S3; read by the AWS library, as are its other variables',
    isSecret: true,
    chart: 'storage.accessKeyIdKey',
  }),
  AWS_SECRET_ACCESS_KEY: text({
    what: 'secret of that key',
    isSecret: true,
    chart: 'storage.secretAccessKeyKey',
  }),
};

/** Throws ConfigError. */
export function readStorageLocation(env: Env): StorageLocation {
  return readSettings(STORAGE_SETTINGS, env).STORAGE_URL;
}

export function parseStorageUrl(value: string): StorageLocation {
  const url = URL.parse(value);
  switch (url?.protocol) {
    case 'file:':
      return parseFileUrl(url, value);
    case 's3:':
      return parseS3Url(url, value);
    default:
      throw new ConfigError(VARIABLE, withoutCredentials(value), ALLOWED);
  }
}

export async function openObjectStore(location: StorageLocation): Promise<ObjectStore> {
  switch (location.kind) {
    case 'files':
      return openFileObjectStore(location);
    case 's3':
      return openS3ObjectStore(location);
    default:
      return location satisfies never;
  }
}

function parseFileUrl(url: URL, value: string): StorageLocation {
  if (url.host !== '' || url.search !== '' || url.pathname === '/') {
    throw new ConfigError(
      VARIABLE,
      withoutCredentials(value),
      'file:///folder, with an absolute path and nothing else',
    );
  }
  return { kind: 'files', directory: fileURLToPath(url) };
}

/** Names as in https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

function parseS3Url(url: URL, value: string): StorageLocation {
  const refuse = (allowed: string) => new ConfigError(VARIABLE, withoutCredentials(value), allowed);
  if (url.username !== '' || url.password !== '') {
    throw refuse('no credentials in the URL: they come from AWS_ACCESS_KEY_ID and its kind');
  }
  if (!BUCKET_NAME.test(url.host)) throw refuse('s3:// and then the name of a bucket, 3 to 63 characters');
  if (url.pathname !== '' && url.pathname !== '/') throw refuse('no path after the bucket');
  const unknown = [...url.searchParams.keys()].find((name) => !S3_PARAMETERS.includes(name));
  if (unknown !== undefined) throw refuse(`the parameters ${S3_PARAMETERS.join(', ')}, and not ${unknown}`);
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint !== null && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) {
    throw refuse('an endpoint that is an http or https URL');
  }
  const region = url.searchParams.get('region');
  return {
    kind: 's3',
    bucket: url.host,
    ...(endpoint && { endpoint }),
    ...(region && { region }),
  };
}
