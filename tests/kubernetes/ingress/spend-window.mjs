/**
 * `spend-window.mjs URL HOST`: calls without a credential until one call is refused, then once more with the
 * claimed address of another client. Prints the number of calls and both statuses. Run it where the calls
 * should come from.
 */
import { once } from 'node:events';
import { request } from 'node:http';

/** More calls than an address may make in a window. */
const MOST_CALLS = 200;

const [url = '', host = ''] = process.argv.slice(2);

/** @param {Readonly<Record<string, string>>} headers */
async function statusOf(headers) {
  const [response] = await once(request(url, { headers: { ...headers, host } }).end(), 'response');
  response.resume();
  return response.statusCode;
}

let calls = 0;
let status = 0;
do {
  status = await statusOf({});
  calls += 1;
} while (status === 401 && calls < MOST_CALLS);
const forgedStatus = await statusOf({ 'x-forwarded-for': '203.0.113.7' });
process.stdout.write(JSON.stringify({ calls, status, forgedStatus }));
