/** Examples of connections to buckets, for the API description. */

export const newConnection = {
  name: 'archive',
  type: 's3',
  endpoint: 'https://s3.example.org',
  region: 'eu-central-1',
  bucket: 'podcast-audio',
  prefix: 'incoming/',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
};
const connection = {
  id: 'con_01jq8z5c7mexample0000000000',
  ...newConnection,
  createdAt: '2027-03-14T09:30:00.000Z',
};

/** By component. */
export const CONNECTION_EXAMPLES: Readonly<Record<string, unknown>> = {
  Connection: connection,
  ConnectionList: { data: [connection] },
  ConnectionTest: {
    ok: false,
    checks: [
      { action: 'list', ok: true },
      { action: 'read', ok: true },
      { action: 'write', ok: false, message: 'The store answered 403 AccessDenied Access Denied.' },
      { action: 'delete', ok: false, message: 'Not tried: nothing could be written.' },
    ],
  },
};
