// Files that have what scripts/targets reads off an addon, byte by byte, and no code.

const number = (size, value) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes.subarray(0, size);
};
const u16 = (value) => number(2, value);
const u32 = (value) => number(4, value);
const u64 = (value) => number(8, value);
const all = (...parts) => Buffer.concat(parts.flat());
const padded = (bytes, size) => all(bytes, Buffer.alloc(size - bytes.length));

/** Texts that each end with a zero, and where each begins. */
const texts = (names) => {
  const places = new Map();
  let bytes = Buffer.alloc(1);
  for (const name of names) {
    if (!places.has(name)) places.set(name, bytes.length);
    bytes = all(bytes, Buffer.from(`${name}\0`));
  }
  return { bytes, at: (name) => places.get(name) };
};

const MACHINE = { x64: 62, arm64: 183 };
const EXPORTED = 'napi_register_module_v1';

/** An ELF library (System V gABI; versions as glibc's linker writes them). */
export const elf = ({
  arch = 'x64',
  needed = ['libc.so.6'],
  glibc = ['2.2.5', '2.17'],
  executableStack = false,
  stripped = true,
  buildId = true,
  exported = EXPORTED,
} = {}) => {
  const versions = glibc.map((version) => `GLIBC_${version}`);
  const names = texts([...needed, ...versions, exported]);
  const symbol = (name) => all(u32(name), Buffer.from([0x12, 0]), u16(1), u64(64), u64(1));
  const symbols = all(Buffer.alloc(24), symbol(names.at(exported)));
  const next = (list, i) => (i + 1 < list.length ? 16 : 0);
  const sections = [
    { name: '', type: 0, bytes: Buffer.alloc(0) },
    { name: '.dynsym', type: 11, link: 2, info: 1, size: 24, bytes: symbols },
    { name: '.dynstr', type: 3, bytes: names.bytes },
  ];
  if (versions.length > 0) {
    sections.push(
      { name: '.gnu.version', type: 0x6fffffff, link: 1, size: 2, bytes: all(u16(0), u16(2)) },
      {
        name: '.gnu.version_r',
        type: 0x6ffffffe,
        link: 2,
        info: 1,
        bytes: all(
          [u16(1), u16(versions.length), u32(names.at(needed[0])), u32(16), u32(0)],
          versions.flatMap((version, i) => [
            ...[u32(0), u16(0), u16(i + 2), u32(names.at(version)), u32(next(versions, i))],
          ]),
        ),
      },
    );
  }
  if (buildId) {
    const note = all(u32(4), u32(8), u32(3), Buffer.from('GNU\0'), u64(0x1234567812345678n));
    sections.push({ name: '.note.gnu.build-id', type: 7, bytes: note });
  }
  if (!stripped)
    sections.push(
      { name: '.symtab', type: 2, link: sections.length + 1, info: 1, size: 24, bytes: symbols },
      { name: '.strtab', type: 3, bytes: names.bytes },
    );
  const dynamic = { name: '.dynamic', type: 6, link: 2, size: 16 };
  // DT_NEEDED of each, DT_STRTAB, DT_STRSZ, DT_NULL; where the texts are is known below.
  const entries = (strings) => [
    ...needed.flatMap((name) => [u64(1), u64(names.at(name))]),
    ...[u64(5), u64(strings), u64(10), u64(names.bytes.length), u64(0), u64(0)],
  ];
  dynamic.bytes = all(entries(0));
  sections.push(dynamic);
  const titles = texts([...sections.map(({ name }) => name), '.shstrtab']);
  sections.push({ name: '.shstrtab', type: 3, bytes: titles.bytes });

  const programs = buildId ? 4 : 3;
  let end = 64 + 56 * programs;
  for (const section of sections) {
    section.at = end;
    end = Math.ceil((end + section.bytes.length) / 8) * 8;
  }
  dynamic.bytes = all(entries(sections[2].at));
  const program = (type, flags, { at, bytes }) =>
    all(u32(type), u32(flags), [at, at, at, bytes.length, bytes.length, 8].map(u64));
  const whole = { at: 0, bytes: { length: end } };
  const note = sections.find(({ name }) => name === '.note.gnu.build-id');
  const header = all(
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, ...Array(9).fill(0)]),
    [u16(3), u16(MACHINE[arch]), u32(1), u64(0), u64(64), u64(end), u32(0)],
    [64, 56, programs, 64, sections.length, sections.length - 1].map(u16),
  );
  return all(
    header,
    program(1, 5, whole),
    program(2, 6, dynamic),
    program(0x6474e551, executableStack ? 7 : 6, { at: 0, bytes: { length: 0 } }),
    note ? program(4, 4, note) : [],
    sections.flatMap(({ at, bytes }, i) => padded(bytes, (sections[i + 1]?.at ?? end) - at)),
    sections.flatMap(({ name, type, at, bytes, link = 0, info = 0, size = 0 }) => [
      ...[u32(titles.at(name)), u32(type), u64(type === 0 ? 0 : 2), u64(at), u64(at)],
      ...[u64(bytes.length), u32(link), u32(info), u64(8), u64(size)],
    ]),
  );
};

