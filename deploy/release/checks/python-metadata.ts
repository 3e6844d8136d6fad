/** Checks whether PyPI would accept the metadata, with the library that PyPI itself uses. */
import { join } from 'node:path';
import { runTool, ToolError } from '../../provision/run-tool.ts';
import type { Task } from '../../provision/task.ts';
import { filesIn, type Packed } from '../packed.ts';

/** If the validation fails, the last line of the output says why. */
const READ = `
import sys
from packaging.metadata import Metadata
with open(sys.argv[1], "rb") as file:
    metadata = Metadata.from_email(file.read(), validate=True)
if str(metadata.version) != sys.argv[2]:
    sys.exit(f"the version is {metadata.version}")
if not metadata.description or metadata.description_content_type != "text/markdown":
    sys.exit("the page is missing, or no markdown")
if metadata.license_expression != "Apache-2.0":
    sys.exit(f"the licence is {metadata.license_expression}")
`;

export async function findMetadataProblems(
  packed: Packed,
  { python, version }: { readonly python: string; readonly version: string },
  task: Task,
): Promise<readonly string[]> {
  const path = (await filesIn(packed.folder)).find((each) => /(^|\/)(METADATA|PKG-INFO)$/.test(each));
  if (path === undefined) return ['has no metadata'];
  try {
    await runTool(python, ['-c', READ, join(packed.folder, path), version], task);
    return [];
  } catch (error) {
    if (error instanceof ToolError) return [`metadata: ${error.message.split('\n').at(-1)}`];
    throw error;
  }
}
