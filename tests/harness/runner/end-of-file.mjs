// Loaded before each test file. The runner's own time limit holds for tests, not for a file whose tests are over
// while something (a timer, a socket) keeps its process alive: the run would wait for ever, and say nothing.
import process from 'node:process';

const timeoutMs = Number(new URL(import.meta.url).searchParams.get('timeoutMs'));

if (process.env.NODE_TEST_CONTEXT !== undefined) {
  setTimeout(() => {
    const held = [...new Set(process.getActiveResourcesInfo())].join(', ');
    process.stderr.write(`${process.argv[1]} has not ended after ${timeoutMs / 1000} s. Held by: ${held}\n`);
    process.exit(1);
  }, timeoutMs).unref();
}
