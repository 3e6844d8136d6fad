/** Acts as a browser towards a console's back end: it keeps cookies and sends its origin. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Answer } from '../accounts/raw.ts';

export type Browser = ReturnType<typeof openBrowser>;

export const newCredentials = () => ({
  email: `bo-${randomUUID()}@example.com`,
  password: 'correct horse battery',
});

/** A browser in which a user has just signed up. */
export async function signUp(baseUrl: string): Promise<Browser> {
  const browser = openBrowser(baseUrl);
  const { status, body } = await browser.mutate('session.signUp', newCredentials());
  assert.equal(status, 200, JSON.stringify(body));
  return browser;
}

export function openBrowser(baseUrl: string, trpcPath = '/console/trpc') {
  const jar = new Map<string, string>();

  async function send(method: string, path: string, headers: Record<string, string>, body?: string) {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: {
        ...(jar.size === 0 ? {} : { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(cookie) ?? [];
      if (/Max-Age=0\b/.test(attributes)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  async function answerOf(response: Response): Promise<Answer> {
    const text = await response.text();
    const body = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, body };
  }

  async function mutate(path: string, input?: unknown, headers: Record<string, string> = {}) {
    const own = {
      origin: baseUrl,
      'sec-fetch-site': 'same-origin',
      'x-audiosplit-console': '1',
      'content-type': 'application/json',
    };
    const body = input === undefined ? undefined : JSON.stringify(input);
    return answerOf(await send('POST', `${trpcPath}/${path}`, { ...own, ...headers }, body));
  }

  async function query(path: string, input?: unknown): Promise<Answer> {
    const search = input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify(input))}`;
    return answerOf(await send('GET', `${trpcPath}/${path}${search}`, {}));
  }

  return {
    jar,
    send,
    mutate,
    query,
    /** The data of a mutation or a query that must succeed. */
    change: async (path: string, input?: unknown) => dataOf(await mutate(path, input)),
    read: async (path: string, input?: unknown) => dataOf(await query(path, input)),
    /** Events of a subscription as they arrive, each with its id. */
    async *follow(path: string, input: unknown, signal: AbortSignal) {
      const url = new URL(`${trpcPath}/${path}?input=${encodeURIComponent(JSON.stringify(input))}`, baseUrl);
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { headers: { cookie }, signal });
      const text = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
      let rest = '';
      for await (const chunk of text) {
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const id = /^id: (.*)$/m.exec(block)?.[1];
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (id !== undefined && data !== undefined) yield { id, data: JSON.parse(data) };
        }
      }
    },
  };
}

function dataOf({ status, body }: Answer) {
  assert.equal(status, 200, JSON.stringify(body));
  return body.result.data;
}

/** The error code of a refused call. */
export function codeOf({ body }: Answer): string {
  return body.error.data.api.code;
}

interface Procedure {
  readonly _def: {
    readonly type: 'query' | 'mutation' | 'subscription';
    readonly inputs: readonly unknown[];
  };
}

/** Asserts that each procedure with input refuses text that cannot be stored, and names the field. */
export async function assertTextRule(router: { readonly _def: object }, browser: Browser): Promise<void> {
  const { procedures } = router._def as { procedures: Record<string, Procedure> };
  const takers = Object.entries(procedures).filter(
    ([, { _def }]) => _def.inputs.length > 0 && _def.type !== 'subscription',
  );
  assert.ok(takers.length >= 4);
  for (const [path, { _def }] of takers) {
    for (const text of ['a\u0000b', '\ud800']) {
      const send = _def.type === 'mutation' ? browser.mutate : browser.query;
      const { status, body } = await send(path, { field: text });
      assert.equal(status, 400, `${path}: ${JSON.stringify(body)}`);
      const message = 'must not hold the character U+0000, nor half a surrogate pair';
      assert.deepEqual(body.error.data.api.details, [{ field: 'field', message }]);
    }
  }
}
