import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { test } from 'node:test';
import { boundConnections } from './connections.ts';

function openServer(ofAddresses?: { readonly perAddress: number; readonly floodsPerSecond: number }) {
  const server = new EventEmitter();
  const floods = new Set<string>();
  let now = new Date('2026-11-30T12:00:00Z');
  const connections = boundConnections(server as Server, {
    max: 100,
    ofAddresses: ofAddresses && {
      ...ofAddresses,
      isFlooding: (address) => floods.has(address),
      clock: () => now,
    },
  });
  return {
    connections,
    floods,
    advance: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    /** Whether the connection stays open. */
    connect(remoteAddress: string): boolean {
      let isOpen = true;
      const destroy = () => {
        isOpen = false;
        socket.emit('close');
      };
      const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy });
      server.emit('connection', socket);
      return isOpen;
    },
  };
}

test('an address has at most its share of the open connections', () => {
  const { connect, connections } = openServer({ perAddress: 2, floodsPerSecond: 10 });
  assert.deepEqual(
    ['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.2'].map((address) => connect(address)),
    [true, true, false, true],
  );
  assert.deepEqual([connections.open, connections.fullest], [3, 2]);
});

test('flooding addresses share the new connections of a second, a tenth each', () => {
  const { connect, floods, advance } = openServer({ perAddress: 100, floodsPerSecond: 20 });
  const addresses = Array.from({ length: 12 }, (_, n) => `10.0.1.${n}`);
  for (const address of addresses) floods.add(address);
  const opened = addresses.flatMap((address) => [connect(address), connect(address), connect(address)]);
  const expected = addresses.flatMap((_, n) => (n < 10 ? [true, true, false] : [false, false, false]));
  assert.deepEqual(opened, expected);
  assert.equal(connect('10.0.2.1'), true, 'other addresses are not affected');
  advance(1_000);
  assert.equal(connect('10.0.1.11'), true);
});

test('an IPv6 network floods as one address', () => {
  const { connect, floods } = openServer({ perAddress: 100, floodsPerSecond: 10 });
  floods.add('2001:db8:0:1::/64');
  assert.deepEqual([connect('2001:db8:0:1::5'), connect('2001:db8:0:1::6')], [true, false]);
});

test('connections of a proxy are not bounded by address', () => {
  const { connect } = openServer();
  assert.ok(Array.from({ length: 50 }, () => connect('10.0.0.1')).every(Boolean));
});
