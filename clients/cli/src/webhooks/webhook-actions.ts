/** `audiosplit webhooks listen`: one's own events on the terminal, and at a local address as webhooks would be. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookEvent } from '@audiosplit/client';
import type { ActionCall, Actions } from '../actions/action.ts';
import { readStoredLogin } from '../login/stored-login.ts';
import { messageOf } from '../message-of.ts';
import { readUrl } from '../url.ts';
import { UsageError } from '../usage.ts';
import { findJob, followJobs } from './job-changes.ts';
import { eventsOf } from './job-events.ts';
import { signatureHeaders } from './signature.ts';

const FORWARD_TIMEOUT_MS = 15_000;

export const WEBHOOK_ACTIONS: Actions = {
  listen: {
    operands: [],
    help: 'show the events of your jobs as they come, until Ctrl-C',
    options: {
      'forward-to': {
        value: 'URL',
        help: 'post each there, signed as a webhook is: http://localhost:3000/hook',
      },
      secret: {
        value: 'SECRET',
        help: "sign with this one; default: the account's if signed in, else a new one",
      },
    },
    run: listen,
  },
};

async function listen(call: ActionCall): Promise<void> {
  const { client, context, signal } = call;
  const target = readTarget(call.option('forward-to'));
  const secret = target === undefined ? '' : await chooseSecret(call);
  if (target !== undefined) context.stderr.write(`Forwarding to ${target}, signed with ${secret}\n`);
  const pause = (ms: number) => sleep(ms, undefined, { signal });
  for await (const { id, before } of followJobs(client, { signal, pause, nowMs: Date.now })) {
    const job = await findJob(client, id, { signal });
    for (const event of job === undefined ? [] : eventsOf(job, before, Date.now())) {
      const outcome = target === undefined ? '' : ` → ${await forward(event, target, secret)}`;
      call.print([event], () => `${event.timestamp} ${event.type} ${id}${outcome}`);
    }
  }
}

/** What became of it. A receiver that is not there yet ends nothing. */
async function forward(event: WebhookEvent, target: string, secret: string): Promise<string> {
  const body = JSON.stringify(event);
  const signed = signatureHeaders(secret, { id: `msg_${randomUUID()}`, atMs: Date.now(), body });
  try {
    const { status } = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
    });
    return String(status);
  } catch (error) {
    return messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
  }
}

function readTarget(given: string | true | undefined): string | undefined {
  if (given === undefined) return undefined;
  const url = readUrl(String(given));
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw new UsageError(`--forward-to ${given}: give an address such as http://localhost:3000/hook`);
}

async function chooseSecret({ option, client, server, context, signal }: ActionCall): Promise<string> {
  const given = option('secret');
  if (given !== undefined) return String(given);
  const login = await readStoredLogin(context.env);
  if (login?.baseUrl !== server.baseUrl || login.session === undefined)
    return `whsec_${randomBytes(24).toString('base64')}`;
  return (await client.getWebhookSecret({ signal })).secret;
}
