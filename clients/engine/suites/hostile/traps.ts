/** What hostile inputs try to reach: two files and a listener, of which none may be touched. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { copyFile, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

export const SECRET = 'SECRET-e0b2f1c4-of-another-tenant';

/** Before any file's change, so that even a file system that notes reads sparingly notes the next one. */
const LONG_AGO = new Date('2001-01-01T00:00:00Z');

export interface Traps extends AsyncDisposable {
  readonly secretPath: string;
  /** Audio of another tenant, that a playlist would play. */
  readonly audioPath: string;
  /** The same from the working folder of a split whose scratch folder lies beside the traps. */
  readonly audioFromWorkDir: string;
  /** `http://127.0.0.1:<port>`, which answers nothing and counts. */
  readonly origin: string;
  readonly port: number;
  /** Connections and datagrams so far. */
  calls(): number;
  /** The trap files that were read, as far as the file system tells. */
  filesRead(): Promise<readonly string[]>;
  /** Whether the file system under `dir` notes reads at all. */
  readonly notesReads: boolean;
}

export async function setTraps(dir: string, audio: string): Promise<Traps> {
  const secretPath = join(dir, 'secret.txt');
  const audioPath = join(dir, 'canary.mp3');
  const probePath = join(dir, 'probe.txt');
  await writeFile(secretPath, SECRET);
  await writeFile(probePath, 'read me');
  await copyFile(audio, audioPath);
  const files = [secretPath, audioPath, probePath];
  for (const path of files) await utimes(path, LONG_AGO, new Date());
  const readSince = async (path: string) => (await stat(path)).atimeMs !== LONG_AGO.getTime();
  await readFile(probePath);
  const notesReads = await readSince(probePath);

  let calls = 0;
  const tcp = createServer((socket) => {
    calls += 1;
    socket.on('error', () => undefined).destroy();
  }).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4', () => {
    calls += 1;
  }).bind(port, '127.0.0.1');
  await once(udp, 'listening');
  return {
    secretPath,
    audioPath,
    audioFromWorkDir: '../../canary.mp3',
    origin: `http://127.0.0.1:${port}`,
    port,
    calls: () => calls,
    notesReads,
    async filesRead() {
      const read = await Promise.all([secretPath, audioPath].map(readSince));
      return [secretPath, audioPath].filter((_, index) => notesReads && read[index]);
    },
    async [Symbol.asyncDispose]() {
      udp.close();
      tcp.close();
      await once(tcp, 'close');
    },
  };
}
