/** Receives notifications of jobs and stores them; can hang, fail and redirect. */
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { createBreakable } from './breakable.ts';
import { listen } from './listen.ts';

export type ReceiverFault = 'hang' | 'fail' | 'redirect';

interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Notification {
  /** The webhook-id: the same for every attempt. */
  readonly id: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they know
  readonly data: any;
  /** The last part of the request's path, as a number. */
  readonly number: number;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const REDIRECT_PATH = '/elsewhere';
/** Every notification to a path below it gets a 500. */
const BROKEN_PATH = '/broken';

export async function startReceiver(host?: string) {
  /** Every request whose body was complete, whether it was accepted or not. */
  const received: ReceivedRequest[] = [];
  /** All accepted notifications, in order. */
  const accepted: Notification[] = [];
  const breakable = createBreakable<ReceiverFault>();
  let status = 204;
  let redirectsFollowed = 0;
  const answer = async (...[request, response]: Parameters<RequestListener>) => {
    const { url: path = '', headers, method } = request;
    const body = await text(request);
    received.push({ path, headers, body });
    if (path === REDIRECT_PATH) redirectsFollowed += 1;
    const fault = breakable.meet();
    if (fault !== undefined) return refuse(fault, response);
    const answered = method !== 'POST' ? 404 : path.startsWith(BROKEN_PATH) ? 500 : status;
    if (answered < 300) {
      const { type, data } = JSON.parse(body) as Pick<Notification, 'type' | 'data'>;
      const number = Number(path.slice(path.lastIndexOf('/') + 1));
      accepted.push({ id: String(headers['webhook-id']), type, data, number });
    }
    response.writeHead(answered).end();
  };
  const server = await listen((request, response) => {
    // A sender that disconnects midway will retry.
    answer(request, response).catch(() => response.destroy());
  }, host);
  return {
    ...server,
    received,
    accepted,
    /** The status for every further notification; 204 until then. */
    answerWith(next: number) {
      status = next;
    },
    breakDown: breakable.breakDown,
    /** The number of requests to the target of its redirects; senders must not follow redirects. */
    redirectsFollowed: () => redirectsFollowed,
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
