// Uses the packages that would be published as a user does: installs them by name from a registry (a
// stand-in on loopback that serves the packed tarballs) in a fresh TypeScript project, compiles, runs and
// bundles. The project is __test__/consumer.
//
//   node scripts/consumer-test.mjs [--managers] [folder]
// The folder has packed tarballs; `--managers` also installs with pnpm, Yarn (Plug'n'Play) and Bun.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pack } from './pack.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
const { name, version } = require('../package.json');
const { devDependencies: ours } = require('../package-lock.json').packages[''];

const begun = Date.now();
const say = (text) => console.log(`${((Date.now() - begun) / 1000).toFixed(1)} s  ${text}`);
const folder = mkdtempSync(join(tmpdir(), 'intent-consumer-'));
const project = join(folder, 'project');

/** Runs a command in the project; a failure is an error with all its output. */
const run = async (command, args, options) => {
  const shell = process.platform === 'win32' && command !== process.execPath;
  try {
    const done = promisify(execFile)(command, args, { cwd: project, shell, ...options });
    if (options?.stdin !== undefined) done.child.stdin.end(options.stdin);
    const { stdout, stderr } = await done;
    if (command === process.execPath && stderr !== '') throw new Error(stderr);
    return stdout;
  } catch (error) {
    throw new Error(
      `${[command, ...args].join(' ')} failed: ${error.message}\n${error.stdout ?? ''}\n${error.stderr ?? ''}`,
    );
  }
};

const same = (found, wanted, what) => {
  if (found !== wanted) throw new Error(`${what} gave\n${found}\nand not\n${wanted}`);
};

