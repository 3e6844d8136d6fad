/** Kafka's logins and ACLs, generated from access.ts. */
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  type Kafka,
  ResourcePatternTypes,
} from '@audiosplit/chassis/event-bus/kafka/client';
import { ensureTopics } from '@audiosplit/chassis/event-bus/kafka/topics';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import type { AclEntry } from 'kafkajs';
import {
  deadLetterTopicsOf,
  ENGINE_ACCESS,
  ENGINE_USERS,
  type EngineUser,
  passwordOf,
  usesKafka,
} from './access.ts';

/** The administrator's name; the password is the engine's secret. */
export const KAFKA_USER = 'audiosplit';

const LOGIN_MODULE = 'org.apache.kafka.common.security.plain.PlainLoginModule';

/**
 * Properties of a broker that refuses clients without a login, and gives each process the permissions of its
 * ACLs.
 */
export function restrictedProperties(secret: string, listeners: readonly string[]): Record<string, string> {
  const users = ENGINE_USERS.map((user) => `user_${user}="${passwordOf(user, secret)}"`);
  const administrator = `username="${KAFKA_USER}" password="${secret}" user_${KAFKA_USER}="${secret}"`;
  const logins = `${LOGIN_MODULE} required ${administrator} ${users.join(' ')};`;
  return {
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': `User:${KAFKA_USER}`,
    'sasl.enabled.mechanisms': 'PLAIN',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'sasl.mechanism.controller.protocol': 'PLAIN',
    ...Object.fromEntries(listeners.map((name) => [`listener.name.${name}.plain.sasl.jaas.config`, logins])),
  };
}

/**
 * Creates all topics, so processes need no permission to do so, and changes the ACLs to those of the table.
 * Missing ACLs are added before superfluous ones are removed, so that running processes keep their
 * permissions.
 */
export async function restrictKafka(kafka: Kafka): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    await ensureTopics(
      admin,
      [...TOPIC_DECLARATIONS, ...ENGINE_USERS.flatMap(deadLetterTopicsOf)],
      silentLogger(),
    );
    const declared = ENGINE_USERS.flatMap(aclsOf);
    await admin.createAcls({ acl: declared });
    const { resources } = await admin.describeAcls(ANY);
    const known = new Set(declared.map(keyOf));
    const superfluous = resources
      .flatMap(({ acls, ...resource }) => acls.map((acl) => ({ ...resource, ...acl })))
      .filter((entry) => !known.has(keyOf(entry)));
    if (superfluous.length > 0) await admin.deleteAcls({ filters: superfluous });
  } finally {
    await admin.disconnect();
  }
}

const ANY = {
  resourceType: AclResourceTypes.ANY,
  resourcePatternType: ResourcePatternTypes.ANY,
  operation: AclOperationTypes.ANY,
  permissionType: AclPermissionTypes.ANY,
};

function aclsOf(user: EngineUser): readonly AclEntry[] {
  const { publishes = [], consumes = [] } = ENGINE_ACCESS[user];
  if (!usesKafka(user)) return [];
  const { READ, WRITE, DESCRIBE, DESCRIBE_CONFIGS } = AclOperationTypes;
  const entry = (
    operation: AclEntry['operation'],
    resourceName: string,
    resourceType = AclResourceTypes.TOPIC,
  ) => ({
    principal: `User:${user}`,
    host: '*',
    operation,
    resourceType,
    resourceName,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    permissionType: AclPermissionTypes.ALLOW,
  });
  const own = deadLetterTopicsOf(user).map(({ name }) => name);
  return [
    // At its start a process compares all topics with their declarations.
    ...[...TOPIC_DECLARATIONS.map(({ name }) => name), ...own].flatMap((name) => [
      entry(DESCRIBE, name),
      entry(DESCRIBE_CONFIGS, name),
    ]),
    ...publishes.map((name) => entry(WRITE, name)),
    ...consumes.map((name) => entry(READ, name)),
    ...own.map((name) => entry(name.endsWith('.replay') ? READ : WRITE, name)),
    ...(consumes.length === 0 ? [] : [entry(READ, user, AclResourceTypes.GROUP)]),
  ];
}

function keyOf(each: AclEntry): string {
  const { principal, host, operation, permissionType } = each;
  return [
    principal,
    host,
    operation,
    permissionType,
    each.resourceType,
    each.resourcePatternType,
    each.resourceName,
  ].join();
}
