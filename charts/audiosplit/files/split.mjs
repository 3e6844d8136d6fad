/**
 * `helm test`: splits three seconds of sound through the installation's public API, as a new account that it deletes again, and
 * looks at every segment. Imports nothing but Node.
 *
 * BASE_URL: a gateway's address within the cluster. API_KEY_FILE: the file of a key to use instead of a new account's,
 * where accounts come from an external issuer.
 */
import { readFileSync } from 'node:fs';

const { BASE_URL, API_KEY_FILE } = process.env;
const SECONDS = 3;
const SAMPLE_RATE_HZ = 8_000;
const BYTES_PER_SAMPLE = 2;
const deadline = AbortSignal.timeout(240_000);

let authorization;
let key = API_KEY_FILE && readFileSync(API_KEY_FILE, 'utf8').trim();
try {
  if (!key) {
    const email = `helm-test-${crypto.randomUUID()}@example.com`;
    const session = await post('/api/v1/auth/register', { email, password: crypto.randomUUID() });
    authorization = { authorization: `Bearer ${session.accessToken}` };
    key = (await post('/api/v1/api-keys', { name: 'helm test' }, authorization)).key;
    say('an account and its key');
  }
  await split({ 'x-api-key': key });
  say('all is well');
} finally {
  if (authorization) {
    await call('DELETE', '/api/v1/account', { confirmation: 'DELETE MY ACCOUNT' }, authorization);
    say('the account is deleted');
  }
}

async function split(credential) {
  const wav = sine();
  const { uploadUrl, sourceUrl } = await post('/api/v1/uploads', undefined, credential);
  await send(within(uploadUrl), { method: 'PUT', body: wav });
  say(`an upload of ${wav.length} bytes`);

  const { id } = await post(
    '/api/v1/splits',
    { sourceUrl, splitMode: 'duration', segmentDuration: 1 },
    credential,
  );
  // The stream ends with the job; asking again and again would use up the account's requests.
  await (await send(`${BASE_URL}/api/v1/splits/${id}/events`, { headers: credential })).text();
  const job = await (await send(`${BASE_URL}/api/v1/splits/${id}`, { headers: credential })).json();
  expect(job.status, 'completed', `the job's status (${JSON.stringify(job.error ?? null)})`);
  expect(job.segments.length, SECONDS, 'the number of segments');
  say(`job ${id} is completed`);

  for (const [index, { downloadUrl, size }] of job.segments.entries()) {
    const segment = Buffer.from(await (await send(within(downloadUrl), {})).arrayBuffer());
    expect(segment.length, size, `the size of segment ${index}`);
    expect(segment.toString('latin1', 0, 4), 'RIFF', `the first bytes of segment ${index}`);
    const minimum = SAMPLE_RATE_HZ * BYTES_PER_SAMPLE;
    if (segment.length <= minimum) throw new Error(`segment ${index} has less than a second`);
  }
  say(`${SECONDS} segments, each a second of sound`);
}

/** A WAV file (RIFF, PCM of 16 bit, one channel) of a tone of 440 Hz. */
function sine() {
  const samples = SECONDS * SAMPLE_RATE_HZ;
  const dataBytes = samples * BYTES_PER_SAMPLE;
  const wav = Buffer.alloc(44 + dataBytes);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(36 + dataBytes, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(SAMPLE_RATE_HZ, 24);
  wav.writeUInt32LE(SAMPLE_RATE_HZ * BYTES_PER_SAMPLE, 28);
  wav.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  wav.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(dataBytes, 40);
  for (let n = 0; n < samples; n += 1) {
    const value = Math.sin((2 * Math.PI * 440 * n) / SAMPLE_RATE_HZ);
    wav.writeInt16LE(Math.round(value * 20_000), 44 + n * BYTES_PER_SAMPLE);
  }
  return wav;
}

/** Links bear the public address, which need not be reachable from here; they are signed by path and query. */
function within(link) {
  const { pathname, search } = new URL(link);
  return `${BASE_URL}${pathname}${search}`;
}

async function post(path, body, headers = {}) {
  return (await call('POST', path, body, headers)).json();
}

function call(method, path, body, headers) {
  return send(`${BASE_URL}${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** What is refused for the moment is asked again when it is said to be of use. */
async function send(url, init) {
  for (;;) {
    const response = await fetch(url, { ...init, signal: deadline });
    if (response.ok) return response;
    const said = await response.text();
    const waitSeconds = Number(response.headers.get('retry-after'));
    const isForTheMoment = [429, 503].includes(response.status) && waitSeconds > 0;
    if (!isForTheMoment)
      throw new Error(`${init.method ?? 'GET'} ${new URL(url).pathname}: ${response.status} ${said}`);
    await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1_000));
    deadline.throwIfAborted();
  }
}

function expect(actual, expected, what) {
  if (actual !== expected) throw new Error(`${what} is ${actual} and not ${expected}`);
}

function say(text) {
  process.stdout.write(`${new Date().toISOString()} ${text}\n`);
}