const PROTECTION = { HIGH_ENTROPY_VA: 0x20, DYNAMIC_BASE: 0x40, NX_COMPAT: 0x100 };

/** A Windows library (PE32+), with one section that holds its exports and imports. */
export const dll = ({
  machine = 0x8664,
  library = true,
  needed = { 'KERNEL32.dll': 'GetLastError' },
  protections = Object.keys(PROTECTION),
  stripped = true,
  exported = EXPORTED,
} = {}) => {
  const BASE = 0x1000;
  const FILE = 0x400;
  const imports = Object.entries(needed);
  const names = texts([exported, 'a.dll', ...imports.map(([name]) => name)]);
  const functions = imports.map(([, name]) => padded(Buffer.from(`\0\0${name}`), 40));
  const place = { imports: 40 + 16, thunks: 40 + 16 + 20 * (imports.length + 1) };
  place.functions = place.thunks + 16 * imports.length;
  place.names = place.functions + 40 * imports.length;
  const text = (name) => u32(BASE + place.names + names.at(name));
  const content = all(
    // The directory of exports, then its tables: one address, one name, one ordinal.
    [u32(0), u32(0), u32(0), text('a.dll'), u32(1), u32(1), u32(1)],
    [u32(BASE + 40), u32(BASE + 44), u32(BASE + 48)],
    [u32(BASE), text(exported), u16(0), Buffer.alloc(6)],
    imports.flatMap(([name], i) => {
      const thunk = u32(BASE + place.thunks + 16 * i);
      return [thunk, u32(0), u32(0), text(name), thunk];
    }),
    Buffer.alloc(20),
    imports.flatMap((_, i) => [u64(BASE + place.functions + 40 * i), u64(0)]),
    functions,
    names.bytes,
  );
  const [size, symbols] = [0x1000, stripped ? 0 : 1];
  const flags = 0x22 | (library ? 0x2000 : 0);
  const protection = protections.reduce((sum, name) => sum | PROTECTION[name], 0);
  const directories = [
    [BASE, content.length],
    [BASE + place.imports, 20 * (imports.length + 1)],
  ].flat();
  const optional = all(
    [u16(0x20b), u16(0), u32(0), u32(size), u32(0), u32(0), u32(BASE)],
    [u64(0x180000000n), u32(0x1000), u32(0x200), u16(6), u16(0), u16(0), u16(0), u16(6), u16(0)],
    [u32(0), u32(BASE + size), u32(FILE), u32(0), u16(3), u16(protection)],
    [0x100000, 0x1000, 0x100000, 0x1000].map(u64),
    [u32(0), u32(16), padded(all(directories.map(u32)), 128)],
  );
  const header = all(
    padded(Buffer.from('MZ'), 60),
    [u32(0x80), Buffer.alloc(0x40), Buffer.from('PE\0\0')],
    [u16(machine), u16(1), u32(0), u32(symbols && FILE + size), u32(symbols)],
    [u16(optional.length), u16(flags), optional],
    [padded(Buffer.from('.rdata'), 8), u32(size), u32(BASE), u32(size), u32(FILE)],
    [u32(0), u32(0), u32(0), u32(0x40000040)],
  );
  const symbol = all(padded(Buffer.from('symbol'), 8), u32(0), u16(1), u16(0), [
    Buffer.from([2, 0]),
  ]);
  return all(padded(header, FILE), padded(content, size), stripped ? [] : [symbol, u32(4)]);
};
