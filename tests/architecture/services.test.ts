/**
 * Checks that code with a single place stays there: arrows inside a service, SQL, the environment, clients of
 * engines.
 */
import { describe, test } from 'node:test';
import { none } from './breaches.ts';
import { type SourceFile, sourceFiles } from './source-files.ts';

/** Not deploy: code that starts a product reads the environment and runs programs in many places. */
const production = sourceFiles.filter(
  ({ path, isTest, generated }) =>
    /^(proto|services|gateway|clients)\//.test(path) && /\.tsx?$/.test(path) && !isTest && !generated,
);
const inServices = production.filter((file) => /^services\/(?!chassis)|^gateway\/src\//.test(file.path));

const STORE = /\/store(\.ts|\/)/;

/** Relative imports that are wrong. */
function arrowsOf(files: readonly SourceFile[], isWrong: (target: string, from: SourceFile) => boolean) {
  return files.flatMap((file) =>
    file.imports
      .filter(({ specifier, target }) => specifier.startsWith('.') && isWrong(target ?? '', file))
      .map(({ target }) => `${file.path} → ${target}`),
  );
}

describe('arrows inside a service', () => {
  test('no file imports main.ts, and only main.ts imports its service.ts', () => {
    none(
      arrowsOf(
        inServices,
        (target, { path }) =>
          /\/main\.ts$/.test(target) || (/src\/service\.ts$/.test(target) && !/\/main\.ts$/.test(path)),
      ),
    );
  });

  test('stores do not import rpc, subscriptions or services', () => {
    const stores = inServices.filter(({ path }) => STORE.test(path));
    const outer = /\/([\w-]*rpc|events|subscriptions|service|main)\.ts$/;
    none(arrowsOf(stores, (target) => outer.test(target) && !STORE.test(target)));
  });

  test('SQL is in stores only', () => {
    const sql = /\b(?:select\s+[\w*(]|insert into\s|update\s+\w+\s+set\s|delete from\s)/i;
    none(
      inServices
        .filter(({ path }) => !STORE.test(path))
        .filter((file) => file.strings.some((text) => sql.test(text) && text !== 'select 1'))
        .map((file) => file.path),
    );
  });
});

describe('things that have one place', () => {
  const only = (title: string, pattern: RegExp, where: RegExp) =>
    test(title, () => {
      none(
        production
          .filter((file) => pattern.test(file.text) && !where.test(file.path))
          .map((file) => file.path),
      );
    });

  only('the environment is read by main.ts only', /process\.env\b/, /\/main\.ts$/);
  only('ffmpeg is run by the engine’s ffmpeg module only', /\bspawn\(/, /^clients\/engine\/src\/ffmpeg\//);
  only('kafkajs is known to its adapter only', /from 'kafkajs'/, /^services\/chassis\/src\/event-bus\//);
  test('the Kafka client is imported from its patched module, also by tests and tools', () => {
    const takesItself = /import \{[^}]*(?<!type )\bKafka\b[^}]*\} from 'kafkajs'/;
    none(sourceFiles.filter(({ text }) => takesItself.test(text)).map(({ path }) => path));
  });
  // The operator configures the key set of an external issuer and the services' addresses; callers cannot
  // influence those. The client and the console run at the caller's side, and call us.
  only(
    'what callers name is reached through the guarded egress only',
    /from 'undici'|(?<![.\w])fetch\(/,
    /^services\/chassis\/src\/(egress\/|rpc\/)|^clients\/|^gateway\/(console|src\/credentials\/credentials\.ts$)/,
  );
  only(
    'the S3 client is known to its adapters only',
    /from '@aws-sdk\//,
    /^services\/(chassis\/src\/object-store|splitter\/src\/bucket)\//,
  );
  only('Stripe is known to its adapter only', /from 'stripe'/, /^services\/billing\/src\/payment\//);
});
