/** `npm run split`, for quick use. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CommandOptions, type Exit, runCommand } from '../harness/installation/as-a-user/command.ts';
import { PRODUCT_ROOT } from '../harness/installation/as-a-user/environment.ts';
import type { Product } from '../harness/installation/as-a-user/product.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { clientOf } from './api.ts';
import { judgeAudio } from './audio.ts';
import { onSharedProduct, type ScenarioTags } from './scenario.ts';

interface Manifest {
  readonly source: string;
  readonly request: object;
  readonly outputFormat: string;
  readonly sourceDuration: number;
  readonly segments: readonly { readonly file: string; readonly size: number; readonly sha256: string }[];
}

const onProduct = onSharedProduct();

const SAMPLE = 'deploy/embedded/samples/tour.mp3';
/** Without --server it starts its own product, always of the same kind. */
const ALONE = { embeddedOnly: 'npm run split brings its own embedded product' } as const;

/** Each scenario has its own folder. */
function scenario(
  name: string,
  tags: ScenarioTags,
  run: (folder: string, product: Product) => Promise<void>,
): void {
  onProduct(name, tags, async (product) => {
    await using folder = await temporaryFolder();
    await run(folder.path, product);
  });
}

/** Runs the command as typed in the clone. Temporary files go below `folder`, so that leftovers are found. */
function split(folder: string, args: readonly string[], options: CommandOptions = {}): Promise<Exit> {
  const env = { ...options.env, TMPDIR: folder };
  return runCommand(['npm', 'run', '--silent', 'split', '--', ...args], {
    ...options,
    cwd: PRODUCT_ROOT,
    env,
  });
}

async function checkOutput(outDir: string, { stdout }: Exit): Promise<Manifest> {
  const [folder, summary = ''] = stdout.split('\n');
  assert.equal(folder, outDir);
  const manifest = JSON.parse(await readFile(join(outDir, 'manifest.json'), 'utf8')) as Manifest;
  assert.match(summary, new RegExp(`^${manifest.segments.length} segments?, .* in [\\d.]+ s$`));
  const files = ['manifest.json', ...manifest.segments.map(({ file }) => file)];
  assert.deepEqual((await readdir(outDir)).sort(), files.sort());
  let seconds = 0;
  for (const { file, size, sha256 } of manifest.segments) {
    const bytes = await readFile(join(outDir, file));
    assert.equal(bytes.length, size);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256);
    seconds += (await judgeAudio(join(outDir, file))).seconds;
  }
  assert.ok(Math.abs(seconds - manifest.sourceDuration) < 0.5, `${seconds} s`);
  return manifest;
}

scenario('a local file is split, written and described, and nothing else is left', ALONE, async (folder) => {
  const outDir = join(folder, 'out');
  const exit = await split(folder, [SAMPLE, '--max-size', '300kB', '--to', 'flac', '--out', outDir]);
  assert.equal(exit.code, 0, exit.stderr);
  assert.doesNotMatch(exit.stderr, /NaN|undefined/);
  const manifest = await checkOutput(outDir, exit);
  assert.equal(manifest.source, join(PRODUCT_ROOT, SAMPLE));
  assert.deepEqual(manifest.request, { splitMode: 'fileSize', maxFileSize: 300_000, outputFormat: 'flac' });
  assert.equal(manifest.outputFormat, 'flac');
  assert.ok(manifest.segments.every(({ size }) => size <= 300_000));
  assert.deepEqual(await readdir(folder), ['out']);
});

scenario('a dry run prints the segments of the later split, with the same names', ALONE, async (folder) => {
  const outDir = join(folder, 'out');
  const cut = [SAMPLE, '--parts', '3', '--name', '{number} of {count}', '--out', outDir];
  const planned = await split(folder, [...cut, '--dry-run']);
  assert.equal(planned.code, 0, planned.stderr);
  assert.deepEqual(await readdir(folder), []);
  const made = await split(folder, cut);
  const { segments } = await checkOutput(outDir, made);
  assert.deepEqual(
    segments.map(({ file }) => file),
    ['1 of 3.mp3', '2 of 3.mp3', '3 of 3.mp3'],
  );
  const rows = planned.stdout.split('\n').slice(1, 4);
  for (const [index, row] of rows.entries()) assert.ok(row.endsWith(`  ${segments[index]?.file}`), row);
});

scenario('a folder that is not empty is not changed without --force', ALONE, async (folder) => {
  const outDir = join(folder, 'out');
  const args = [SAMPLE, '--every', '30', '--out', outDir];
  assert.equal((await split(folder, args)).code, 0);
  const refused = await split(folder, args);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /^[^\n]*is not empty[^\n]*--force[^\n]*\n$/);
  const forced = await split(folder, [...args, '--force']);
  assert.equal(forced.code, 0, forced.stderr);
  await checkOutput(outDir, forced);
});

