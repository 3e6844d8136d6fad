import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { ensureGoProgram } from '../provision/go-program.ts';
import type { Launch } from '../provision/launch.ts';
import type { Task } from '../provision/task.ts';
import { versions } from '../provision/versions.ts';
import type { Address, Engine, Preparation } from './engine.ts';
import { restrictBucket, storageAccounts } from './storage-access.ts';

const bucket = 'audiosplit';
const region = 'us-east-1';
const accessKeyId = 'audiosplit';

/** An S3 server over a directory: buckets are its folders. */
export const versitygw: Engine = {
  name: 'versitygw',
  stopSignal: 'SIGTERM',
  prepare,
  probe,
  async restrict(address) {
    const client = await clientOf(address);
    try {
      await restrictBucket(client, bucket);
    } finally {
      client.destroy();
    }
  },
  endpoints: (address) => ({
    storageUrl: `s3://${bucket}?endpoint=${endpoint(address)}&region=${region}`,
    awsAccessKeyId: accessKeyId,
    awsSecretAccessKey: address.secret,
  }),
};

export function ensureVersitygw(task: Task): Promise<string> {
  const { versitygw: version, versitygwMinimumGo: minimumGo } = versions;
  const main = 'github.com/versity/versitygw/cmd/versitygw';
  return ensureGoProgram({ name: 'versitygw', package: main, version, minimumGo }, task);
}

async function prepare(preparation: Preparation): Promise<Launch> {
  const { port, secured, secret, restricted, dataDir, task } = preparation;
  const command = await ensureVersitygw(task);
  const buckets = join(dataDir, 'buckets');
  // Metadata is stored in files and not in extended attributes, which some file systems lack.
  const metadata = join(dataDir, 'metadata');
  await mkdir(join(buckets, bucket), { recursive: true });
  await mkdir(metadata, { recursive: true });
  const accounts = join(dataDir, 'accounts');
  await mkdir(accounts, { recursive: true });
  if (restricted === true) {
    const text = JSON.stringify(storageAccounts(secret));
    await writeFile(join(accounts, 'users.json'), text, { mode: 0o600 });
  }
  return {
    command,
    args: [
      ...['--port', `127.0.0.1:${port}`, '--region', region, '--keep-alive', '--quiet'],
      ...(secured ? ['--cert', secured.identityFile, '--key', secured.identityFile] : []),
      ...(restricted === true ? ['--iam-dir', accounts] : []),
      ...['posix', '--sidecar', metadata, buckets],
    ],
    environment: { ROOT_ACCESS_KEY_ID: accessKeyId, ROOT_SECRET_ACCESS_KEY: secret },
  };
}

async function clientOf(address: Address): Promise<S3Client> {
  const ca = address.secured && (await readFile(address.secured.authorityFile));
  return new S3Client({
    ...(ca && { requestHandler: { httpsAgent: { ca } } }),
    endpoint: endpoint(address),
    region,
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId, secretAccessKey: address.secret },
  });
}

async function probe(address: Address): Promise<void> {
  const client = await clientOf(address);
  try {
    const { Buckets } = await client.send(new ListBucketsCommand(), {
      abortSignal: AbortSignal.timeout(2_000),
    });
    if (!Buckets?.some(({ Name }) => Name === bucket)) throw new Error(`bucket ${bucket} is not listed`);
  } finally {
    client.destroy();
  }
}

function endpoint({ port, secured }: Address): string {
  return secured === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
}
