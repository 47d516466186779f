// Reads addons for Linux with binutils' readelf.

import { runSystem } from './tools.mjs';

const order = new Intl.Collator('en', { numeric: true }).compare;

/** The newest glibc that an addon may need. */
export const GLIBC = '2.17';

/** The libraries of every Linux system with this C library. */
const EVERYWHERE = {
  gnu: /^(lib(c|m|dl|rt|pthread|gcc_s)\.so\.\d|ld-linux-[\w-]+\.so\.\d)$/,
  musl: /^(libc\.so|libc\.musl-\w+\.so\.1|libgcc_s\.so\.1)$/,
};

const MACHINE = { x64: 'Advanced Micro Devices X86-64', arm64: 'AArch64' };

const reader =
  (file) =>
  (...options) =>
    runSystem('readelf', ['--wide', ...options, file]);

/** Reads the facts that decide on which systems an addon loads. */
export const readElf = (file) => {
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

/** The possible faults of an addon of `arch` for `libc`: each has a condition and a text. */
export const elfFaults = (facts, { arch, libc }) => {
  const strange = facts.needed.filter((name) => !EVERYWHERE[libc].test(name));
  return [
    [facts.machine !== MACHINE[arch], `is for ${facts.machine}, not ${MACHINE[arch]}`],
    [strange.length > 0, `needs ${strange.join(', ')}, which not every system has`],
    [libc === 'gnu' && !facts.glibc, 'names no version of glibc; is it built for glibc at all?'],
    [libc === 'gnu' && order(facts.glibc ?? '', GLIBC) > 0, `needs glibc ${facts.glibc}`],
    [libc === 'musl' && facts.glibc, `is built for glibc ${facts.glibc}`],
    [facts.executableStack, 'asks for an executable stack'],
    [!facts.stripped, 'has its symbol table'],
    [!facts.buildId, 'has no build id'],
    [!facts.exports, 'exports no napi_register_module_v1'],
  ];
};
