/** A reader's own bucket with the sample in it, and the variables that the guide uses for it. */
import { readFile } from 'node:fs/promises';
import { startS3Server } from './s3-server.ts';
import { TOUR_SAMPLE_PATH } from './sources.ts';

export async function openGuideStore() {
  const server = await startS3Server();
  const { endpoint, bucket, accessKeyId, secretAccessKey } = server.connection;
  server.objects.set('podcasts/tour.mp3', {
    bytes: await readFile(TOUR_SAMPLE_PATH),
    contentType: 'audio/mpeg',
  });
  return {
    env: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
      SOURCE_KEY: 'tour.mp3',
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
