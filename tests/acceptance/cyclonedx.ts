/** The official JSON schemas of CycloneDX, from the Go module of the project's own library. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { downloadModule } from '../../deploy/provision/go-module.ts';
import type { Task } from '../../deploy/provision/task.ts';

const MODULE = 'github.com/CycloneDX/cyclonedx-go@v0.9.3';

/**
 * Resolves with a function that returns how a document violates the schema of a version, such as 1.6;
 * undefined if it does not. Throws ProvisionError.
 */
export async function openCycloneDxSchema(
  specVersion: string,
  task: Task,
): Promise<(document: unknown) => string | undefined> {
  const folder = join(await downloadModule(MODULE, task), 'schema');
  const [schema, ...referredTo] = await Promise.all(
    [`bom-${specVersion}.schema.json`, 'spdx.schema.json', 'jsf-0.82.schemax.json'].map(async (name) =>
      JSON.parse(await readFile(join(folder, name), 'utf8')),
    ),
  );
  // Its formats are not for validation, and it has additional keywords for people.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const isValid = ajv.addSchema(referredTo).compile(schema);
  return (document) => (isValid(document) ? undefined : ajv.errorsText(isValid.errors));
}
