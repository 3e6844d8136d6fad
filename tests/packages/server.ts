import { type ObservedRun, startObservedRun } from '../harness/installation/observed-run.ts';
import { startOwnPostgres } from '../harness/installation/own-postgres.ts';

/** An installation with an account, for code that calls a server. */
export async function openServer(): Promise<AsyncDisposable & { readonly run: ObservedRun }> {
  await using starting = new AsyncDisposableStack();
  const { url } = starting.use(await startOwnPostgres({ durable: false }));
  const run = starting.use(await startObservedRun({ DATABASE_URL: url }));
  const opened = starting.move();
  return { run, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
