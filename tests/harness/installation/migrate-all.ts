import { migrate } from '@audiosplit/chassis/postgres/migrate';
import { SCHEMAS } from '../../../deploy/embedded/schemas.ts';

/** Migrates the schemas of all services. */
export async function migrateAll(url: string): Promise<void> {
  for (const schema of SCHEMAS) await migrate({ url, ...schema });
}
