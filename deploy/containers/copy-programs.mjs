/**
 * copy-programs.mjs ROOT PROGRAM…: copies programs with the shared libraries that they link into another root. If a program
 * is already in ROOT, only its libraries are copied.
 *
 * It reads the names of the libraries from the files. ldd would start the programs, which may be for another processor.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Debian's paths, by the number of the processor in ELF. Programs name the loader by this path. */
const PLACES = {
  62: { loader: '/lib64/ld-linux-x86-64.so.2', libraries: '/lib/x86_64-linux-gnu' },
  183: { loader: '/lib/ld-linux-aarch64.so.1', libraries: '/lib/aarch64-linux-gnu' },
};
/** Types of program headers, and tags in the dynamic section, from elf.h. */
const [PT_LOAD, PT_DYNAMIC, PT_INTERP] = [1, 2, 3];
const [DT_NEEDED, DT_STRTAB, DT_RPATH, DT_RUNPATH] = [1, 5, 15, 29];

const [root, ...programs] = process.argv.slice(2);
const done = new Set();
for (const program of programs) copy(program);

function copy(file) {
  if (done.has(file)) return;
  done.add(file);
  if (!file.startsWith(`${root}/`)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    copyFileSync(file, join(root, file));
  }
  for (const linked of linkedBy(file)) copy(linked);
}

function linkedBy(file) {
  const { machine, interpreter, needed, searched } = readElf(file);
  const { loader, libraries } = PLACES[machine];
  const folders = [...searched.map((path) => path.replace('$ORIGIN', dirname(file))), libraries];
  const found = needed.map((name) => {
    if (name === basename(loader)) return loader;
    const path = folders.map((folder) => join(folder, name)).find((each) => existsSync(each));
    if (path === undefined) throw new Error(`${file} links ${name}, which is not in ${folders.join(', ')}`);
    return path;
  });
  return interpreter === undefined ? found : [interpreter, ...found];
}

function readElf(file) {
  const bytes = readFileSync(file);
  if (bytes.readUInt32BE(0) !== 0x7f454c46) throw new Error(`${file} is no program`);
  const number = (offset) => Number(bytes.readBigUInt64LE(offset));
  const textAt = (offset) => bytes.toString('latin1', offset, bytes.indexOf(0, offset));
  const [headersAt, headerSize, headerCount] = [number(32), bytes.readUInt16LE(54), bytes.readUInt16LE(56)];
  const headers = Array.from({ length: headerCount }, (_, index) => {
    const at = headersAt + index * headerSize;
    return {
      type: bytes.readUInt32LE(at),
      offset: number(at + 8),
      address: number(at + 16),
      size: number(at + 32),
    };
  });
  const interpreterAt = headers.find(({ type }) => type === PT_INTERP)?.offset;
  const { offset = 0, size = 0 } = headers.find(({ type }) => type === PT_DYNAMIC) ?? {};
  const entries = Array.from({ length: size / 16 }, (_, index) => {
    const at = offset + index * 16;
    return { tag: number(at), value: number(at + 8) };
  });
  const textsAddress = entries.find(({ tag }) => tag === DT_STRTAB)?.value ?? 0;
  const loaded = headers.find(
    ({ type, address, size: length }) =>
      type === PT_LOAD && address <= textsAddress && textsAddress < address + length,
  );
  const textsAt = textsAddress - (loaded?.address ?? 0) + (loaded?.offset ?? 0);
  const textsOf = (...tags) =>
    entries.filter(({ tag }) => tags.includes(tag)).map(({ value }) => textAt(textsAt + value));
  return {
    machine: bytes.readUInt16LE(18),
    interpreter: interpreterAt === undefined ? undefined : textAt(interpreterAt),
    needed: textsOf(DT_NEEDED),
    searched: textsOf(DT_RPATH, DT_RUNPATH).flatMap((path) => path.split(':')),
  };
}
