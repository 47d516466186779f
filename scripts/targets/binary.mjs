// What an addon must be to load on every system it is for, read off the file: a build machine that differs
// from what is expected would shut out systems without a word.

import { basename } from 'node:path';
import { dllFaults, readDll } from './dll.mjs';
import { elfFaults, readElf } from './elf.mjs';
import { Unavailable } from './tools.mjs';

/** The platform in the name of an addon: `linux-x64-musl`. */
export const platformOf = (file) => basename(file).split('.')[1];

const those = (faults) => faults.filter(([wrong]) => wrong).map(([, words]) => words);

const read = (reader, file) => {
  try {
    return reader(file);
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    const [line] = String(error.stderr || error.message)
      .trim()
      .split('\n');
    throw new Error(`${file} cannot be read as an addon: ${line}`);
  }
};

/**
 * What an addon for `platform` needs of the system, and what is wrong with it in words.
 * Addons for macOS are not read here.
 *
 * @throws {Unavailable} where the program that reads it is not installed
 */
export const inspect = (file, platform) => {
  const [system, arch, libc] = platform.split('-');
  if (system === 'win32') {
    const facts = read(readDll, file);
    return { needs: facts.needed, faults: those(dllFaults(facts, { arch })) };
  }
  const facts = read(readElf, file);
  const versions = facts.glibc ? [`glibc ${facts.glibc}`] : [];
  return { needs: [...versions, ...facts.needed], faults: those(elfFaults(facts, { arch, libc })) };
};
