/**
 * Runs all code in the guide, unchanged, against the product, except shown output. `npm run verify -- guide`
 * runs all languages; `npm test` with this path runs the commands and JavaScript, which need only Node.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import type { Env } from '@audiosplit/chassis/process/env';
import { hmacSha256 } from '@audiosplit/chassis/secrets/hmac';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { createAudiosplit, type Segment } from '@audiosplit/client';
import { type CodeBlock, codeBlocksOf } from '../../gateway/console/src/guide/code-blocks.ts';
import { GUIDE_SOURCES } from '../../gateway/console/src/guide/contents.ts';
import { runCommand } from '../harness/installation/as-a-user/command.ts';
import { startObservedRun } from '../harness/installation/observed-run.ts';
import { extractTour } from '../harness/readme-tour.ts';
import { openGuideStore } from '../harness/servers/guide-store.ts';
import { startSources } from '../harness/servers/sources.ts';
import { startTranscriber } from '../harness/servers/transcriber.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { CHAPTERED_SOURCES, makeChapteredSource, readTags } from './chaptered-source.fixture.ts';
import { COMMANDS } from './guide-commands.fixture.ts';
import { type Notification, startRecorder, startStumblingProxy } from './guide-doubles.fixture.ts';
import {
  provideCommand,
  runInShell,
  runProgram,
  skippedWithout,
  startReceiver,
} from './guide-programs.fixture.ts';
import { type GuideReader, openReader } from './guide-reader.fixture.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const SEGMENT_STARTS = [0, 10, 20, 30, 40];
const TOLERANCE_SECONDS = 300;
/** They send more requests than the Free plan allows in a minute, and say so. */
const BUSY_PAGES: readonly string[] = ['guide/cuts.md', 'guide/batches.md'];
/** A product starts and a dozen programs run one after another, on a machine that may be busy. */
const SUITE_TIMEOUT_MS = 280_000;

/** Their code needs packages: `npm run verify -- packages` runs it, and `-- n8n` runs that for n8n. */
const OF_PACKAGES = ['own-machine', 'command-line', 'python', 'typescript', 'n8n'].map(
  (each) => `guide/${each}.md`,
);

const pages = await Promise.all(
  GUIDE_SOURCES.filter(({ file }) => !OF_PACKAGES.includes(file)).map(async ({ file }) => {
    const markdown = await readFile(join(DOCS, file), 'utf8');
    return { file, markdown, blocks: codeBlocksOf(markdown).filter(({ role }) => role === 'run') };
  }),
);

/** The field that the pages on chapters omit for a source that has some. */
const CHAPTERS_FIELD = /,\s*\\?"chapters\\?": \[[^\]]*\]/;

/** Variables that a piece of code reads from the environment. */
const READS: Readonly<Record<string, RegExp>> = {
  sh: /\$\{?([A-Z][A-Z_]+)/g,
  js: /process\.env\.([A-Z_]+)|([A-Z_]+)(?=[^{}]*\} = process\.env)/g,
  py: /os\.environ\["([A-Z_]+)"\]/g,
  go: /os\.Getenv\("([A-Z_]+)"\)/g,
};

function variablesOf({ language, text }: CodeBlock): readonly string[] {
  return [...text.matchAll(READS[language] ?? /$^/g)].map(([, name, other]) => name ?? other ?? '');
}

const webhookHeadersOf = ({ headers }: Notification) => ({
  'webhook-id': String(headers['webhook-id']),
  'webhook-timestamp': String(headers['webhook-timestamp']),
  'webhook-signature': String(headers['webhook-signature']),
});

