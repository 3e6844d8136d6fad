import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { expose } from '../metrics.ts';
import { readFullestUploadUse } from '../store/uploads/uploads.ts';

/** Until disposed. */
export function exposeUploads(pool: Pool): Disposable {
  using exposed = new DisposableStack();
  exposed.use(
    expose('audiosplit_uploads_receiving', async () => [
      { labels: {}, value: (await readFullestUploadUse(pool)).receiving },
    ]),
  );
  exposed.use(
    expose('audiosplit_uploads_unused_bytes', async () => [
      { labels: {}, value: (await readFullestUploadUse(pool)).unusedBytes },
    ]),
  );
  return exposed.move();
}
