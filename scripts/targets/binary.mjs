// What an ELF addon must be, read off the file with binutils' readelf: a build machine that differs
// from what is expected would shut out systems without a word.

import { execFileSync } from 'node:child_process';

const order = new Intl.Collator('en', { numeric: true }).compare;

/** What every Linux system with that C library has. */
const EVERYWHERE = {
  gnu: /^(lib(c|m|dl|rt|pthread|gcc_s)\.so\.\d|ld-linux-[\w-]+\.so\.\d)$/,
  musl: /^(libc\.so|libc\.musl-\w+\.so\.1|libgcc_s\.so\.1)$/,
};

const MACHINE = { x64: 'Advanced Micro Devices X86-64', arm64: 'AArch64' };

const reader =
  (file) =>
  (...options) =>
    execFileSync('readelf', ['--wide', ...options, file], { encoding: 'utf8', maxBuffer: 1 << 28 });

/** The facts that decide where an addon loads. */
export const readAddon = (file) => {
  const readelf = reader(file);
  const versions = new Set(readelf('--version-info').match(/(?<=Name: GLIBC_)[\d.]+/g));
  return {
    machine: /Machine:\s+(.+)/.exec(readelf('--file-header'))?.[1],
    needed: [...readelf('--dynamic').matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, name]) => name),
    glibc: [...versions].sort(order).at(-1),
    executableStack: !/GNU_STACK.*\bRW\s/.test(readelf('--program-headers')),
    stripped: !/\.symtab\b/.test(readelf('--section-headers')),
    buildId: /Build ID: (\w+)/.exec(readelf('--notes'))?.[1],
    exports: /\bnapi_register_module_v1\b/.test(readelf('--dyn-syms')),
  };
};

/** What is wrong with an addon of `arch` for `libc`, in words; `glibc` is the newest it may need. */
export const addonFaults = (facts, { arch, libc, glibc = '2.17' }) => {
  const strange = facts.needed.filter((name) => !EVERYWHERE[libc].test(name));
  const faults = [
    [facts.machine !== MACHINE[arch], `is for ${facts.machine}, not ${MACHINE[arch]}`],
    [strange.length > 0, `needs ${strange.join(', ')}, which not every system has`],
    [libc === 'gnu' && !facts.glibc, 'names no version of glibc; is it built for glibc at all?'],
    [libc === 'gnu' && order(facts.glibc ?? '', glibc) > 0, `needs glibc ${facts.glibc}`],
    [libc === 'musl' && facts.glibc, `is built for glibc ${facts.glibc}`],
    [facts.executableStack, 'asks for an executable stack'],
    [!facts.stripped, 'has its symbol table'],
    [!facts.buildId, 'has no build id'],
    [!facts.exports, 'exports no napi_register_module_v1'],
  ];
  return faults.filter(([wrong]) => wrong).map(([, words]) => words);
};
