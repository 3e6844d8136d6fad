import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { type Case, type Client, type Outcome, readCases } from './case.ts';
import { type SeenRequest, startScriptedServer } from './scripted-server.ts';

const KEY = 'ask_1';

/** A test for each case. The client executes all journeys concurrently, each against its own server. */
export async function describeClient(
  name: string,
  client: Client,
  { keep = () => true }: { readonly keep?: (each: Case) => boolean } = {},
): Promise<void> {
  const cases = (await readCases()).filter(keep);
  describe(`the cases of clients/cases, by ${name}`, () => {
    const started = new AsyncDisposableStack();
    let made: readonly { readonly outcome: Outcome; readonly seen: readonly SeenRequest[] }[] = [];
    before(async () => {
      const { path } = started.use(await temporaryFolder());
      const servers = await Promise.all(cases.map(startScriptedServer));
      for (const server of servers) started.use(server);
      const folders = cases.map((_, index) => join(path, String(index)));
      await Promise.all(folders.map((folder) => mkdir(folder)));
      const outcomes = await client(
        cases.map(({ run }, index) => ({
          run,
          url: servers[index]?.url ?? '',
          key: KEY,
          folder: folders[index] ?? '',
        })),
      );
      assert.equal(outcomes.length, cases.length);
      made = outcomes.map((outcome, index) => ({ outcome, seen: servers[index]?.seen ?? [] }));
    });
    after(() => started.disposeAsync());

    for (const [index, expected] of cases.entries()) {
      test(expected.name, () => {
        const { outcome, seen } = made[index] ?? assert.fail('the client did not get that far');
        assert.deepEqual(outcome, expected.outcome);
        if (expected.requests !== undefined) assertSeen(seen, expected.requests);
        const links = seen.filter(({ endpoint }) => endpoint.includes(' /downloads/'));
        if (expected.downloads !== undefined) assertSeen(links, expected.downloads);
        if (expected.sameIdempotencyKey !== true) return;
        const keys = new Set(seen.map(({ headers }) => headers['idempotency-key']));
        assert.equal(keys.size, 1);
        assert.ok(!keys.has(undefined));
      });
    }
  });
}

function assertSeen(seen: readonly SeenRequest[], expected: NonNullable<Case['requests']>): void {
  const found = seen.map(({ endpoint, headers }, index) => {
    const names = Object.keys(expected[index] ?? {}).filter((name) => name !== 'endpoint');
    return { endpoint, ...Object.fromEntries(names.map((name) => [name, headers[name] ?? null])) };
  });
  assert.deepEqual(found, expected);
}
