/** The bundled audio, served to the embedded run's own splitter. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyPluginAsync } from 'fastify';

export const SAMPLES_PATH = '/samples/';
/** The source of the printed first split. */
export const TOUR_SAMPLE = 'tour.mp3';
const FILE = join(import.meta.dirname, 'samples', TOUR_SAMPLE);

export const samplesPlugin: FastifyPluginAsync = async (server) => {
  const { size } = await stat(FILE);
  server.get(
    `${SAMPLES_PATH}${TOUR_SAMPLE}`,
    { config: { bounds: ['downloads'] } },
    async (_request, reply) =>
      reply.type('audio/mpeg').header('content-length', size).send(createReadStream(FILE)),
  );
};
