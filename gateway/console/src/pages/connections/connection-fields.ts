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
    hint: 'The name that jobs use: lower-case letters, digits and hyphens.',
    placeholder: 'archive',
    isRequired: true,
  },
  endpoint: {
    label: 'Endpoint',
    hint: 'Address of the store. Leave empty for Amazon S3.',
    placeholder: 'https://s3.example.org',
    isRequired: false,
  },
  region: {
    label: 'Region',
    hint: 'The store’s name for it; us-east-1 if it has none.',
    placeholder: 'eu-central-1',
    isRequired: true,
  },
  bucket: {
    label: 'Bucket',
    hint: 'The name only, without an address.',
    placeholder: 'podcast-audio',
    isRequired: true,
  },
  prefix: {
    label: 'Folder',
    hint: 'Limits the connection to this folder. Leave empty for the whole bucket.',
    placeholder: 'incoming/',
    isRequired: false,
  },
  accessKeyId: {
    label: 'Access key ID',
    hint: 'Of a key that may list, read, write and delete in it.',
    isRequired: true,
  },
  secretAccessKey: {
    label: 'Secret access key',
    hint: 'Kept encrypted, and never shown again.',
    isRequired: true,
  },
};
