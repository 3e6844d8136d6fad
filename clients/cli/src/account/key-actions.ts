/** `audiosplit keys`: the account's API keys. */
import type { ApiKey, CreatedApiKey } from '@audiosplit/client';
import type { Action, ActionCall, Actions } from '../actions/action.ts';
import { alignColumns } from '../table.ts';
import { UsageError } from '../usage.ts';

const SCOPES = ['splits:read', 'splits:write', 'keys:manage', 'connections:manage'] as const;

export const KEY_ACTIONS: Actions = {
  list: {
    operands: [],
    help: 'all keys, without their secrets',
    async run({ client, print, signal }) {
      const keys: ApiKey[] = [];
      for await (const key of client.eachApiKey({}, { signal })) keys.push(key);
      print(keys, () => (keys.length === 0 ? 'no keys' : alignColumns(keys.map(cellsOf))));
    },
  },
  create: {
    operands: ['NAME'],
    help: 'make a key; its secret is printed this once',
    options: {
      scopes: { value: 'A,B', help: `of create: some of ${SCOPES.join(', ')}; default: the first two` },
    },
    async run(call) {
      const [name = ''] = call.operands;
      const scopes = readScopes(call.option('scopes'));
      printSecret(await call.client.createApiKey({ name, scopes }, { signal: call.signal }), call);
    },
  },
  rotate: {
    operands: ['KEY_ID'],
    help: 'give it a new secret, which is printed this once',
    async run(call) {
      const [id = ''] = call.operands;
      printSecret(await call.client.rotateApiKey(id, {}, { signal: call.signal }), call);
    },
  },
  revoke: {
    operands: ['KEY_ID'],
    help: 'end it for good',
    async run({ client, operands: [id = ''], print, signal }) {
      await client.revokeApiKey(id, { signal });
      print([{ id, revoked: true }], () => `${id} is revoked`);
    },
  },
} satisfies Record<string, Action>;

function readScopes(given: string | true | undefined): (typeof SCOPES)[number][] {
  const names = given === undefined ? SCOPES.slice(0, 2) : String(given).split(',');
  return names.map((name) => {
    const scope = SCOPES.find((each) => each === name.trim());
    if (scope === undefined) throw new UsageError(`--scopes ${name}: choose of ${SCOPES.join(', ')}`);
    return scope;
  });
}

function cellsOf({ id, keyPreview, name, scopes, lastUsedAt }: ApiKey): string[] {
  return [id, keyPreview, lastUsedAt ?? 'never used', scopes.join(','), name];
}

function printSecret(created: CreatedApiKey, { print }: ActionCall): void {
  print([created], () => created.key);
}