/** Serves only this project's packages; a platform without a tarball has a manifest and no file. */
const serveRegistry = async (tarballs) => {
  const packages = new Map();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url.slice(1));
    const tarball = tarballs.find((file) => basename(file) === path);
    if (tarball !== undefined) response.end(readFileSync(tarball));
    else if (packages.has(path)) response.end(JSON.stringify(packages.get(path)));
    else response.writeHead(404).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${server.address().port}/`;
  const add = (manifest, tarball) => {
    const file = tarball === undefined ? 'not-here.tgz' : basename(tarball);
    const bytes = tarball === undefined ? '' : readFileSync(tarball);
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const own = { ...manifest, dist: { tarball: address + file, integrity } };
    packages.set(manifest.name, {
      name: manifest.name,
      'dist-tags': { latest: manifest.version },
      versions: { [manifest.version]: own },
      // Old enough for every manager that refuses new versions for some time.
      time: { [manifest.version]: '2020-01-01T00:00:00.000Z' },
    });
  };
  return { server, address, add };
};

/** Finds the tarballs of a folder, in the form that pack() returns. */
const packed = (where) => {
  const files = readdirSync(where).map((file) => join(where, file));
  const isMain = (file) => file.endsWith(`intent-runtime-${version}.tgz`);
  return { main: files.find(isMain), platforms: files.filter((file) => !isMain(file)) };
};

const manifestIn = async (tarball) =>
  JSON.parse(await run('tar', ['-xzOf', tarball, 'package/package.json'], { cwd: folder }));

/** Makes one exchange with the MCP server that a command starts: initialize, then a tool call. */
const callMcp = async (command, args, options) => {
  const messages = [
    {
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'consumer', version: '1' },
      },
    },
    { method: 'notifications/initialized' },
    {
      id: 2,
      method: 'tools/call',
      params: { name: 'intent_prepare', arguments: { instance: 'default', input: 'Query it.' } },
    },
  ];
  const output = await run(command, args, {
    ...options,
    stdin: messages
      .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      .join(''),
  });
  const replies = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  same(replies.find(({ id }) => id === 1).result.serverInfo.version, version, 'initialize');
  const { kind, stage } = replies.find(({ id }) => id === 2).result.structuredContent;
  same(`${kind} ${stage}`, 'task core', 'intent_prepare');
};

/** Returns the arguments of `npx` in each host's block of docs/mcp.md and the READMEs. */
const hostCalls = () => {
  const pages = ['docs/mcp.md', 'docs/zh/mcp.md', 'README.md', 'README.zh-CN.md'];
  const text = pages.map((page) => readFileSync(join(root, page), 'utf8')).join('\n');
  const lists = [...text.matchAll(/\bargs"?\s*[:=]\s*(\[[^\]]*\])/g)].map(([, list]) => list);
  const shells = [...text.matchAll(/ -- npx (.+)$/gm)].map(([, line]) => line.split(' '));
  const calls = [...lists.map((list) => JSON.parse(list)), ...shells];
  if (calls.length < 16) throw new Error(`docs/mcp.md has ${calls.length} calls of npx.`);
  return new Map(calls.map((args) => [args.join(' '), args])).values();
};

/** Starts the server as hosts do: by npx, outside of any project, with nothing installed yet. */
const startAsHosts = async () => {
  const cwd = join(folder, 'host');
  mkdirSync(cwd);
  cpSync(join(project, '.npmrc'), join(cwd, '.npmrc'));
  const config = join(cwd, 'intents.mjs');
  writeFileSync(config, 'export default { instances: { default: {} } };');
  const older = join(folder, 'npm-10');
  await run('npm', ['install', '--prefix', older, 'npm@10'], { cwd });
  const npx10 = [process.execPath, join(older, 'node_modules/npm/bin/npx-cli.js')];
  for (const npx of [['npx'], npx10]) {
    const npm_config_cache = mkdtempSync(join(folder, 'cache-'));
    const env = { ...process.env, npm_config_cache, npm_config_update_notifier: 'false' };
    for (const args of hostCalls()) {
      const given = args.map((arg) => (arg.endsWith('.mjs') ? config : arg));
      const [command, ...rest] = [...npx, ...given];
      await callMcp(command, rest, { cwd, env });
    }
  }
};

/** The commands and settings of other package managers: registry, installation, running a script. */
const MANAGERS = {
  pnpm: {
    files: (address) => ({ '.npmrc': `@devcodex:registry=${address}\n` }),
    install: ['pnpm@10', 'add', name],
    script: ['pnpm@10', 'exec', 'node'],
  },
  yarn: {
    files: (address) => ({
      '.yarnrc.yml': `npmScopes: { devcodex: { npmRegistryServer: '${address}' } }\nunsafeHttpWhitelist: [127.0.0.1]\nenableTelemetry: false\nenableGlobalCache: false\n`,
      'yarn.lock': '',
    }),
    install: ['@yarnpkg/cli-dist@4', 'add', name],
    script: ['@yarnpkg/cli-dist@4', 'node'],
  },
  bun: {
    files: (address) => ({
      'bunfig.toml': `[install.scopes]\ndevcodex = "${address}"\n`,
      '.npmrc': `@devcodex:registry=${address}\n`,
    }),
    install: ['bun@1', 'add', name],
    script: ['bun@1', 'run'],
  },
};

const installWith = async (manager, address) => {
  const { files, install, script } = MANAGERS[manager];
  const cwd = join(folder, manager);
  mkdirSync(cwd);
  const all = {
    'package.json': '{ "name": "consumer", "private": true }',
    'app.cjs': `const { Intent } = require('${name}'); console.log(new Intent({}).constructor.name);`,
    ...files(address),
  };
  for (const [file, text] of Object.entries(all)) writeFileSync(join(cwd, file), text);
  await run('npx', ['--yes', ...install], { cwd });
  const output = await run('npx', ['--yes', ...script, './app.cjs'], { cwd });
  same(output.trim(), 'Intent', manager);
};

const APP = 'executor\nbridge\nservice\nmcp\n';

const esbuild = (...options) => {
  const common = ['--bundle', '--platform=node', '--log-level=warning'];
  return run('npx', ['--no-install', 'esbuild', 'dist/app.js', ...common, ...options]);
};

/** Bundles the app; the addon remains a package. The main package is not needed to run the bundle. */
const bundle = async (format, banner) => {
  const out = format === 'esm' ? 'bundle/app.mjs' : 'bundle/app.cjs';
  await esbuild(
    `--format=${format}`,
    `--outfile=${out}`,
    '--external:*.node',
    `--external:${name}-*`,
    ...(banner ? [`--banner:js=${banner}`] : []),
  );
  const main = join(project, 'node_modules', name);
  renameSync(main, `${main}.away`);
  try {
    same(await run(process.execPath, [out]), APP, `the ${format} bundle`);
  } finally {
    renameSync(`${main}.away`, main);
  }
};

const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** Bundles everything and copies the addon beside it, as docs/deployment.md says; runs where no package is. */
const bundleWithAddon = async () => {
  const out = join(folder, 'bundle-with-addon');
  await esbuild(
    '--format=esm',
    '--out-extension:.js=.mjs',
    `--outdir=${out}`,
    '--loader:.node=copy',
    `--banner:js=${REQUIRE}`,
  );
  same(await run(process.execPath, ['app.mjs'], { cwd: out }), APP, 'the bundle with its addon');
};

let registry;
try {
  const [given] = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
  const { main, platforms } = given ? packed(given) : pack(join(folder, 'packages'));
  if (platforms.length === 0) throw new Error('no addon is built; npm run build makes one.');
  say(`packed ${[main, ...platforms].map((file) => basename(file)).join(', ')}`);

  registry = await serveRegistry([main, ...platforms]);
  const served = new Set();
  for (const tarball of [main, ...platforms]) {
    const manifest = await manifestIn(tarball);
    served.add(manifest.name);
    registry.add(manifest, tarball);
  }
  for (const platform of readdirSync(join(root, 'npm'))) {
    const manifest = require(`../npm/${platform}/package.json`);
    if (!served.has(manifest.name)) registry.add(manifest);
  }

  cpSync(join(root, '__test__/consumer'), project, { recursive: true });
  writeFileSync(
    join(project, '.npmrc'),
    `@devcodex:registry=${registry.address}\naudit=false\nfund=false\n`,
  );
  await run('npm', ['install', '--save-exact', name]);
  same(
    readdirSync(join(project, 'node_modules/@devcodex')).length,
    2,
    'the number of packages that npm install brought',
  );
  const tools = ['typescript', '@types/node'].map((tool) => `${tool}@${ours[tool]}`);
  tools.push('esbuild@^0.28.2', 'jest@^30.5.2');
  await run('npm', ['install', '--save-dev', '--prefer-offline', ...tools]);
  say('npm install');

  await run('npx', ['--no-install', 'tsc', '-p', '.']);
  await run('npx', ['--no-install', 'tsc', '-p', 'tsconfig.bundler.json']);
  say('compiled with moduleResolution node16 and bundler');
  same(await run(process.execPath, ['dist/app.js']), APP, 'the app');
  same(await run(process.execPath, ['dist/both.js']), 'one IntentError\n', 'import and require');
  say('ran');

  same(
    await run('npx', ['--no-install', 'intent-runtime-mcp', '--version']),
    `${version}\n`,
    '--version',
  );
  await callMcp('npx', ['--no-install', 'intent-runtime-mcp']);
  say('npx intent-runtime-mcp');
  await startAsHosts();
  say('npx as each host of docs/mcp.md starts it, by this npm and by npm 10');

  await run('npx', ['--no-install', 'jest', '--runInBand', '--testMatch=**/jest/*.test.cjs']);
  say('jest');

  rmSync(join(project, 'node_modules'), { recursive: true });
  await run('npm', ['ci', '--prefer-offline']);
  same(await run(process.execPath, ['dist/app.js']), APP, 'the app after npm ci');
  say('npm ci');

  await bundle('cjs');
  await bundle('esm', REQUIRE);
  say('bundled as CommonJS and as ES module');
  await bundleWithAddon();
  say('bundled with the addon');

  if (process.argv.includes('--managers'))
    for (const manager of Object.keys(MANAGERS)) {
      await installWith(manager, registry.address);
      say(manager);
    }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  registry?.server.close();
  registry?.server.closeAllConnections();
  if (process.env.KEEP) console.log(folder);
  else rmSync(folder, { recursive: true, force: true });
}