describe('the guide', { timeout: SUITE_TIMEOUT_MS }, () => {
  const run = forSuite(startObservedRun);
  const temporary = forSuite(temporaryFolder);
  const store = forSuite(openGuideStore);
  /** Where code runs: a new folder each time, so that no program finds files of another. */
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(temporary.path, 'code-'));
  });

  /** Readers on the Free plan, one for each page and language. */
  const readers = new Map<string, Promise<GuideReader>>();
  const readerOf = (file: string, language: string) => {
    const name = `${file} ${language === 'sh' ? 'js' : language}`;
    const reader = readers.get(name) ?? openReader(run, `reader-${readers.size}@example.com`);
    readers.set(name, reader);
    return reader;
  };

  /** The last command must be refused its credential and end the shell. Resolves with all output. */
  const assertStops = async (commands: readonly string[], env: Env): Promise<string> => {
    const stdin = [...commands, 'echo went on', ''].join('\n');
    const shell = ['bash', '--noprofile', '--norc'] as const;
    const { code, stdout, stderr } = await runCommand(shell, { cwd: folder, env, stdin });
    assert.match(stderr, /\{"error":\{"code":"UNAUTHORIZED","message":/);
    assert.doesNotMatch(stdout, /went on/);
    assert.notEqual(code, 0);
    return stdout;
  };

  const splitsIntoFive = async (block: CodeBlock, reader: GuideReader) => {
    const lines = await runProgram(block, folder, reader.programEnv);
    const expected = SEGMENT_STARTS.map((start, index) => `segment-${index}.mp3 begins at ${start} s`);
    assert.deepEqual(lines, expected);
    for (const { index, size } of (await reader.latestJob()).segments) {
      assert.equal((await stat(join(folder, `segment-${index}.mp3`))).size, size);
    }
  };

  const createsOnce = async (block: CodeBlock, reader: GuideReader) => {
    await using proxy = await startStumblingProxy(run.baseUrl);
    const [id] = await runProgram(block, folder, { ...reader.programEnv, AUDIOSPLIT_URL: proxy.url });
    assert.deepEqual(proxy.statuses, [201, 503, 201]);
    assert.deepEqual(await reader.jobIds(), [id]);
  };

  const believesTheProductAlone = async (block: CodeBlock) => {
    const secretNow = async () =>
      (await run.call('GET /api/v1/webhooks/secret', run.withToken)).body.secret as string;
    const keyOf = (secret: string) => Buffer.from(secret.replace('whsec_', ''), 'base64');
    const secret = await secretNow();
    await using recorder = await startRecorder();
    await using receiver = await startReceiver(block, folder, { WEBHOOK_SECRETS: secret });
    const post = async (headers: Record<string, string>, body: string | Buffer) => {
      const bytes = new Uint8Array(Buffer.from(body));
      return (await fetch(receiver.url, { method: 'POST', headers, body: bytes })).status;
    };
    const source = { sourceUrl: `${run.baseUrl}/samples/tour.mp3` };

    const job = await run.split({ ...source, webhookUrl: receiver.url });
    const expected = [`split.processing ${job.id}`, `split.completed ${job.id}`];
    await until(() => expected.every((line) => receiver.lines().includes(line)), 'it is notified of the job');
    const delivered = async () => {
      const { body } = await run.call('GET /api/v1/webhooks/deliveries?limit=2', run.withToken);
      return body.data.every(({ status }: { status: string }) => status === 'delivered');
    };
    await until(delivered, 'the product takes its answers for receipts');

    await run.split({ ...source, webhookUrl: recorder.url });
    await until(() => recorder.received.length === 2, 'both notifications are recorded');
    const [genuine] = recorder.received;
    assert.ok(genuine);
    const headers = webhookHeadersOf(genuine);
    assert.equal(await post(headers, genuine.body), 204, 'as it was sent');
    const forged = genuine.body.toString().replace('split.', 'split,');
    assert.equal(await post(headers, forged), 401, 'another body');
    assert.equal(await post({ ...headers, 'webhook-id': 'msg_other' }, genuine.body), 401, 'another id');
    const later = String(Number(headers['webhook-timestamp']) + 1);
    assert.equal(await post({ ...headers, 'webhook-timestamp': later }, genuine.body), 401, 'another time');
    const ofVersion2 = `v2,${headers['webhook-signature'].slice(3)}`;
    for (const signature of ['', 'v1,', 'v1', ofVersion2, 'v1,é', 'v1,AAAA']) {
      const sent = { ...headers, 'webhook-signature': encodeURI(signature) };
      assert.equal(await post(sent, genuine.body), 401, `signature ${signature}`);
    }
    assert.equal(await post({}, genuine.body), 401, 'nothing signed');

    const body = genuine.body.toString();
    const signedAt = (ageSeconds: number, secrets: readonly string[]) => {
      const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
      const sign = (key: Uint8Array) => hmacSha256(key, `msg_1.${timestamp}.${body}`).toString('base64');
      return {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(timestamp),
        'webhook-signature': secrets.map((each) => `v1,${sign(keyOf(each))}`).join(' '),
      };
    };
    assert.equal(await post(signedAt(TOLERANCE_SECONDS - 30, [secret]), body), 204, 'late, but in time');
    assert.equal(await post(signedAt(TOLERANCE_SECONDS + 1, [secret]), body), 401, 'old');
    assert.equal(await post(signedAt(-TOLERANCE_SECONDS - 30, [secret]), body), 401, 'from the future');
    const untimed = { ...signedAt(0, [secret]), 'webhook-timestamp': 'soon' };
    assert.equal(await post(untimed, body), 401, 'at no time');

    const { body: rotated } = await run.call('POST /api/v1/webhooks/secret/rotate', run.withToken);
    const known = recorder.received.length;
    await run.split({ ...source, webhookUrl: recorder.url });
    await until(() => recorder.received.length === known + 2, 'both notifications after the rotation');
    const during = recorder.received.at(-1);
    assert.ok(during);
    const given = webhookHeadersOf(during);
    assert.ok(given['webhook-signature'].includes(' '), 'signed by both');
    assert.equal(await post(given, during.body), 204, 'who knows the old secret alone believes it');
    assert.equal(await post(signedAt(0, [rotated.secret]), body), 401, 'signed by the new one alone');
    await using both = await startReceiver(block, folder, { WEBHOOK_SECRETS: `${rotated.secret} ${secret}` });
    for (const secrets of [[secret], [rotated.secret], [secret, rotated.secret]]) {
      const response = await fetch(both.url, { method: 'POST', headers: signedAt(0, secrets), body });
      assert.equal(response.status, 204, 'who knows both believes either');
    }
  };

  /** How each program of the guide is tested. */
  const PROGRAMS: Readonly<Record<string, (block: CodeBlock, reader: GuideReader) => Promise<void>>> = {
    'split.mjs': splitsIntoFive,
    'split.py': splitsIntoFive,
    'create.mjs': createsOnce,
    'create.py': createsOnce,
    'receive.mjs': believesTheProductAlone,
    'receive.py': believesTheProductAlone,
    'receive.go': believesTheProductAlone,
    async 'transcribe.mjs'(block, reader) {
      await using transcriber = await startTranscriber('a key');
      const limits = { MAX_FILE_SIZE: '100000', MAX_SECONDS: '1390' };
      const service = { TRANSCRIBE_URL: transcriber.url, TRANSCRIBE_KEY: 'a key' };
      const transcribe = async (environment: Env) => {
        transcriber.sizes.length = 0;
        const lines = await runProgram(block, folder, { ...reader.programEnv, ...service, ...environment });
        const { segments } = await reader.latestJob();
        assert.ok(segments.length > 2);
        const sizes = segments.map(({ size }: Segment) => size);
        assert.deepEqual(transcriber.sizes, sizes);
        const expected = segments.flatMap(({ startTime, contentStart = startTime, fileName }: Segment) => [
          // Except in the first segment, the first line lies in the overlap.
          ...(startTime < contentStart
            ? []
            : [`${clock(startTime + 0.25)} ${clock(startTime + 1)} The first of ${fileName}.`]),
          `${clock(startTime + 1)} ${clock(startTime + 1.5)} The second of ${fileName}.`,
        ]);
        assert.deepEqual(lines, expected);
        return segments as readonly Segment[];
      };
      const clock = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 23);
      await transcribe(limits);
      assert.ok(transcriber.sizes.every((size) => size <= 100_000));
      const byLength = await transcribe({ MAX_FILE_SIZE: '200000', MAX_SECONDS: '10' });
      assert.ok(byLength.every(({ startTime, endTime }) => endTime - startTime <= 10));
    },
    async 'show-notes.mjs'(block, reader) {
      const listOf = async (cut: object) => {
        await reader.split(cut);
        const { id } = await reader.latestJob();
        return runProgram(block, folder, { ...reader.programEnv, JOB: id });
      };
      const chapters = [{ startTime: 0, title: 'Welcome' }, { startTime: 12.5 }];
      assert.deepEqual(await listOf({ splitMode: 'chapters', chapters }), [
        '00:00:00 Welcome',
        '00:00:12 Part 2',
      ]);
      assert.deepEqual(await listOf({ splitMode: 'duration', segmentDuration: 20 }), [
        '00:00:00 Part 1',
        '00:00:20 Part 2',
        '00:00:40 Part 3',
      ]);
    },
  };

  for (const { file, blocks } of pages) {
    test(`${file}: sets every variable that its code reads`, () => {
      const names = new Set(blocks.flatMap(variablesOf));
      const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
      const set = new Set(
        [...commands.join('\n').matchAll(/^\s*(?:until )?(?:export )?([A-Z_]+)=/gm)].map(([, name]) => name),
      );
      const programs = blocks.filter(({ language }) => language !== 'sh').flatMap(variablesOf);
      for (const name of names) assert.ok(set.has(name), name);
      // Programs see only exported variables.
      for (const name of programs) assert.match(commands.join('\n'), new RegExp(`^export ${name}=`, 'm'));
    });

    const commands = blocks.filter(({ fileName }) => fileName === undefined);
    const plan = BUSY_PAGES.includes(file) ? 'of an account without limits' : 'on the Free plan';
    test(`${file}: its commands work ${plan}`, skippedWithout('sh'), async () => {
      assert.ok(commands.every(({ language }) => language === 'sh'));
      const expected = COMMANDS[file] ?? [];
      assert.equal(commands.length, expected.length);
      if (commands.length === 0) return;
      if (commands.some(({ text }) => text.includes('npx '))) await provideCommand(folder);
      const { env: ofReader } = await readerOf(file, 'sh');
      const env = {
        ...ofReader,
        ...store.env,
        ...(BUSY_PAGES.includes(file) ? { AUDIOSPLIT_KEY: run.apiKey } : {}),
      };
      const steps = await runInShell(commands, folder, env);
      steps.forEach((step, position) => {
        const message = `${commands[position]?.text}\n${JSON.stringify(step, null, 2)}`;
        assert.equal(step.status, 0, message);
        assert.equal(step.stderr, '', message);
        assert.match(step.stdout, expected[position] ?? /$^/, message);
      });
    });

    const reading = commands.find(({ text }) => text.includes('| field '));
    if (reading !== undefined) {
      test(`${file}: its commands stop at a rejection`, skippedWithout('sh'), async () => {
        const until = commands.slice(0, commands.indexOf(reading) + 1).map(({ text }) => text);
        const { env } = await readerOf(file, 'sh');
        const refused = { ...env, AUDIOSPLIT_KEY: 'none', AUDIOSPLIT_PASSWORD: 'not the password' };
        assert.doesNotMatch(await assertStops(until, refused), /error/);
      });
    }

    for (const block of blocks) {
      const { fileName, language } = block;
      if (fileName === undefined) continue;
      test(`${file}: ${fileName}`, skippedWithout(language), async () => {
        const tried = PROGRAMS[fileName];
        assert.ok(tried, 'no test runs it');
        await tried(block, await readerOf(file, language));
      });
    }
  }

  for (const source of CHAPTERED_SOURCES) {
    const { page, name, files } = source;
    test(`${page}: without \`chapters\`, a file is cut at its own`, skippedWithout('sh'), async () => {
      const bytes = await makeChapteredSource(source);
      await using sources = await startSources({ files: { [name]: bytes } });
      const blocks = pages.find(({ file }) => file === page)?.blocks ?? [];
      const archiving = blocks.findIndex(({ text }) => text.includes('/archive'));
      const steps = blocks.slice(0, archiving + 1).map((block) => {
        return { ...block, text: block.text.replace(CHAPTERS_FIELD, '') };
      });
      const { env } = await readerOf(page, 'sh');
      const ofSource = { AUDIOSPLIT_KEY: run.apiKey, SOURCE_URL: sources.url(name) };
      await runInShell(steps, folder, { ...env, ...ofSource });

      const { body: list } = await run.call('GET /api/v1/splits?limit=1', run.withKey);
      const { body: job } = await run.call(`GET /api/v1/splits/${list.data[0].id}`, run.withKey);
      const segments: readonly Segment[] = job.segments;
      assert.deepEqual(
        segments.map(({ fileName }) => fileName),
        files,
      );
      const archive = await readFile(join(folder, name.replace(/\w+$/, 'zip')));
      const tags = await readTags(name, bytes);
      for (const { index, title, startTime, endTime, fileName, downloadUrl = '' } of segments) {
        assert.ok(archive.includes(fileName), fileName);
        assert.ok(endTime - startTime <= Number(env.MOST_SECONDS));
        const segment = await (await fetch(downloadUrl)).bytes();
        const own = { title, track: `${index + 1}/${files.length}` };
        assert.deepEqual(await readTags(fileName, segment), { ...tags, ...own });
      }
      for (const { title = '', cut } of segments) if (title.endsWith('(1/2)')) assert.equal(cut, 'silence');
    });
  }

  test("the tour's commands stop at a rejection", skippedWithout('sh'), async () => {
    await writeFile(join(folder, 'development.json'), '{"apiKey": "none"}');
    const [setUp = '', split = ''] = extractTour(await readFile(join(DOCS, 'guide/tour.md'), 'utf8'));
    assert.match(split, /JOB=/);
    const env = { BASE: run.baseUrl, DATA_DIR: folder };
    assert.doesNotMatch(await assertStops([setUp, split], env), /undefined/);
  });

  test('the plans match the billed ones', async () => {
    const limits = pages.find(({ file }) => file === 'guide/limits.md')?.markdown ?? '';
    const sizeOf = (bytes: number) =>
      bytes < 1024 ** 3 ? `${bytes / 1024 ** 2} MiB` : `${bytes / 1024 ** 3} GiB`;
    const { data: plans } = await createAudiosplit({ baseUrl: run.baseUrl }).listPlans();
    assert.equal(plans.length, 4);
    for (const plan of plans) {
      const overage = plan.overageMillicentsPerMinute;
      const cells = [
        plan.name,
        plan.requestsPerMinute.toLocaleString('en'),
        plan.concurrentJobs,
        plan.monthlyMinutes.toLocaleString('en'),
        overage === null ? '–' : `$${overage / 100_000}`,
        sizeOf(plan.maxFileSize),
        sizeOf(plan.maxOutputBytes),
        plan.pricePerMonth === 0 ? '–' : `$${plan.pricePerMonth / 100}`,
      ];
      assert.ok(limits.includes(`| ${cells.join(' | ')} |`), cells.join(' | '));
    }
  });
});
