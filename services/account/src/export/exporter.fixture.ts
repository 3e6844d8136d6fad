/** An account holder who requests exports and reads them. */
import assert from 'node:assert/strict';
import { newId } from '@audiosplit/chassis/ids';
import { until } from '@audiosplit/chassis/testing/until';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type AccountFixture, startAccountFixture } from '../account.fixture.ts';

export type Exporter = Awaited<ReturnType<typeof startExporter>>;

interface ExportFields {
  readonly format?: string;
  readonly webhookUrl?: string;
}

/** The name looks like a formula to spreadsheets. */
export async function startExporter() {
  const fixture: AccountFixture = await startAccountFixture();
  const id = newId('acc');
  const email = `${id}@example.com`;
  const createdAt = timestampFromDate(new Date('2026-01-20T00:00:00Z'));
  fixture.others.identities.set(id, { id, email, name: '=Ada', createdAt });

  const begin = async (request: ExportFields = {}) => {
    const answer = await fixture.accounts.createExport({ format: 'json', ...request }, fixture.actingFor(id));
    assert(answer.export);
    return answer.export;
  };
  const read = async (exportId: string) => {
    const found = await fixture.accounts.getExport({ exportId }, fixture.actingFor(id));
    assert(found.export);
    return found.export;
  };
  const untilEnded = async (exportId: string) => {
    await until(async () => (await read(exportId)).status !== 'processing', 'the export has ended');
    return read(exportId);
  };
  return {
    fixture,
    id,
    email,
    begin,
    read,
    untilEnded,
    make: async (request?: ExportFields) => untilEnded((await begin(request)).id),
    /** Keys of all objects stored for the account. */
    async stored(): Promise<string[]> {
      const objects = await Array.fromAsync(fixture.store.list(`accounts/${id}/`));
      return objects.map(({ key }) => key);
    },
    async attemptsOf(exportId: string): Promise<number | undefined> {
      const { rows } = await fixture.sql.query<{ attempts: number }>(
        'select attempts from exports where id = $1',
        [exportId],
      );
      return rows[0]?.attempts;
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}
