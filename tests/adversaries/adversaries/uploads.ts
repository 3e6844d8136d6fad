/** Uploads that begin and do not continue. */
import { connect } from 'node:net';
import type { Adversary } from '../adversary.ts';
import { openAccounts, type Target } from '../target.ts';
import { createTally, repeat } from './repetition.ts';

const UPLOADS = 100;
const ACCOUNTS = 4;
const ANNOUNCED_BYTES = 50_000_000;
const FIRST_BYTES = 2_000_000;

/** Each sends `firstBytes`, and then a byte a second, or nothing more. */
async function playUploads(target: Target, firstBytes: number, drips: boolean) {
  const accounts = await openAccounts(target, ACCOUNTS);
  const answers = createTally();
  const first = Buffer.alloc(firstBytes);
  const uploading = repeat(UPLOADS, 1_000, async (loop, signal) => {
    const account = accounts[loop % accounts.length];
    if (account === undefined) return;
    const answer = await account.raw('POST /api/v1/uploads', { body: {}, signal });
    if (answer.status !== 201) return answers.add(answer.status);
    const { hostname, port, pathname, search } = new URL(answer.body.uploadUrl);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const stop = () => socket.destroy();
    signal.addEventListener('abort', stop, { once: true });
    socket.write(
      `PUT ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${ANNOUNCED_BYTES}\r\n\r\n`,
    );
    socket.write(first);
    const drip = setInterval(() => void (drips && socket.write('a')), 1_000);
    const [response] = (await socket.take(1).toArray()) as Buffer[];
    answers.add(response?.toString('latin1').split('\r\n', 1)[0] ?? 'closed');
    clearInterval(drip);
    signal.removeEventListener('abort', stop);
    socket.destroy();
  });
  return {
    async stop() {
      await uploading[Symbol.asyncDispose]();
      return String(answers);
    },
  };
}

export const UPLOADS_THAT_WAIT: readonly Adversary[] = [
  {
    name: 'stalled-uploads',
    title: `${UPLOADS} uploads that stall after ${FIRST_BYTES / 1e6} MB`,
    bound: 'UPLOAD_BUFFER_BYTES, idle 10 s',
    play: (target) => playUploads(target, FIRST_BYTES, false),
  },
  {
    name: 'slow-uploads',
    title: `${UPLOADS} uploads of a byte a second`,
    bound: '16 KiB/s over 30 s',
    play: (target) => playUploads(target, 1, true),
  },
];
