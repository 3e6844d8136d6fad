/**
 * A host that refuses one system call: requires the sandbox there, and prints the operator's message.
 *
 *   refusing-host.fixture.ts FFMPEG SYSTEM-CALL ERRNO
 */
import { refuseSystemCalls } from '../testing/refuse-system-calls.ts';
import { openSandbox } from './find-sandbox.ts';

const [ffmpegPath = '', number, errno] = process.argv.slice(2);
refuseSystemCalls([Number(number)], Number(errno));
await openSandbox('required', ffmpegPath).then(
  () => process.stdout.write('nothing\n'),
  (error: Error) => process.stdout.write(`${error.message}\n`),
);
