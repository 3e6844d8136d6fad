/** Recordings of music, noises and voices from Debian packages, under CC0 in the first one, under GPL and CC BY-SA in the second. */
import { existsSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { installPackages } from '../../deploy/provision/debian-packages.ts';
import { ProvisionError } from '../../deploy/provision/provision-error.ts';
import type { Task } from '../../deploy/provision/task.ts';

interface Collection {
  readonly packageName: string;
  readonly folder: string;
  readonly files: readonly string[];
}

export interface Recording {
  readonly name: string;
  readonly path: string;
}

/** Of different loudness (-38 to -7 LUFS) and true peaks (-10 to 1.3 dBTP), mono and stereo, with 16 and 24 bits, at 8 to 96 kHz. */
const COLLECTIONS: readonly Collection[] = [
  {
    packageName: 'sonic-pi-samples',
    folder: '/usr/share/sonic-pi/samples',
    files: [
      ...['loop_amen_full.flac', 'loop_tabla.flac', 'loop_compus.flac', 'guit_em9.flac'],
      ...['guit_harmonics.flac', 'ambi_piano.flac', 'ambi_choir.flac', 'ambi_sauna.flac'],
      ...['ambi_glass_hum.flac', 'vinyl_hiss.flac', 'perc_bell2.flac', 'misc_burp.flac'],
    ],
  },
  {
    packageName: 'sound-theme-freedesktop',
    folder: '/usr/share/sounds/freedesktop/stereo',
    files: [
      ...['audio-channel-front-center.oga', 'audio-channel-rear-left.oga', 'phone-incoming-call.oga'],
      ...['phone-outgoing-busy.oga', 'service-login.oga', 'camera-shutter.oga'],
    ],
  },
];

/** Installs what is missing. Throws ProvisionError if it cannot. */
export async function ensureRecordings(task: Task): Promise<readonly Recording[]> {
  const missing = COLLECTIONS.filter(({ folder }) => !existsSync(folder));
  const packages = missing.map(({ packageName }) => packageName);
  if (packages.length > 0) await installPackages(packages, 'a recording', task);
  return COLLECTIONS.flatMap(({ folder, files }) =>
    files.map((file) => {
      const path = join(folder, file);
      if (!existsSync(path)) throw new ProvisionError(`there is no ${path}`);
      return { name: basename(file, extname(file)), path };
    }),
  );
}
