/** A holder with one of everything, and all operations of the API description. */
import assert from 'node:assert/strict';
import { requestTo } from './endpoints.fixture.ts';
import { makeBelongings, register, startIsolation } from './installation.fixture.ts';
import { operationsOf } from './operations.fixture.ts';

export async function startWithHolder() {
  const installation = await startIsolation();
  const operations = await operationsOf(installation);
  const holder = await register(installation, 'holder');
  const belongings = await makeBelongings(installation, holder);
  const operation = (id: string) =>
    operations.find((each) => each.id === id) ?? assert.fail(`there is no ${id}`);
  return {
    ...installation,
    operations,
    operation,
    holder,
    belongings,
    token: await holder.token(),
    /** Sends the holder's request with these credentials instead. */
    send(id: string, headers: Readonly<Record<string, string>>): Promise<Response> {
      const { path, body } = requestTo(operation(id), belongings);
      return installation.call(operation(id).method, path, headers, body);
    },
  };
}
