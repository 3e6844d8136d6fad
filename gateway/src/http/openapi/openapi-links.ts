/**
 * Links from a response to the operations that take its values (OpenAPI 3.1, section 4.8.20). The reference shows them,
 * and API fuzzing follows them.
 */
import type { OpenAPIV3_1 } from 'openapi-types';

interface Link {
  /** The operation and the status of the response. */
  readonly from: string;
  readonly status: number;
  readonly to: readonly string[];
  /** Values for the linked operations: path parameters or body members. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, string>>;
}

const aJob = [
  'getSplit',
  'followSplit',
  'downloadSplitArchive',
  'downloadSplitArchiveHead',
  'cancelSplit',
  'deleteSplit',
];
const aBatch = ['getBatch', 'retryBatch', 'cancelBatch'];
const aKey = ['getApiKey', 'updateApiKey', 'rotateApiKey', 'revokeApiKey'];
const aSession = ['refreshSession', 'logout'];
const refreshToken = '$response.body#/refreshToken';

const LINKS: readonly Link[] = [
  { from: 'createSplit', status: 201, to: aJob, parameters: { jobId: '$response.body#/id' } },
  { from: 'createApiKey', status: 201, to: aKey, parameters: { keyId: '$response.body#/id' } },
  { from: 'createBatch', status: 201, to: aBatch, parameters: { batchId: '$response.body#/id' } },
  {
    from: 'createConnection',
    status: 201,
    to: ['testConnection', 'deleteConnection'],
    parameters: { connectionId: '$response.body#/id' },
  },
  {
    from: 'savePreset',
    status: 201,
    to: ['deletePreset'],
    parameters: { presetId: '$response.body#/id' },
  },
  {
    from: 'createExport',
    status: 202,
    to: ['getExport'],
    parameters: { exportId: '$response.body#/exportId' },
  },
  {
    from: 'register',
    status: 201,
    to: ['login'],
    body: { email: '$request.body#/email', password: '$request.body#/password' },
  },
  { from: 'register', status: 201, to: aSession, body: { refreshToken } },
  { from: 'login', status: 200, to: aSession, body: { refreshToken } },
  { from: 'refreshSession', status: 200, to: aSession, body: { refreshToken } },
  { from: 'setPaymentMethod', status: 200, to: ['subscribe', 'deletePaymentMethod'] },
  { from: 'subscribe', status: 201, to: ['changePlan', 'cancelSubscription', 'getBilling', 'listInvoices'] },
  { from: 'deleteAccount', status: 200, to: ['restoreAccount'] },
];

export function addLinks(description: Partial<OpenAPIV3_1.Document>): void {
  for (const item of Object.values(description.paths ?? {})) {
    for (const operation of Object.values(item ?? {})) {
      const { operationId, responses } = Object(operation);
      for (const link of LINKS) {
        const response: OpenAPIV3_1.ResponseObject | undefined = responses?.[link.status];
        if (link.from === operationId && response !== undefined) {
          response.links = { ...response.links, ...linksOf(link) };
        }
      }
    }
  }
}

function linksOf({ to, parameters, body }: Link): Record<string, OpenAPIV3_1.LinkObject> {
  return Object.fromEntries(
    to.map((operationId) => [
      operationId,
      {
        operationId,
        ...(parameters === undefined ? {} : { parameters }),
        ...(body === undefined ? {} : { requestBody: body }),
      },
    ]),
  );
}