scenario(
  'a file that is not audio fails with the code of the job, and leaves nothing',
  ALONE,
  async (folder) => {
    const source = join(folder, 'letter.mp3');
    await writeFile(source, 'Dear reader, this is not audio.\n'.repeat(100));
    const exit = await split(folder, [source, '--every', '30', '--out', join(folder, 'out')]);
    assert.equal(exit.code, 1);
    assert.equal(exit.stdout, '');
    assert.match(exit.stderr, /^UNSUPPORTED_MEDIA: .+$/m);
    assert.deepEqual(await readdir(folder), ['letter.mp3']);
  },
);

scenario('a URL in a private network fails with a hint how to allow it', ALONE, async (folder) => {
  const url = 'http://10.1.2.3/talk.mp3';
  const exit = await split(folder, [url, '--every', '30', '--out', join(folder, 'out')]);
  assert.equal(exit.code, 1);
  assert.match(exit.stderr, /^INVALID_PARAMS: .*EGRESS_ALLOW_CIDRS=/m);
});

scenario('DECODER_SANDBOX is used, and an unknown value is rejected', ALONE, async (folder) => {
  const args = [SAMPLE, '--every', '30', '--out', join(folder, 'out')];
  const exit = await split(folder, args, { env: { DECODER_SANDBOX: 'sometimes' } });
  assert.equal(exit.code, 1);
  assert.match(exit.stderr, /^DECODER_SANDBOX is "sometimes"; allowed: required, preferred, off$/m);
});

scenario('an error in the command is one line and exit code 2', ALONE, async (folder) => {
  const every = ['--every', '30'];
  const mistakes = [[], [SAMPLE], [SAMPLE, '--every', 'often'], ['missing.mp3', ...every]];
  // A folder, the same file twice, two files of one name, and an empty standard input.
  for (const sources of [[folder], [SAMPLE, SAMPLE], [SAMPLE, 'tour.wav'], ['-']])
    mistakes.push([...sources, ...every]);
  for (const args of mistakes) {
    const { code, stdout, stderr } = await split(folder, args);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, /^[^\n]+\n$/);
  }
  const help = await split(folder, ['--help']);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /^Usage: npm run split/);
});

scenario(
  'a remote server does the work with --server and --key',
  { covers: ['POST /api/v1/splits', 'GET /api/v1/splits/:jobId'] },
  async (folder, product) => {
    const outDir = join(folder, 'out');
    const at = (key: string) => ['--server', product.baseUrl, '--key', key];
    const request = [SAMPLE, '--every', '15', '--out', outDir];
    const exit = await split(folder, [...request, ...at(product.apiKey)]);
    assert.equal(exit.code, 0, exit.stderr);
    await checkOutput(outDir, exit);
    const { data } = await clientOf(product).listSplits();
    assert.equal(data.map(({ status }) => status).join(), 'completed');

    const stranger = await split(folder, [...request, '--force', ...at('ask_live_wrong')]);
    assert.equal(stranger.code, 1);
    assert.match(stranger.stderr, /^UNAUTHORIZED: .+$/m);
  },
);

scenario(
  'several sources in one call are written to one folder each, even if some fail',
  { covers: ['POST /api/v1/splits', 'GET /api/v1/splits/:jobId'] },
  async (folder, product) => {
    const letter = join(folder, 'letter.mp3');
    await writeFile(letter, 'Dear reader, this is not audio.\n'.repeat(100));
    const outDir = join(folder, 'out');
    const sources = [letter, SAMPLE, join(folder, 'missing.mp3'), folder, '-'];
    const exit = await split(
      folder,
      [...sources, '--every', '15', '--out', outDir, '--server', product.baseUrl],
      { env: { AUDIOSPLIT_KEY: product.apiKey }, stdin: await readFile(join(PRODUCT_ROOT, SAMPLE)) },
    );
    assert.equal(exit.code, 1, exit.stderr);
    assert.match(exit.stderr, /letter\.mp3: UNSUPPORTED_MEDIA: /);
    assert.match(exit.stderr, /missing\.mp3: there is no file /);
    assert.match(exit.stderr, /is a folder/);
    assert.match(exit.stderr, /^3 of 5 sources failed$/m);
    const lines = exit.stdout.trimEnd().split('\n');
    assert.deepEqual([lines[0], lines[2]], [join(outDir, 'tour'), join(outDir, 'stdin')]);
    await checkOutput(join(outDir, 'tour'), { ...exit, stdout: lines.slice(0, 2).join('\n') });
    const stdout = lines.slice(2).join('\n');
    assert.equal((await checkOutput(join(outDir, 'stdin'), { ...exit, stdout })).source, '-');
    assert.deepEqual((await readdir(outDir)).sort(), ['stdin', 'tour'], 'what failed has left nothing');
    assert.deepEqual((await readdir(folder)).sort(), ['letter.mp3', 'out']);
  },
);
