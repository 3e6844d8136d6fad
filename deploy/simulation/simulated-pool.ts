/**
 * A service's pool of connections, as the port to the database. A statement by itself, and the beginning of a
 * transaction, are events; what happens within a transaction happens at once, as everything that touches the same rows
 * waits for its locks anyway. A statement of a transaction may break its connection, its commit may be refused, or take
 * effect while the caller sees the connection break.
 */
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import type pg from 'pg';
import { callPort, InjectedFaultError } from './faults.ts';
import type { Installation } from './installation.ts';
import { currentProcess } from './simulated-process.ts';
import type { Connection } from './simulation-database.ts';

/** A transaction that breaks does so at one of its first statements. */
const MAX_BREAKING_STATEMENT = 12;
const POOL_SIZE = 8;

export function createSimulatedPool(installation: Installation, schema: string): Pool {
  const { world, faults, database } = installation;

  async function send(connection: Connection, text: string, values?: readonly unknown[]) {
    const isPlain = values === undefined || values.length === 0;
    // Named, a statement is parsed and planned once for all runs.
    const config = isPlain ? text : { name: nameOf(text), text, values: [...values] };
    return world.track(connection.client.query(config as pg.QueryConfig));
  }

  const setClock = (connection: Connection) =>
    send(connection, "select set_config('simulation.now', $1, false)", [
      new Date(world.nowMs()).toISOString(),
    ]);

  async function query(text: string, values?: readonly unknown[]) {
    return callPort(installation, 'database statement', describe(schema, text), async () => {
      const connection = await world.track(database.borrow(schema));
      try {
        if (/\bnow\(\)|^\s*insert/.test(text)) await setClock(connection);
        const result = await send(connection, text, values);
        if (isWrite(text)) installation.noteChange();
        return result;
      } finally {
        database.giveBack(connection);
      }
    });
  }

  async function connect() {
    await world.delay(faults.latencyMs());
    const fate = faults.fateOf('database statement');
    world.record(`${schema} transaction: ${fate}`);
    let statementsLeft =
      fate === 'done' ? Number.POSITIVE_INFINITY : world.random.between(0, MAX_BREAKING_STATEMENT);
    const connection = await world.track(database.borrow(schema));
    await setClock(connection);
    let isOpen = false;
    let hasWritten = false;
    const end = async (how: 'commit' | 'rollback') => {
      isOpen = false;
      await send(connection, how);
      if (how === 'commit' && hasWritten) installation.noteChange();
    };
    const forget = currentProcess()?.onDeath(() => {
      if (isOpen) void end('rollback').finally(() => database.giveBack(connection));
      else database.giveBack(connection);
    });
    return {
      async query(text: string, values?: readonly unknown[]) {
        if (text === 'rollback') return end('rollback');
        statementsLeft -= 1;
        if (statementsLeft < 0) throw new InjectedFaultError(`the connection to ${schema} broke`);
        if (text === 'begin') isOpen = true;
        hasWritten ||= isWrite(text);
        if (text !== 'commit') return send(connection, text, values);
        const commitFate = faults.fateOf('database commit');
        world.record(`${schema} commit: ${commitFate}`);
        await end(commitFate === 'refused' ? 'rollback' : 'commit');
        if (commitFate !== 'done')
          throw new InjectedFaultError(`the connection to ${schema} broke at the commit`);
        return undefined;
      },
      release() {
        forget?.();
        database.giveBack(connection);
      },
    };
  }

  return { query, connect, options: { max: POOL_SIZE } } as unknown as Pool;
}

const isWrite = (text: string) => /^\s*(insert|update|delete|with)\b/i.test(text);

const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `s${names.size}`;
    names.set(text, name);
  }
  return name;
}

function describe(schema: string, text: string): string {
  return `${schema}: ${text.replace(/\s+/g, ' ').trim().slice(0, 50)}`;
}
