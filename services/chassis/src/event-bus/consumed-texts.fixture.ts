import assert from 'node:assert/strict';
import { textOf } from './event-bus.contract.ts';
import type { EventBus } from './event-bus.ts';

/** Joins the topic's own group, `<topic>.group`. `handled` receives the text of every message, in order. */
export async function consumeTexts(bus: EventBus, topic: string, handled: string[] = []) {
  const subscription = await bus.subscribe({
    group: `${topic}.group`,
    topics: [topic],
    onCrash: assert.fail,
    handler: async (message) => void handled.push(textOf(message)),
  });
  return { handled, subscription };
}
