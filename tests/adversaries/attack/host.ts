/**
 * The process of one attack. The run measures in a different process, whose event loop stays free. An attacker
 * works on a computer of its own, so this process gets only processor time that the product does not need.
 */
import { writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { ADVERSARIES } from '../adversaries/catalog.ts';
import type { Attack } from '../adversary.ts';
import type { FromAttack, ToAttack } from './messages.ts';

let attack: Attack | undefined;
setPriority(constants.priority.PRIORITY_LOW);
// A Linux kernel that groups processes by session compares only the priorities of groups.
await writeFile('/proc/self/autogroup', String(constants.priority.PRIORITY_LOW)).catch(() => undefined);
process.once('disconnect', () => process.exit());

process.on('message', (message: ToAttack) => {
  handle(message).catch((error: unknown) => {
    send({
      kind: 'failed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  });
});

async function handle(message: ToAttack): Promise<void> {
  switch (message.kind) {
    case 'play': {
      const adversary = ADVERSARIES.find(({ name }) => name === message.name);
      if (adversary === undefined) throw new Error(`there is no adversary ${message.name}`);
      attack = await adversary.play(message.target);
      return send({ kind: 'playing' });
    }
    case 'stop': {
      send({ kind: 'stopped', got: (await attack?.stop()) ?? '' });
      return process.disconnect?.();
    }
    default:
      message satisfies never;
  }
}

function send(message: FromAttack): void {
  process.send?.(message);
}
