import { startEmbeddedPostgres } from '../../../deploy/embedded/postgres/embedded-postgres.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface OwnPostgres extends AsyncDisposable {
  readonly url: string;
}

/** A server for suites that no runner has started one for. `durable` costs what an installation in use pays for it. */
export async function startOwnPostgres({ durable }: { readonly durable: boolean }): Promise<OwnPostgres> {
  await using starting = new AsyncDisposableStack();
  const { path } = starting.use(await temporaryFolder());
  const { url } = starting.use(
    await startEmbeddedPostgres({ directory: path, durable, maxConnections: 100 }),
  );
  const running = starting.move();
  return { url, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
