import { rename, writeFile } from 'node:fs/promises';

/** Replaces it at once, readable for the owner only. */
export async function writeSecretsFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** An env file with these variables in place of its own of the same names, as Docker Compose and parseEnv of Node read it. */
export function withVariables(text: string, variables: Readonly<Record<string, string>>): string {
  const others = text.split('\n').filter((line) => variables[line.split('=')[0] ?? ''] === undefined);
  const lines = Object.entries(variables).map(
    ([name, value]) => `${name}=${value.includes('\n') ? JSON.stringify(value) : value}`,
  );
  return `${[others.join('\n').trimEnd(), ...lines].join('\n').trimStart()}\n`;
}
