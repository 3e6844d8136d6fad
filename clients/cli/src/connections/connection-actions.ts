/** `audiosplit connections`: buckets of the account, where sources lie and segments are put. */
import type { Connection, ConnectionTest } from '@audiosplit/client';
import type { Action, ActionCall, Actions } from '../actions/action.ts';
import { alignColumns } from '../table.ts';
import { UsageError } from '../usage.ts';
import { readSecret } from './read-secret.ts';

const DEFAULT_REGION = 'us-east-1';

/** No name of a connection looks like that. */
const ID = /^con_\w+$/;

export const CONNECTION_ACTIONS: Actions = {
  list: {
    operands: [],
    help: 'all connections, without their secrets',
    takesKey: true,
    async run({ client, print, signal }) {
      const { data } = await client.listConnections({ signal });
      print(data, () => (data.length === 0 ? 'no connections' : alignColumns(data.map(cellsOf))));
    },
  },
  add: {
    operands: ['NAME'],
    help: 'connect a bucket; the secret comes by S3_SECRET_ACCESS_KEY or standard input',
    takesKey: true,
    options: {
      bucket: { value: 'BUCKET', help: 'of add: its name' },
      endpoint: { value: 'URL', help: 'of add: of a store other than Amazon S3' },
      region: { value: 'REGION', help: `of add: as the store names it; default: ${DEFAULT_REGION}` },
      prefix: { value: 'FOLDER', help: 'of add: a folder of the bucket, which is not left' },
      'access-key-id': { value: 'ID', help: 'of add: the id of its key, unless S3_ACCESS_KEY_ID holds it' },
    },
    run: add,
  },
  test: {
    operands: ['CONNECTION'],
    help: 'list, read, write and delete there; leaves with 1 where one of them fails',
    takesKey: true,
    async run(call) {
      const { name, id } = await find(call);
      const result = await call.client.testConnection(id, { signal: call.signal });
      call.print(result.checks, () => alignColumns(result.checks.map(cellsOfCheck)));
      if (!result.ok) throw new Error(`${name} does not work as it should`);
    },
  },
  remove: {
    operands: ['CONNECTION'],
    help: 'forget it; what lies in the bucket stays',
    takesKey: true,
    async run(call) {
      const { name, id } = await find(call);
      await call.client.deleteConnection(id, { signal: call.signal });
      call.print([{ id, removed: true }], () => `${name} is removed`);
    },
  },
} satisfies Record<string, Action>;

async function add({
  operands: [name = ''],
  option,
  client,
  context,
  signal,
  print,
}: ActionCall): Promise<void> {
  const bucket = option('bucket');
  if (bucket === undefined) throw new UsageError('name the bucket: --bucket BUCKET');
  const accessKeyId = option('access-key-id') ?? context.env.S3_ACCESS_KEY_ID;
  if (accessKeyId === undefined || accessKeyId === '')
    throw new UsageError('give the id of its key: --access-key-id ID, or S3_ACCESS_KEY_ID');
  const [endpoint, prefix] = [option('endpoint'), option('prefix')];
  const secretAccessKey = await readSecret(context);
  const made = await client.createConnection(
    {
      name,
      type: 's3',
      ...(endpoint === undefined ? {} : { endpoint: String(endpoint) }),
      region: String(option('region') ?? DEFAULT_REGION),
      bucket: String(bucket),
      ...(prefix === undefined ? {} : { prefix: String(prefix) }),
      accessKeyId: String(accessKeyId),
      secretAccessKey,
    },
    { signal },
  );
  print([made], () => `${made.name} is connected: audiosplit connections test ${made.name}`);
}

/** By its id or its name. */
async function find({
  operands: [given = ''],
  client,
  signal,
}: ActionCall): Promise<Pick<Connection, 'id' | 'name'>> {
  if (ID.test(given)) return { id: given, name: given };
  const { data } = await client.listConnections({ signal });
  const found = data.find(({ name }) => name === given);
  if (found === undefined)
    throw new UsageError(`there is no connection ${given}: audiosplit connections list`);
  return found;
}

function cellsOf({ id, name, bucket, prefix = '', endpoint, region }: Connection): string[] {
  return [name, id, `s3://${bucket}/${prefix}`, endpoint ?? `Amazon S3, ${region}`];
}

function cellsOfCheck({ action, message }: ConnectionTest['checks'][number]): string[] {
  return [action, message ?? 'works'];
}
