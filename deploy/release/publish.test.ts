import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { destinationsOf, readCredentials } from './destinations.ts';
import { publishToNpm } from './publish.ts';
import { packageIn, task, temporaryFolder } from './release.fixture.ts';

/** An npm registry with only the functions that `npm view` and `npm publish` need. */
async function startRegistry() {
  const documents = new Map<string, object>();
  const authorizations: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(request.url?.slice(1) ?? '');
    if (request.method === 'PUT') {
      authorizations.push(request.headers.authorization);
      documents.set(name, (await json(request)) as object);
    }
    const document = documents.get(name);
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? { error: 'not_found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/`,
    documents,
    authorizations,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

describe('publishing to npm', () => {
  const pack = async (parent: string, files = {}) => {
    const packed = await packageIn(parent, { files });
    execFileSync('npm', ['pack', '--silent', '--pack-destination', parent], { cwd: packed.folder });
    return { ...packed, file: `${parent}/audiosplit-one-1.2.3.tgz` };
  };

  test('publishes once with the token, skips existing packages, and rejects different contents', async () => {
    await using registry = await startRegistry();
    await using folder = await temporaryFolder();
    const packed = await pack(folder.path);
    const publish = () =>
      publishToNpm(packed, '1.2.3', { token: 'npm_planted', registry: registry.url }, task);
    assert.equal(await publish(), 'published');
    assert.deepEqual(registry.authorizations, ['Bearer npm_planted']);
    assert.deepEqual([...registry.documents.keys()], ['@audiosplit/one']);
    assert.equal(await publish(), 'there already');
    await pack(folder.path, { 'index.js': 'export const one = 2;\n' });
    await assert.rejects(publish(), /has another @audiosplit\/one 1\.2\.3: a release needs a new version/);
    assert.equal(registry.authorizations.length, 1);
  });
});

describe('a release', () => {
  test('is published to the registries by their names, with every image at the version', () => {
    const { of, images } = destinationsOf('1.2.3', 'registry.example.com/audio/');
    assert.deepEqual(of, {
      npm: 'https://registry.npmjs.org/',
      wheel: 'https://upload.pypi.org/legacy/',
      sdist: 'https://upload.pypi.org/legacy/',
      chart: 'oci://registry.example.com/audio/charts',
    });
    assert.ok(images.includes('registry.example.com/audio/audiosplit:1.2.3'));
    assert.ok(images.includes('registry.example.com/audio/audiosplit-gateway:1.2.3'));
  });

  test('stops if credentials are missing, and names them', () => {
    const given = { env: {}, registry: undefined, dockerConfig: undefined };
    assert.deepEqual(readCredentials(given), [
      'NPM_TOKEN, a token of npm that may publish',
      'PYPI_TOKEN, a token of PyPI for the project audiosplit',
      '--registry HOST/PATH, for images and the chart',
    ]);
    const tokens = { NPM_TOKEN: 'a', PYPI_TOKEN: 'b' };
    const registry = 'registry.example.com/audio';
    assert.deepEqual(
      readCredentials({ env: tokens, registry, dockerConfig: '{"auths": {"other.example.com": {}}}' }),
      ['`docker login registry.example.com`, for images and the chart'],
    );
    const dockerConfig = '{"auths": {"registry.example.com": {}}}';
    assert.deepEqual(readCredentials({ env: tokens, registry, dockerConfig }), {
      npmToken: 'a',
      pypiToken: 'b',
      registry,
    });
  });
});
