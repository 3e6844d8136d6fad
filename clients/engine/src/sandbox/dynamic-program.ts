import { existsSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';

/** elf(5): the program header that names the loader. */
const PT_INTERP = 3;
const HEADER_BYTES = 64;
const ELF_MAGIC = '\x7fELF';

/** Where loaders look by default: ld.so(8). */
const LIBRARY_PATHS = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/local/lib', '/etc/ld.so.cache'];

/** The files from which a program is loaded besides its own: none for a static one. */
export async function librariesOf(programPath: string): Promise<readonly string[]> {
  const loader = await loaderOf(programPath);
  if (loader === undefined) return [];
  const paths = [await realpath(loader), ...LIBRARY_PATHS];
  return paths.filter((path) => existsSync(path));
}

async function loaderOf(programPath: string): Promise<string | undefined> {
  await using file = await open(programPath);
  const read = async (offset: number, length: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };
  const header = await read(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, 4) !== ELF_MAGIC) return undefined;
  const [tableOffset, entryBytes, entryCount] = [
    Number(header.readBigUInt64LE(32)),
    header.readUInt16LE(54),
    header.readUInt16LE(56),
  ];
  const table = await read(tableOffset, entryBytes * entryCount);
  for (let at = 0; at + entryBytes <= table.length; at += entryBytes) {
    if (table.readUInt32LE(at) !== PT_INTERP) continue;
    const [offset, length] = [Number(table.readBigUInt64LE(at + 8)), Number(table.readBigUInt64LE(at + 32))];
    return (await read(offset, length)).toString('utf8').replace(/\0.*$/s, '');
  }
  return undefined;
}
