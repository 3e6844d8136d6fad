/**
 * A speech-to-text service: every transcript contains the file's name twice. It refuses the requests that
 * OpenAI refuses, with OpenAI's messages.
 */
import { Readable } from 'node:stream';
import { plan } from '@audiosplit/engine';
import { listen } from './listen.ts';

const MAX_BYTES = 26_214_400;
const MAX_SECONDS = 1_400;

export async function startTranscriber(key: string) {
  const sizes: number[] = [];
  const server = await listen((request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const refuse = (status: number, message: string) => answer(status, { error: { message } });
    const serve = async () => {
      const headers = { 'content-type': request.headers['content-type'] ?? '' };
      const form = await new Response(Readable.toWeb(request) as ReadableStream, { headers }).formData();
      const file = form.get('file');
      if (request.headers.authorization !== `Bearer ${key}`) return refuse(401, 'Incorrect API key provided');
      if (!(file instanceof File)) return refuse(400, 'file: field required');
      const { name, size } = file;
      if (size > MAX_BYTES)
        return refuse(413, `Maximum content size limit (${MAX_BYTES}) exceeded (${size} bytes read)`);
      const seconds = await durationOf(file);
      if (seconds > MAX_SECONDS)
        return refuse(
          400,
          `audio duration ${seconds} seconds is longer than ${MAX_SECONDS} seconds which is the maximum for this model`,
        );
      sizes.push(size);
      const segments = [
        { start: 0.25, end: 1, text: ` The first of ${name}.` },
        { start: 1, end: 1.5, text: ` The second of ${name}.` },
      ];
      return answer(200, { segments });
    };
    serve().catch(() => response.destroy());
  });
  return { ...server, sizes };
}

async function durationOf(file: File): Promise<number> {
  const bytes = Readable.from([Buffer.from(await file.arrayBuffer())]);
  const { segments } = await plan(bytes, { splitMode: 'parts', parts: 2 }, { name: file.name });
  return segments.at(-1)?.endTime ?? 0;
}
