import assert from 'node:assert/strict';
import { glob } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { accessTo, PROCESSES } from '@audiosplit/proto/callers';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import type { DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { systemClock } from '../clock.ts';
import { silentLogger } from '../process/log.ts';
import { createCaller } from '../rpc/client.ts';
import { errorInfoOf } from '../rpc/errors.ts';
import { serveInProcess } from '../rpc/server.ts';
import { testKeysOf } from '../testing/identities.ts';
import { actingFor, requireAccount } from './authorization.ts';

/** Reads every generated file, so that no service is left out. */
async function findServices(): Promise<readonly DescService[]> {
  const folder = new URL('../../../../proto/gen/audiosplit/', import.meta.url);
  const services: DescService[] = [];
  for await (const file of glob('**/*_pb.js', { cwd: fileURLToPath(folder) })) {
    const exported: { readonly kind?: string }[] = Object.values(await import(new URL(file, folder).href));
    services.push(...exported.filter((each): each is DescService => each.kind === 'service'));
  }
  return services;
}

const SERVICES = await findServices();
const ACCOUNT = { accountId: 'acc_1', scopes: ['splits:read'] };

const address = serveInProcess({
  // Without implementations: an authorized caller gets "unimplemented".
  routes: (router) => {
    for (const service of SERVICES) router.service(service, {});
  },
  keys: testKeysOf('jobs'),
  log: silentLogger(),
  clock: systemClock,
});

for (const service of SERVICES) {
  test(`${service.typeName} accepts only the callers in the table`, async () => {
    for (const method of service.methods) {
      const access = accessTo(method);
      assert.ok(access, method.name);
      for (const process of PROCESSES) {
        const client = createCaller({ keys: testKeysOf(process), clock: systemClock }).client(
          service,
          address,
        );
        const call = (client as Record<string, (request: object, options: object) => Promise<unknown>>)[
          method.localName
        ];
        assert.ok(call);
        for (const as of ['process', 'account'] as const) {
          const error: unknown = await call({}, as === 'account' ? actingFor(ACCOUNT) : {}).catch(
            (thrown: unknown) => thrown,
          );
          const isListed = access.as === as && access.by.includes(process);
          const title = `${method.name} called by ${process} as ${as}`;
          if (isListed) assert.equal(ConnectError.from(error).code, Code.Unimplemented, title);
          else assert.equal(errorInfoOf(error).reason, Reason.UNAUTHORIZED, title);
        }
      }
    }
  });
}

test('a call without a token is rejected before anything else', async () => {
  const client = createClient(JobsService, address.connect([]));
  const error = await client.getJob({}).catch((thrown: unknown) => thrown);
  assert.equal(ConnectError.from(error).code, Code.Unauthenticated);
});

test('a handler reads the account of its call, with the scopes of the credential', async () => {
  const seen: unknown[] = [];
  const served = serveInProcess({
    routes: (router) =>
      router.service(JobsService, {
        getJob(_, context) {
          seen.push(requireAccount(context));
          return {};
        },
      }),
    keys: testKeysOf('jobs'),
    log: silentLogger(),
    clock: systemClock,
  });
  const gateway = createCaller({ keys: testKeysOf('gateway'), clock: systemClock }).client(
    JobsService,
    served,
  );
  await gateway.getJob({}, actingFor(ACCOUNT));
  assert.deepEqual(seen, [ACCOUNT]);
});
