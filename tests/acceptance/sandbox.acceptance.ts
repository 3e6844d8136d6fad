/** An exploited ffmpeg in its image: Docker grants what it grants every container, and the sandbox the rest. */
import { imageTag } from '../../deploy/containers/product-images.ts';
import { tryAttemptsInImage } from '../harness/decoder-attempts.ts';
import { CONFINED } from './confined-container.ts';
import { runDocker } from './docker-under-test.ts';
import { scenario } from './scenario.ts';

const FOLDER = '/attempts';

scenario(
  'an exploited ffmpeg in a container reads nothing, reaches nothing and starts nothing',
  { containersOnly: true },
  async () => {
    const tmpfs = ['--tmpfs', `${FOLDER}:exec,uid=65532,gid=65532,mode=0700`];
    const surroundings = ['--rm', '--interactive', '--network', 'none', ...CONFINED, ...tmpfs];
    await tryAttemptsInImage(FOLDER, ([program, ...args], stdin) =>
      runDocker(['run', ...surroundings, '--entrypoint', program, imageTag('splitter'), ...args], stdin),
    );
  },
);
