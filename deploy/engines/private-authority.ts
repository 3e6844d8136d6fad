/** A private authority, as engines within an installation have: clients need its certificate. Made by openssl. */
import { X509Certificate } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '../provision/run-tool.ts';

export interface PrivateAuthority {
  /** PEM; what clients are to trust. */
  readonly certificateFile: string;
  /**
   * Writes a new key with a certificate of this authority for `localhost` and 127.0.0.1 into the file, over what is there: its owner
   * and mode stay as they are. Resolves with the certificate's SHA-256.
   */
  issue(identityFile: string): Promise<{ readonly fingerprint: string }>;
}

const DAYS = '2';
const NEW_KEY = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** `name` tells it from others; its files are put into the folder. */
export async function makeAuthority(folder: string, name: string): Promise<PrivateAuthority> {
  const certificateFile = join(folder, `${name}.crt`);
  const keyFile = join(folder, `${name}.key`);
  const make = (args: readonly string[]) =>
    runTool('openssl', [...NEW_KEY, '-days', DAYS, ...args], { signal: new AbortController().signal });
  await make([
    ...['-subj', `/CN=${name}`, '-keyout', keyFile, '-out', certificateFile],
    ...['-addext', 'basicConstraints=critical,CA:true', '-addext', 'keyUsage=critical,keyCertSign'],
  ]);
  return {
    certificateFile,
    async issue(identityFile) {
      const [key, certificate] = [`${identityFile}.key`, `${identityFile}.crt`];
      await make([
        ...['-subj', '/CN=localhost', '-keyout', key, '-out', certificate],
        ...['-CA', certificateFile, '-CAkey', keyFile, '-addext', 'basicConstraints=critical,CA:false'],
        ...['-addext', 'extendedKeyUsage=serverAuth', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ]);
      const [keyText, certificateText] = await Promise.all([
        readFile(key, 'utf8'),
        readFile(certificate, 'utf8'),
      ]);
      await writeFile(identityFile, keyText + certificateText, { mode: 0o600 });
      await Promise.all([rm(key), rm(certificate)]);
      return { fingerprint: new X509Certificate(certificateText).fingerprint256 };
    },
  };
}
