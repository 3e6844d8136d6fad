/**
 * A service's connection pool, as the port to the database. A single statement and the start of a transaction
 * are events. The rest of a transaction happens at once, because everything that uses the same rows waits for
 * its locks anyway. A statement of a transaction may break its connection. Its commit may be refused, or take
 * effect while the caller sees the connection break.
 */
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { callPort, dieOrGoOn, InjectedFaultError, type PortAccess } from '../faults/faults.ts';
import { currentProcess } from '../world/process.ts';
import type { SimulatedConnection } from './connection.ts';
import type { SimulationDatabase } from './database.ts';
import type { RowChange } from './watched-tables.ts';

/** A transaction that breaks does so at one of its first statements. */
const MAX_BREAKING_STATEMENT = 12;
const POOL_SIZE = 8;
const NO_ROWS = { rows: [], rowCount: 0 };

interface PoolAccess extends PortAccess {
  readonly database: SimulationDatabase;
  noteChanges(changes: readonly RowChange[]): void;
}

export function createSimulatedPool(access: PoolAccess, schema: string): Pool {
  const { world, faults, database } = access;

  async function query(text: string, values?: readonly unknown[]) {
    return callPort(access, 'database statement', describe(schema, text), async () => {
      const connection = await world.track(database.borrow(schema));
      try {
        if (/\bnow\(\)|\binsert into\b/.test(text)) connection.setClock(world.nowMs());
        const result = await world.track(connection.run(text, values));
        access.noteChanges(connection.takeChanges());
        return result;
      } finally {
        database.giveBack(connection);
      }
    });
  }

  async function connect() {
    await world.delay(faults.latencyMs());
    const outcome = faults.outcomeOf('database statement');
    world.record(`${schema} transaction: ${outcome}`);
    let statementsLeft =
      outcome === 'done' ? Number.POSITIVE_INFINITY : world.random.between(0, MAX_BREAKING_STATEMENT);
    const connection = await world.track(database.borrow(schema));
    connection.setClock(world.nowMs());
    const transaction = createTransaction(connection);
    const end = async (how: 'commit' | 'rollback') => {
      const { command, changes } = await world.track(transaction.end(how));
      access.noteChanges(changes);
      return { ...NO_ROWS, command };
    };
    const forget = currentProcess()?.onDeath(() => {
      void end('rollback').finally(() => database.giveBack(connection));
    });
    return {
      async query(text: string, values?: readonly unknown[]) {
        if (text === 'rollback') return end('rollback');
        statementsLeft -= 1;
        if (statementsLeft < 0) throw new InjectedFaultError(`the connection to ${schema} broke`);
        if (text !== 'commit') return world.track(transaction.run(text, values));
        const commitOutcome = faults.outcomeOf('database commit');
        world.record(`${schema} commit: ${commitOutcome}`);
        const ended = await end(commitOutcome === 'refused' ? 'rollback' : 'commit');
        await dieOrGoOn(access);
        if (commitOutcome !== 'done')
          throw new InjectedFaultError(`the connection to ${schema} broke at the commit`);
        return ended;
      },
      release() {
        forget?.();
        database.giveBack(connection);
      },
    };
  }

  return { query, connect, async end() {}, options: { max: POOL_SIZE } } as unknown as Pool;
}

/** A connection's transaction, and its changes so far. */
function createTransaction(connection: SimulatedConnection) {
  let state: 'none' | 'begun' | 'open' = 'none';
  const changes: RowChange[] = [];
  const savepoints = new Map<string, number>();

  async function runSavepoints(statements: readonly string[]) {
    for (const statement of statements) {
      await connection.run(statement);
      const [, verb, name = ''] = /^(.*)savepoint (\w+)$/.exec(statement) ?? [];
      if (verb === '') savepoints.set(name, changes.length);
      else if (verb === 'rollback to ') changes.length = savepoints.get(name) ?? 0;
    }
    return NO_ROWS;
  }

  return {
    async run(text: string, values?: readonly unknown[]) {
      // The isolation level does not matter: nothing else happens during a transaction.
      if (text.startsWith('begin')) {
        connection.begin();
        state = 'begun';
        return NO_ROWS;
      }
      if (state === 'begun') state = 'open';
      if (text.includes('savepoint')) return runSavepoints(text.split('; '));
      const result = await connection.run(text, values);
      changes.push(...connection.takeChanges());
      return result;
    },
    /** Resolves to the changes that took effect, and to what the server did: a commit after a failed statement is a rollback. */
    async end(how: 'commit' | 'rollback') {
      const was = state;
      state = 'none';
      if (was === 'begun') connection.forgetLeading();
      if (was !== 'open') return { command: how.toUpperCase(), changes: [] };
      const { command } = await connection.run(how);
      connection.takeChanges();
      return { command, changes: command === 'COMMIT' ? changes.splice(0) : [] };
    },
  };
}

function describe(schema: string, text: string): string {
  return `${schema}: ${text.replace(/\s+/g, ' ').trim().slice(0, 50)}`;
}
