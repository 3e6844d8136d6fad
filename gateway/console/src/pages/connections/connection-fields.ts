/** The fields of a new connection, in their order. The service has the rules for what they may hold. */
import type { NewConnection } from '../../api/client.ts';

export type ConnectionField = Exclude<keyof NewConnection, 'type'>;

interface FieldWords {
  readonly label: string;
  readonly hint: string;
  readonly placeholder?: string;
  readonly isRequired: boolean;
}

export const CONNECTION_FIELDS: Readonly<Record<ConnectionField, FieldWords>> = {
  name: {
    label: 'Name',
    hint: 'By which jobs name it: lower-case letters, digits and hyphens.',
    placeholder: 'archive',
    isRequired: true,
  },
  endpoint: {
    label: 'Endpoint',
    hint: 'Of a store other than Amazon S3; empty for Amazon S3.',
    placeholder: 'https://s3.example.org',
    isRequired: false,
  },
  region: {
    label: 'Region',
    hint: 'As the store names it; us-east-1 where it knows none.',
    placeholder: 'eu-central-1',
    isRequired: true,
  },
  bucket: {
    label: 'Bucket',
    hint: 'Its name alone.',
    placeholder: 'podcast-audio',
    isRequired: true,
  },
  prefix: {
    label: 'Folder',
    hint: 'Of the bucket, which is not left; empty for the whole bucket.',
    placeholder: 'incoming/',
    isRequired: false,
  },
  accessKeyId: {
    label: 'Access key ID',
    hint: 'Of a key that may list, read, write and delete there.',
    isRequired: true,
  },
  secretAccessKey: {
    label: 'Secret access key',
    hint: 'Kept encrypted, and never shown again.',
    isRequired: true,
  },
};
