/** The bundled audio, served to the embedded run's own splitter. */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyPluginAsync } from 'fastify';

export const SAMPLES_PATH = '/samples/';
const SAMPLES_DIR = fileURLToPath(new URL('./samples', import.meta.url));

/** What the printed first split is made from. */
export const TOUR_SAMPLE = 'tour.mp3';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
};

/** One plain route per file: nothing that a request says becomes part of a path. */
export const samplesPlugin: FastifyPluginAsync = async (server) => {
  for (const name of await readdir(SAMPLES_DIR)) {
    const contentType = CONTENT_TYPES[name.split('.').at(-1) ?? ''];
    if (contentType === undefined) continue;
    const path = join(SAMPLES_DIR, name);
    const { size } = await stat(path);
    server.get(`${SAMPLES_PATH}${name}`, async (_request, reply) =>
      reply.type(contentType).header('content-length', size).send(createReadStream(path)),
    );
  }
};
