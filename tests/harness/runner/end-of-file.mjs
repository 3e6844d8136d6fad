// Loaded before each test file. The runner's own time limit applies to tests, but not to a file whose tests
// have ended while a timer or a socket keeps its process alive: the run would wait for ever without a
// message.
import process from 'node:process';

const timeoutMs = Number(new URL(import.meta.url).searchParams.get('timeoutMs'));

if (process.env.NODE_TEST_CONTEXT !== undefined) {
  setTimeout(() => {
    const held = [...new Set(process.getActiveResourcesInfo())].join(', ');
    process.stderr.write(`${process.argv[1]} has not ended after ${timeoutMs / 1000} s. Held by: ${held}\n`);
    process.exit(1);
  }, timeoutMs).unref();
}
