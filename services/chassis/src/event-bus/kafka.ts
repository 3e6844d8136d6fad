export function openKafkaEventBus(_: unknown): Promise<import('./event-bus.ts').EventBus> { throw new Error('placeholder'); }
