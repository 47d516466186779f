// Checks from the file that an addon loads on every system that it is for. Otherwise an unexpected build machine
// could exclude systems without a warning.

import { basename } from 'node:path';
import { dllFaults, readDll } from './dll.mjs';
import { elfFaults, readElf } from './elf.mjs';
import { Unavailable } from './tools.mjs';

/** Returns the platform in the name of an addon, such as `linux-x64-musl`. */
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
 * Returns the system requirements of an addon for `platform`, and its faults in words. Addons for macOS are not
 * checked.
 *
 * @throws {Unavailable} if the program that reads the file is not installed
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
