/**
 * Every piece of code in the guide that is not what something has printed is run here, as it stands, against the product.
 * `npm test` runs what a machine with Node has, commands and JavaScript; `npm run test:guide` runs all languages.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PLANS } from '@audiosplit/billing/plans';
import type { Env } from '@audiosplit/chassis/env';
import { until } from '@audiosplit/chassis/testing/until';
import { signatureHeaders } from '@audiosplit/webhooks/signature';
import { type CodeBlock, codeBlocksOf } from '../../../gateway/console/src/guide/code-blocks.ts';
import { GUIDE_SOURCES } from '../../../gateway/console/src/guide/contents.ts';
import { findExecutable } from '../../engines/executable.ts';
import { runCommand } from '../acceptance/command.ts';
import { extractTour } from '../acceptance/readme-tour.ts';
import { startRecorder, startStumblingProxy, startTranscriber } from './guide-doubles.fixture.ts';
import { runInShell, runProgram, startReceiver } from './guide-programs.fixture.ts';
import { type ObservedRun, startObservedRun } from './observed-run.fixture.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
const isWhole = process.env.GUIDE_LANGUAGES === 'all';
const SEGMENT_STARTS = [0, 10, 20, 30, 40];
const TOLERANCE_SECONDS = 300;
/** A product is started and a dozen programs are run one after another, on a machine that may be busy. */
const SUITE_TIMEOUT_MS = 280_000;

const pages = await Promise.all(
  GUIDE_SOURCES.map(async ({ file }) => {
    const markdown = await readFile(join(DOCS, file), 'utf8');
    return { file, markdown, blocks: codeBlocksOf(markdown).filter(({ role }) => role === 'run') };
  }),
);

/** Why a block is not run here; undefined where it is. */
function reasonToSkip(language: string): string | undefined {
  if (isWhole) return undefined;
  if (language === 'sh') return findExecutable('curl') === undefined ? 'there is no curl' : undefined;
  return language === 'js' ? undefined : 'npm run test:guide';
}

