import { rename, writeFile } from 'node:fs/promises';

/** Replaces the file atomically, readable for its owner only. */
export async function writeSecretsFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/**
 * The env file with these variables replaced or added, in the format that Docker Compose and Node's parseEnv
 * read.
 */
export function withVariables(text: string, variables: Readonly<Record<string, string>>): string {
  const others = text.split('\n').filter((line) => variables[line.split('=')[0] ?? ''] === undefined);
  const lines = Object.entries(variables).map(
    ([name, value]) => `${name}=${value.includes('\n') ? JSON.stringify(value) : value}`,
  );
  return `${[others.join('\n').trimEnd(), ...lines].join('\n').trimStart()}\n`;
}
