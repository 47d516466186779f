// Reads addons for Windows with binutils' objdump.

import { runSystem } from './tools.mjs';

/**
 * The libraries of every Windows that runs Node.js 20 (Windows 10 and later). Node.js itself is not among them: an
 * addon that refers to `node.exe` would not load in a host with another name, such as Electron.
 */
const EVERYWHERE =
  /^(advapi32|bcrypt|bcryptprimitives|crypt32|kernel32|kernelbase|msvcrt|ncrypt|ntdll|ole32|secur32|shell32|ucrtbase|user32|userenv|ws2_32|api-ms-win-(core|crt)-[\w-]+)\.dll$/i;

const FORMAT = { x64: 'pei-x86-64', arm64: 'pei-aarch64-little' };
const PROTECTIONS = ['HIGH_ENTROPY_VA', 'DYNAMIC_BASE', 'NX_COMPAT'];

/** Reads the facts that decide on which systems an addon loads. */
export const readDll = (file) => {
  const objdump = (option) => runSystem('objdump', [option, file]);
  const headers = objdump('--private-headers');
  return {
    format: /file format (\S+)/.exec(headers)?.[1],
    library: /^\tDLL$/m.test(headers),
    needed: [...headers.matchAll(/^\tDLL Name: (.+)$/gm)].map(([, name]) => name),
    opensConsole: /\b(AllocConsole|AttachConsole)\b/.test(headers),
    unprotected: PROTECTIONS.filter((name) => !headers.includes(`\t${name}\n`)),
    stripped: objdump('--syms').includes('no symbols'),
    exports: /\bnapi_register_module_v1\b/.test(headers),
  };
};

/** The possible faults of an addon of `arch`: each has a condition and a text. */
export const dllFaults = (facts, { arch }) => {
  const strange = facts.needed.filter((name) => !EVERYWHERE.test(name));
  return [
    [facts.format !== FORMAT[arch], `is ${facts.format}, not ${FORMAT[arch]}`],
    [!facts.library, 'is no DLL'],
    [strange.length > 0, `needs ${strange.join(', ')}, which not every system has`],
    [facts.opensConsole, 'can open a console'],
    [facts.unprotected.length > 0, `is linked without ${facts.unprotected.join(', ')}`],
    [!facts.stripped, 'has its symbol table'],
    [!facts.exports, 'exports no napi_register_module_v1'],
  ];
};
