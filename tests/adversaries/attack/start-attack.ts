/** Runs an adversary in a separate process. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Target } from '../target.ts';
import type { FromAttack, ToAttack } from './messages.ts';

const HOST = resolve(import.meta.dirname, 'host.ts');

export interface PlayedAttack extends AsyncDisposable {
  /** Resolves with what the adversary achieved. */
  stop(): Promise<string>;
}

/** Resolves once it is at its full strength. */
export async function startAttack(name: string, target: Target): Promise<PlayedAttack> {
  // Detached, so that Linux groups it by itself.
  const child = fork(HOST, { detached: true, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const say = (message: ToAttack) => child.send(message);
  await using starting = new AsyncDisposableStack();
  starting.defer(() => void child.kill('SIGKILL'));
  const answer = async (): Promise<FromAttack> => {
    const exited = once(child, 'exit').then(([code]): FromAttack => {
      return { kind: 'failed', message: `the attack ended with ${code}` };
    });
    const answered = once(child, 'message').then(([message]) => message as FromAttack);
    const message = await Promise.race([answered, exited]);
    if (message.kind === 'failed') throw new Error(`${name}: ${message.message}`);
    return message;
  };
  say({ kind: 'play', name, target });
  await answer();
  const playing = starting.move();
  return {
    async stop() {
      say({ kind: 'stop' });
      const message = await answer();
      return message.kind === 'stopped' ? message.got : '';
    },
    [Symbol.asyncDispose]: () => playing.disposeAsync(),
  };
}