describe('the guide', { timeout: SUITE_TIMEOUT_MS }, () => {
  let run: ObservedRun;
  let temporary: string;
  let env: Env;
  /** Where code runs: a new one each time, so that none finds what another one has left. */
  let folder: string;

  before(async () => {
    run = await startObservedRun();
    temporary = await mkdtemp(join(tmpdir(), 'audiosplit-guide-'));
    env = {
      AUDIOSPLIT_URL: run.baseUrl,
      AUDIOSPLIT_KEY: run.apiKey,
      AUDIOSPLIT_EMAIL: run.credentials.email,
      AUDIOSPLIT_PASSWORD: run.credentials.password,
      SOURCE_URL: `${run.baseUrl}/samples/tour.mp3`,
      WEBHOOK_URL: `${run.receiver.url}/hook`,
      PART_SECONDS: '20',
    };
  });
  after(async () => {
    await run?.[Symbol.asyncDispose]();
    await rm(temporary, { recursive: true, force: true });
  });

  const latestJob = async () => {
    const { body } = await run.call('GET /api/v1/splits?limit=1', run.withKey);
    return (await run.call(`GET /api/v1/splits/${body.data[0].id}`, run.withKey)).body;
  };
  const countJobs = async () => (await run.call('GET /api/v1/splits', run.withKey)).body.pagination.total;

  /** What the commands of a page have to print, one entry for each block. */
  const COMMANDS: Readonly<Record<string, readonly RegExp[]>> = {
    'guide/quick-start.md': [
      /^\s*$/,
      /^job_\w+\n/,
      /event: completed\ndata: .*"segmentCount":5/,
      /"status":"completed".*"sourceDuration":48.*"startTime":40/,
      /tour\.zip/,
      /"status":"queued".*"segmentDuration":15/,
    ],
    'guide/podcasts.md': [/event: completed/],
    'guide/webhooks.md': [/^\s*$/, /^job_\w+\n/, /"id":"dlv_\w+".*"status":"pending"/, /^\s*$/],
    'guide/errors.md': [/"code":"INVALID_PARAMS".*"field":"segmentDuration"/],
    'guide/limits.md': [
      /"id":"plan_enterprise"/,
      /x-ratelimit-limit: 1000000\r?\nx-ratelimit-remaining: \d+\r?\nx-ratelimit-reset: \d+/i,
      /"minutesProcessed":\d+/,
    ],
  };

  const splitsIntoFive = async (block: CodeBlock) => {
    const lines = await runProgram(block, folder, env);
    assert.deepEqual(
      lines,
      SEGMENT_STARTS.map((start, index) => `segment-${index}.mp3 begins at ${start} s`),
    );
    for (const { index, size } of (await latestJob()).segments) {
      assert.equal((await stat(join(folder, `segment-${index}.mp3`))).size, size);
    }
  };

  const createsOnce = async (block: CodeBlock) => {
    await using proxy = await startStumblingProxy(run.baseUrl);
    const before = await countJobs();
    const [id] = await runProgram(block, folder, { ...env, AUDIOSPLIT_URL: proxy.url });
    assert.deepEqual(proxy.statuses, [201, 503, 201]);
    assert.equal(await countJobs(), before + 1);
    assert.equal((await latestJob()).id, id);
  };

  const believesTheProductAlone = async (block: CodeBlock) => {
    const secretNow = async () =>
      (await run.call('GET /api/v1/webhooks/secret', run.withToken)).body.secret as string;
    const keyOf = (secret: string) => Buffer.from(secret.replace('whsec_', ''), 'base64');
    const secret = await secretNow();
    await using recorder = await startRecorder();
    await using receiver = await startReceiver(block, folder, { WEBHOOK_SECRETS: secret });
    const post = async (headers: Record<string, string>, body: string | Buffer) =>
      (await fetch(receiver.url, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) }))
        .status;
    const wish = { sourceUrl: env.SOURCE_URL };

    const job = await run.split({ ...wish, webhookUrl: receiver.url });
    const expected = [`split.processing ${job.id}`, `split.completed ${job.id}`];
    await until(() => expected.every((line) => receiver.told().includes(line)), 'it is told of the job');
    const delivered = async () => {
      const { body } = await run.call('GET /api/v1/webhooks/deliveries?limit=2', run.withToken);
      return body.data.every(({ status }: { status: string }) => status === 'delivered');
    };
    await until(delivered, 'the product takes its answers for receipts');

    await run.split({ ...wish, webhookUrl: recorder.url });
    await until(() => recorder.received.length === 2, 'both notifications are recorded');
    const [genuine] = recorder.received;
    assert.ok(genuine);
    const named = (name: string) => String(genuine.headers[name]);
    const headers = {
      'webhook-id': named('webhook-id'),
      'webhook-timestamp': named('webhook-timestamp'),
      'webhook-signature': named('webhook-signature'),
    };
    assert.equal(await post(headers, genuine.body), 204, 'as it was sent');
    const forged = genuine.body.toString().replace('split.', 'split,');
    assert.equal(await post(headers, forged), 401, 'another body');
    assert.equal(await post({ ...headers, 'webhook-id': 'msg_other' }, genuine.body), 401, 'another id');
    const later = String(Number(headers['webhook-timestamp']) + 1);
    assert.equal(await post({ ...headers, 'webhook-timestamp': later }, genuine.body), 401, 'another time');
    for (const signature of [
      '',
      'v1,',
      'v1',
      `v2,${headers['webhook-signature'].slice(3)}`,
      'v1,é',
      'v1,AAAA',
    ]) {
      const sent = { ...headers, 'webhook-signature': encodeURI(signature) };
      assert.equal(await post(sent, genuine.body), 401, `signature ${signature}`);
    }
    assert.equal(await post({}, genuine.body), 401, 'nothing signed');

    const body = genuine.body.toString();
    const signedAt = (ageSeconds: number, secrets: readonly string[]) => {
      const at = new Date(Date.now() - ageSeconds * 1000);
      return signatureHeaders({ id: 'msg_1', at, body }, secrets.map(keyOf));
    };
    assert.equal(await post(signedAt(TOLERANCE_SECONDS - 30, [secret]), body), 204, 'late, but in time');
    assert.equal(await post(signedAt(TOLERANCE_SECONDS + 1, [secret]), body), 401, 'old');
    assert.equal(await post(signedAt(-TOLERANCE_SECONDS - 30, [secret]), body), 401, 'from the future');
    const untimed = { ...signedAt(0, [secret]), 'webhook-timestamp': 'soon' };
    assert.equal(await post(untimed, body), 401, 'at no time');

    const { body: rotated } = await run.call('POST /api/v1/webhooks/secret/rotate', run.withToken);
    const known = recorder.received.length;
    await run.split({ ...wish, webhookUrl: recorder.url });
    await until(() => recorder.received.length === known + 2, 'both notifications after the rotation');
    const during = recorder.received.at(-1);
    assert.ok(during);
    const signatures = String(during.headers['webhook-signature']);
    assert.ok(signatures.includes(' '), 'signed by both');
    const given = {
      'webhook-id': String(during.headers['webhook-id']),
      'webhook-timestamp': String(during.headers['webhook-timestamp']),
      'webhook-signature': signatures,
    };
    assert.equal(await post(given, during.body), 204, 'who knows the old secret alone believes it');
    assert.equal(
      await post(signedAt(0, [rotated.secret]), body),
      401,
      'not what is signed by the new one alone',
    );
    await using both = await startReceiver(block, folder, { WEBHOOK_SECRETS: `${rotated.secret} ${secret}` });
    for (const secrets of [[secret], [rotated.secret], [secret, rotated.secret]]) {
      const response = await fetch(both.url, { method: 'POST', headers: signedAt(0, secrets), body });
      assert.equal(response.status, 204, 'who knows both believes either');
    }
  };

  /** How each program of the guide is put to the test. */
  const PROGRAMS: Readonly<Record<string, (block: CodeBlock) => Promise<void>>> = {
    'split.mjs': splitsIntoFive,
    'split.py': splitsIntoFive,
    'create.mjs': createsOnce,
    'create.py': createsOnce,
    'receive.mjs': believesTheProductAlone,
    'receive.py': believesTheProductAlone,
    'receive.go': believesTheProductAlone,
    async 'transcribe.mjs'(block) {
      await using transcriber = await startTranscriber('a key');
      const maxFileSize = 100_000;
      const lines = await runProgram(block, folder, {
        ...env,
        TRANSCRIBE_URL: transcriber.url,
        TRANSCRIBE_KEY: 'a key',
        MAX_FILE_SIZE: String(maxFileSize),
      });
      const { segments } = await latestJob();
      assert.ok(segments.length > 2);
      assert.deepEqual(
        transcriber.sizes,
        segments.map(({ size }: { size: number }) => size),
      );
      assert.ok(transcriber.sizes.every((size) => size <= maxFileSize));
      const clock = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 23);
      assert.deepEqual(
        lines,
        segments.flatMap(({ index, startTime }: { index: number; startTime: number }) => [
          `${clock(startTime + 0.25)} ${clock(startTime + 1)} The first of ${index}.mp3.`,
          `${clock(startTime + 1)} ${clock(startTime + 1.5)} The second of ${index}.mp3.`,
        ]),
      );
    },
    async 'parts.mjs'(block) {
      await run.split({ sourceUrl: env.SOURCE_URL, segmentDuration: 20 });
      assert.deepEqual(await runProgram(block, folder, env), [
        '00:00:00 Part 1',
        '00:00:20 Part 2',
        '00:00:40 Part 3',
      ]);
    },
  };

  for (const { file, blocks } of pages) {
    const commands = blocks.filter(({ fileName }) => fileName === undefined);
    const skip = reasonToSkip('sh');
    test(`${file}: its commands`, { ...(skip === undefined ? {} : { skip }) }, async () => {
      assert.ok(commands.every(({ language }) => language === 'sh'));
      const expected = COMMANDS[file] ?? [];
      assert.equal(commands.length, expected.length);
      if (commands.length === 0) return;
      folder = await mkdtemp(join(temporary, 'page-'));
      const steps = await runInShell(commands, folder, env);
      steps.forEach((step, position) => {
        const told = `${commands[position]?.text}\n${JSON.stringify(step, null, 2)}`;
        assert.equal(step.status, 0, told);
        assert.equal(step.stderr, '', told);
        assert.match(step.stdout, expected[position] ?? /$^/, told);
      });
    });

    const reading = commands.find(({ text }) => text.includes('| field '));
    if (reading !== undefined) {
      test(`${file}: its commands stop with what was refused`, {
        ...(skip === undefined ? {} : { skip }),
      }, async () => {
        folder = await mkdtemp(join(temporary, 'refused-'));
        const stdin = commands.slice(0, commands.indexOf(reading) + 1).map(({ text }) => `${text}\n`);
        const refused = { ...env, AUDIOSPLIT_KEY: 'none', AUDIOSPLIT_PASSWORD: 'not the password' };
        const { code, stdout, stderr } = await runCommand(['bash', '--noprofile', '--norc'], {
          cwd: folder,
          env: refused,
          stdin: [...stdin, 'echo went on\n'].join(''),
        });
        assert.match(stderr, /\{"error":\{"code":"UNAUTHORIZED","message":/);
        assert.doesNotMatch(stdout, /went on|error/);
        assert.notEqual(code, 0);
      });
    }

    for (const block of blocks) {
      const { fileName, language } = block;
      if (fileName === undefined) continue;
      const reason = reasonToSkip(language);
      test(`${file}: ${fileName}`, { ...(reason === undefined ? {} : { skip: reason }) }, async () => {
        const tried = PROGRAMS[fileName];
        assert.ok(tried, 'no test runs it');
        folder = await mkdtemp(join(temporary, 'program-'));
        await tried(block);
      });
    }
  }

  const skip = reasonToSkip('sh');
  test("README's commands stop with what was refused", {
    ...(skip === undefined ? {} : { skip }),
  }, async () => {
    folder = await mkdtemp(join(temporary, 'readme-'));
    await writeFile(join(folder, 'development.json'), '{"apiKey": "none"}');
    const [setUp = '', split = ''] = extractTour(await readFile(join(DOCS, '../README.md'), 'utf8'));
    assert.match(split, /JOB=/);
    const { code, stdout, stderr } = await runCommand(['bash', '--noprofile', '--norc'], {
      cwd: folder,
      env: { BASE: run.baseUrl, DATA_DIR: folder },
      stdin: `${setUp}\n${split}\necho went on\n`,
    });
    assert.match(stderr, /\{"error":\{"code":"UNAUTHORIZED","message":/);
    assert.doesNotMatch(stdout, /went on|undefined/);
    assert.notEqual(code, 0);
  });

  test('the plans are as they are billed', () => {
    const limits = pages.find(({ file }) => file === 'guide/limits.md')?.markdown ?? '';
    const MEBIBYTE = 1024 ** 2;
    for (const plan of PLANS) {
      const mebibytes = plan.maxFileSizeBytes / MEBIBYTE;
      const overage = plan.overageMillicentsPerMinute;
      const cells = [
        plan.name,
        plan.requestsPerMinute.toLocaleString('en'),
        plan.concurrentJobs,
        plan.monthlyMinutes.toLocaleString('en'),
        overage === undefined ? '–' : `$${overage / 100_000}`,
        mebibytes < 1024 ? `${mebibytes} MiB` : `${mebibytes / 1024} GiB`,
        plan.pricePerMonthCents === 0 ? '–' : `$${plan.pricePerMonthCents / 100}`,
      ];
      assert.ok(limits.includes(`| ${cells.join(' | ')} |`), cells.join(' | '));
    }
  });
});
