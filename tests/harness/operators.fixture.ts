/**
 * The operators' console in front of a test's services, and a consumer group whose handler fails until it is
 * fixed.
 */
import { join } from 'node:path';
import { openOperations } from '@audiosplit/chassis/event-bus/operator/open-operations';
import { createLogger } from '@audiosplit/chassis/process/log';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { failTest } from '@audiosplit/chassis/testing/service-context';
import { until } from '@audiosplit/chassis/testing/until';
import { readOperatorsPages, startOperators } from '@audiosplit/gateway/operators/service';
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPICS } from '@audiosplit/proto/topics';
import { fromBinary } from '@bufbuild/protobuf';
import { openBrowser } from '../harness/installation/console.fixture.ts';
import type { ScriptedServices } from '../harness/installation/scripted-services.ts';

export const OPERATOR = 'grace';
export const OPERATOR_SECRET = 'an operator secret of more than 32 bytes';
export const FAILING_GROUP = 'reports';

interface AuditLine {
  readonly operator: string;
  readonly action: string;
  readonly input?: unknown;
  readonly outcome: string;
}

export async function startOperatorsFixture({
  context,
  databaseUrl,
  folder,
  advance,
}: Pick<ScriptedServices, 'context' | 'databaseUrl' | 'folder' | 'advance'>) {
  await using starting = new AsyncDisposableStack();
  const lines: (AuditLine & { readonly audit?: true })[] = [];
  const log = createLogger('operators', 'silent', { write: (line) => void lines.push(JSON.parse(line)) });
  const operators = starting.use(
    await startOperators(
      {
        host: '127.0.0.1',
        port: 0,
        secrets: new Map([
          [OPERATOR, OPERATOR_SECRET],
          ['ken', 'another secret of more than thirty-two bytes'],
        ]),
        links: [
          { name: 'Grafana', url: 'https://grafana.example/d/audiosplit' },
          { name: 'Runbooks', url: 'https://wiki.example/audiosplit' },
        ],
      },
      {
        ...context,
        keys: testKeysOf('operator'),
        log,
        openBus: () => openOperations({ databaseUrl }),
        pages: await readOperatorsPages(),
        mailDir: join(folder, 'mail'),
      },
    ),
  );
  let isBroken = true;
  const handled: string[] = [];
  const given: string[] = [];
  starting.use(
    await context.bus.subscribe({
      group: FAILING_GROUP,
      topics: [TOPICS.accounts],
      maxDeliveries: 1,
      onCrash: failTest,
      async handler({ key, value }) {
        // One event of an account is enough.
        if (fromBinary(EventSchema, value).payload.case !== 'accountRegistered') return;
        given.push(key);
        if (isBroken) throw new Error('the warehouse has no table "accounts"');
        handled.push(key);
      },
    }),
  );
  const running = starting.move();
  const open = () => openBrowser(operators.url, '/trpc');
  return {
    url: operators.url,
    openBrowser: open,
    async signIn() {
      // Sign-ins are limited to ten a minute.
      advance(10_000);
      const browser = open();
      await browser.change('session.signIn', { operator: OPERATOR, secret: OPERATOR_SECRET });
      return browser;
    },
    audit: () => lines.filter(({ audit }) => audit === true),
    /** Keys of the events that the group has received. */
    given,
    /** Keys of the events that it has handled. */
    handled,
    mendGroup() {
      isBroken = false;
    },
    /** Resolves once the group has failed on an event of the account. */
    letFail: (accountId: string) => until(() => given.includes(accountId), 'the group has failed'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
