/** Where the jobs' notifications go: it keeps what it accepts, and can hang, fail, and redirect. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Broken, createBreakable } from './breakable.ts';

export type ReceiverFault = 'hang' | 'fail' | 'redirect';

export interface Notification {
  /** The webhook-id: the same for every attempt. */
  readonly id: string;
  readonly type: string;
  /** The last part of the path that it came to. */
  readonly wish: number;
}

export interface WebhookReceiver extends AsyncDisposable {
  /** Takes any path below it as well. */
  readonly url: string;
  /** All that were accepted, in their order. */
  readonly accepted: readonly Notification[];
  /** For as long as it is not disposed. */
  breakDown(fault: ReceiverFault): Broken;
  /** Requests at where redirects point: none is to come. */
  redirectsFollowed(): number;
}

const REDIRECT_PATH = '/elsewhere';

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const accepted: Notification[] = [];
  const breakable = createBreakable<ReceiverFault>();
  let redirectsFollowed = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url === REDIRECT_PATH) redirectsFollowed += 1;
    const fault = breakable.fault();
    if (fault !== undefined) {
      breakable.hit();
      refuse(fault, response);
      return;
    }
    const { type } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { type: string };
    const wish = Number(request.url?.slice(request.url.lastIndexOf('/') + 1));
    accepted.push({ id: String(request.headers['webhook-id']), type, wish });
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => {
    // A sender that leaves in the middle comes back.
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('a TCP server has a TCP address');
  return {
    url: `http://127.0.0.1:${address.port}/notifications`,
    accepted,
    breakDown: breakable.breakDown,
    redirectsFollowed: () => redirectsFollowed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function refuse(fault: ReceiverFault, response: ServerResponse): void {
  switch (fault) {
    case 'hang':
      return;
    case 'fail':
      response.writeHead(500).end();
      return;
    case 'redirect':
      response.writeHead(307, { location: REDIRECT_PATH }).end();
      return;
    default:
      fault satisfies never;
  }
}
