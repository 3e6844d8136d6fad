/**
 * ffmpeg in its image, exploited and not: Docker's restrictions are those of every container, and the sandbox
 * adds the rest.
 */
import { imageTag } from '../../deploy/containers/product-images.ts';
import { tryAttemptsInImage } from '../harness/decoder-attempts.ts';
import { tryFormatsInImage } from '../harness/decoder-formats.ts';
import type { RunInImage } from '../harness/script-in-image.ts';
import { CONFINED } from './confined-container.ts';
import { runDocker } from './docker-under-test.ts';
import { scenario } from './scenario.ts';

const FOLDER = '/attempts';

const runInImage: RunInImage = ([program, ...args], stdin) => {
  const tmpfs = ['--tmpfs', `${FOLDER}:exec,uid=65532,gid=65532,mode=0700`];
  const surroundings = ['--rm', '--interactive', '--network', 'none', ...CONFINED, ...tmpfs];
  return runDocker(['run', ...surroundings, '--entrypoint', program, imageTag('splitter'), ...args], stdin);
};

scenario(
  'an exploited ffmpeg in a container can read nothing, reach nothing and start nothing',
  { containersOnly: true },
  async () => {
    await tryAttemptsInImage(FOLDER, runInImage);
  },
);

scenario(
  'the ffmpeg of the image produces the same bytes for each format in the sandbox as without it',
  { containersOnly: true },
  async () => {
    await tryFormatsInImage(FOLDER, runInImage);
  },
);
