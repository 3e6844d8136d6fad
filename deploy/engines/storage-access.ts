/** The bucket's policy and the accounts of the object store, generated from access.ts. */
import { PutBucketPolicyCommand, type S3Client } from '@aws-sdk/client-s3';
import { ENGINE_ACCESS, ENGINE_USERS, type EngineUser, OBJECTS, passwordOf } from './access.ts';

const POLICY_VERSION = '2012-10-17';

/** versitygw's accounts file: users of the object store whose permissions come only from the policy. */
export function storageAccounts(secret: string): unknown {
  const account = (user: EngineUser) => ({
    access: user,
    secret: passwordOf(user, secret),
    role: 'user',
    userID: 0,
    groupID: 0,
    projectID: 0,
  });
  return {
    accessAccounts: Object.fromEntries(storageUsers().map((user) => [user, account(user)])),
  };
}

/** `client` is an administrator's. */
export async function restrictBucket(client: S3Client, bucket: string): Promise<void> {
  const Policy = JSON.stringify(bucketPolicy(bucket));
  await client.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }));
}

export function bucketPolicy(bucket: string): unknown {
  const arn = `arn:aws:s3:::${bucket}`;
  const statements = storageUsers().flatMap((user) => {
    const { read = [], write = [], delete: deleted = [], list = [] } = ENGINE_ACCESS[user].storage ?? {};
    const abortsParts = deleted.includes(OBJECTS.uploads);
    const statement = (Action: readonly string[], Resource: unknown, rest = {}) => ({
      Effect: 'Allow',
      Principal: { AWS: [user] },
      Action,
      Resource,
      ...rest,
    });
    const onObjects = (actions: readonly string[], prefixes: readonly string[]) =>
      prefixes.length === 0
        ? []
        : [
            statement(
              actions,
              prefixes.map((prefix) => `${arn}/${prefix}*`),
            ),
          ];
    const listed =
      list === 'all'
        ? [statement(['s3:ListBucket'], arn)]
        : list.map((prefix) =>
            statement(['s3:ListBucket'], arn, { Condition: { StringLike: { 's3:prefix': `${prefix}*` } } }),
          );
    return [
      ...onObjects(['s3:GetObject'], read),
      ...onObjects(['s3:PutObject', 's3:AbortMultipartUpload'], write),
      ...onObjects(['s3:DeleteObject'], deleted),
      ...(abortsParts
        ? [
            ...onObjects(['s3:AbortMultipartUpload'], [OBJECTS.uploads]),
            statement(['s3:ListBucketMultipartUploads'], arn),
          ]
        : []),
      ...listed,
    ];
  });
  return { Version: POLICY_VERSION, Statement: statements };
}

export function storageUsers(): readonly EngineUser[] {
  return ENGINE_USERS.filter((user) => ENGINE_ACCESS[user].storage !== undefined);
}
