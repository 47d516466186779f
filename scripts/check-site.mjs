// Builds the documentation, serves it on loopback and checks it as a reader sees it, in a headless
// Chromium: every link and anchor, both languages, search, dark mode, and an empty console.
//
//   node scripts/check-site.mjs        CHROMIUM=/path/to/chromium names another browser

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const site = join(root, 'target', 'docs-site');
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
const { resolve } = createRequire(import.meta.url);

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};

/** The start page of a search, the search term, and a page that the results must contain. */
export const SEARCHES = [
  ['/', 'MODEL_RATE_LIMITED', '/errors'],
  ['/', 'clarification', '/concepts'],
  ['/', 'docker', '/deployment'],
  ['/', 'lambda', '/deployment'],
  ['/', 'alpine', '/deployment'],
  ['/', 'webpack', '/deployment'],
  ['/', 'next', '/deployment'],
  ['/', 'logging', '/recipes'],
  ['/', 'temperature', '/faq'],
  ['/', 'anthropic', '/recipes/anthropic'],
  ['/', 'gemini', '/recipes/gemini'],
  ['/', 'deepseek', '/recipes/deepseek'],
  ['/', 'qwen', '/recipes/qwen'],
  ['/', 'streaming', '/faq'],
  ['/', 'privacy', '/privacy'],
  ['/', 'faq', '/faq'],
  ['/', 'cost', '/cost'],
  ['/', 'opentelemetry', '/observability'],
  ['/', 'rust', '/rust'],
  ['/', 'reliability', '/reliability'],
  ['/', 'evaluation', '/evaluation'],
  ['/', 'evidence', '/evidence'],
  ['/', 'kubernetes', '/deployment'],
  ['/', 'tsconfig', '/quick-start'],
  ['/', 'fastify', '/recipes'],
  ['/', 'relative date', '/recipes'],
  ['/', 'hallucinate', '/faq'],
  ['/', 'redis', '/faq'],
  ['/', 'prometheus', '/faq'],
  ['/', 'express', '/faq'],
  ['/zh/', 'MODEL_RATE_LIMITED', '/zh/errors'],
  ['/zh/', '前导零', '/zh/candidates'],
  ['/zh/', '颁发机构', '/zh/models'],
  ['/zh/', '费用', '/zh/cost'],
  ['/zh/', '流式', '/zh/faq'],
  ['/zh/', '通义', '/zh/recipes/qwen'],
  ['/zh/', '千问', '/zh/recipes/qwen'],
  ['/zh/', '隐私', '/zh/privacy'],
  ['/zh/', '部署', '/zh/deployment'],
  ['/zh/', '超时', '/zh/lifecycle'],
  ['/zh/', '报错', '/zh/troubleshooting'],
  ['/zh/', '评测', '/zh/evaluation'],
  ['/zh/', '证据', '/zh/evidence'],
  ['/zh/', '可靠性', '/zh/reliability'],
  ['/zh/', '监控', '/zh/observability'],
  ['/zh/', '成本', '/zh/cost'],
  ['/zh/', '脱敏', '/zh/privacy'],
  ['/zh/', '多阶段', '/zh/deployment'],
  ['/zh/', '单元测试', '/zh/testing'],
  ['/zh/', '时区', '/zh/recipes'],
  ['/zh/', '幻觉', '/zh/faq'],
  ['/zh/', 'redis', '/zh/faq'],
  ['/zh/', 'nestjs', '/zh/faq'],
  ['/zh/', '熔断', '/zh/faq'],
  ['/zh/', '幂等', '/zh/faq'],
  ['/zh/', '手机号', '/zh/privacy'],
  ['/zh/', '优雅退出', '/zh/lifecycle'],
  ['/zh/', 'docker', '/zh/deployment'],
  ['/zh/', 'lambda', '/zh/deployment'],
  ['/zh/', 'alpine', '/zh/deployment'],
  ['/zh/', 'webpack', '/zh/deployment'],
  ['/zh/', 'next', '/zh/deployment'],
  ['/zh/', 'temperature', '/zh/faq'],
  ['/zh/', 'faq', '/zh/faq'],
  ['/zh/', 'anthropic', '/zh/recipes/anthropic'],
  ['/zh/', 'gemini', '/zh/recipes/gemini'],
  ['/zh/', 'deepseek', '/zh/recipes/deepseek'],
  ['/zh/', 'qwen', '/zh/recipes/qwen'],
  ['/zh/', 'opentelemetry', '/zh/observability'],
  ['/zh/', 'rust', '/zh/rust'],
];

/** Returns the reason why the site cannot be checked here, or `undefined`. */
export const obstacle = () => {
  for (const name of ['vitepress', 'playwright-core'])
    if (!existsSync(join(root, 'node_modules', name))) return `${name} is not installed`;
  return existsSync(chromium) ? undefined : `no Chromium at ${chromium} (set CHROMIUM)`;
};

const build = async () => {
  const vitepress = join(dirname(resolve('vitepress/package.json')), 'bin', 'vitepress.js');
  const args = [vitepress, 'build', 'docs', '--outDir', site];
  const env = { ...process.env, DOCS_BASE: '/' };
  await promisify(execFile)(process.execPath, args, { cwd: root, env, maxBuffer: 1 << 24 });
};

const fileFor = (path) => {
  const plain = join(site, normalize(decodeURIComponent(path)));
  const tried = [plain, `${plain}.html`, join(plain, 'index.html')];
  return tried.find((file) => existsSync(file) && statSync(file).isFile());
};

const serve = async () => {
  const server = createServer((request, response) => {
    const file = fileFor(new URL(request.url, 'http://site').pathname);
    response.statusCode = file === undefined ? 404 : 200;
    const body = file ?? join(site, '404.html');
    response.setHeader('content-type', TYPES[extname(body)] ?? 'application/octet-stream');
    response.end(readFileSync(body));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const close = () => {
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, close };
};

/** The paths that the Markdown files must have on the site. */
const expectedPaths = () =>
  readdirSync(join(root, 'docs'), { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    .map((name) => `/${name.replace(/(index)?\.md$/, '')}`);

const languageOf = (path) => (path.startsWith('/zh/') ? 'zh-CN' : 'en');

/** Follows every link from both front pages. */
const crawl = async (page, origin, faults) => {
  /** @type {Map<string, { ids: Set<string>, links: string[] }>} */
  const seen = new Map();
  const queue = ['/', '/zh/'];
  while (queue.length > 0) {
    const path = queue.shift();
    if (seen.has(path)) continue;
    const response = await page.goto(origin + path, { waitUntil: 'networkidle' });
    const { lang, ids, links } = await page.evaluate(() => ({
      lang: document.documentElement.lang,
      ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
      links: [...document.querySelectorAll('a[href]')].map(({ href }) => href),
    }));
    seen.set(path, { ids: new Set(ids), links });
    if (response.status() !== 200) faults.push(`${path}: status ${response.status()}`);
    if (lang !== languageOf(path)) faults.push(`${path}: language ${lang}`);
    for (const link of links.map((href) => new URL(href)))
      if (link.origin === origin && !queue.includes(link.pathname)) queue.push(link.pathname);
  }
  for (const [path, { links }] of seen)
    for (const link of new Set(links)) {
      const { origin: target, pathname, hash } = new URL(link);
      if (target !== origin || hash === '') continue;
      if (!seen.get(pathname)?.ids.has(decodeURIComponent(hash.slice(1))))
        faults.push(`${path}: ${pathname}${decodeURIComponent(hash)} leads nowhere`);
    }
  for (const path of expectedPaths()) {
    const links = seen.get(path)?.links;
    if (links === undefined) {
      faults.push(`${path}: no link leads here`);
      continue;
    }
    const other = path.startsWith('/zh/') ? path.slice(3) : `/zh${path}`;
    if (!links.includes(origin + other)) faults.push(`${path}: no link to ${other}`);
  }
  return [...seen.keys()];
};

const search = async (page, origin, faults) => {
  let home;
  for (const [from, text, wanted] of SEARCHES) {
    if (home !== from) await page.goto(origin + from, { waitUntil: 'networkidle' });
    home = from;
    await page.keyboard.press('Escape');
    await page.locator('#local-search button').first().click();
    await page.locator('.VPLocalSearchBox input').fill(text);
    const found = page.locator(
      `.VPLocalSearchBox a.result[href="${wanted}"], .VPLocalSearchBox a.result[href^="${wanted}#"]`,
    );
    try {
      await found.first().waitFor({ state: 'attached', timeout: 10_000 });
    } catch {
      faults.push(`search from ${from}: "${text}" does not find ${wanted}`);
    }
  }
  const last = page.locator('.VPLocalSearchBox a.result').first();
  const target = await last.getAttribute('href');
  await last.click();
  await page.waitForURL((url) => target.startsWith(url.pathname), { timeout: 10_000 });
};

const WIDTHS = [390, 1024, 1440];

/** Finds elements that are too wide: the page itself at every width, and each block at the largest width. */
const tooWide = (strict) => {
  const wide = [];
  const { clientWidth } = document.documentElement;
  if (document.documentElement.scrollWidth > clientWidth) wide.push('the page');
  for (const element of document.querySelectorAll(
    '.vp-doc img, .vp-doc svg, .home-pair, .home-proofs > div',
  ))
    if (element.getBoundingClientRect().right > clientWidth + 1) wide.push(element.tagName);
  if (strict)
    for (const element of document.querySelectorAll('.vp-doc pre, .vp-doc table, .vp-doc'))
      if (element.scrollWidth > element.clientWidth + 1)
        wide.push(`${element.tagName} "${element.textContent.trim().slice(0, 40)}"`);
  return wide;
};

/** Checks every page at every width, in both themes. */
const layout = async (page, origin, paths, faults) => {
  for (const path of paths) {
    await page.goto(origin + path, { waitUntil: 'load' });
    for (const theme of ['light', 'dark'])
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const wide = await page.evaluate(
          ([isDark, check, strict]) => {
            document.documentElement.classList.toggle('dark', isDark);
            return new Function(`return (${check})(${strict})`)();
          },
          [theme === 'dark', tooWide.toString(), width === 1440],
        );
        for (const what of wide)
          faults.push(`${path} at ${width} px, ${theme}: ${what} is too wide`);
      }
  }
  await page.setViewportSize({ width: 1400, height: 900 });
};

const darkMode = async (page, origin, faults) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${origin}/concepts`, { waitUntil: 'networkidle' });
  const look = () =>
    page.evaluate(() => ({
      dark: document.documentElement.classList.contains('dark'),
      background: getComputedStyle(document.body).backgroundColor,
    }));
  const light = await look();
  await page.locator('.VPNavBarAppearance .VPSwitchAppearance').click();
  await page.waitForTimeout(500);
  const dark = await look();
  if (light.dark || !dark.dark) faults.push('dark mode: the switch does not switch');
  if (light.background === dark.background) faults.push('dark mode: the background stays');
  await page.reload({ waitUntil: 'networkidle' });
  if (!(await look()).dark) faults.push('dark mode: forgotten after a reload');
};

/** Builds and checks the site; returns the faults and the number of pages. */
export const checkSite = async () => {
  const faults = [];
  await build();
  const server = await serve();
  const { chromium: driver } = await import('playwright-core');
  const profile = mkdtempSync(join(tmpdir(), 'check-site-'));
  const context = await driver.launchPersistentContext(profile, {
    executablePath: chromium,
    headless: true,
    args: FLAGS,
    viewport: { width: 1400, height: 900 },
  });
  try {
    const page = await context.newPage();
    const here = () => new URL(page.url()).pathname;
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()))
        faults.push(`${here()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => faults.push(`${here()}: ${error.message}`));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(server.origin) && !url.startsWith('data:'))
        faults.push(`${here()}: asks for ${url}`);
    });
    const pages = await crawl(page, server.origin, faults);
    await search(page, server.origin, faults);
    await darkMode(page, server.origin, faults);
    await layout(page, server.origin, pages, faults);
    return { faults, pages: pages.length };
  } finally {
    await context.close();
    await server.close();
    rmSync(profile, { recursive: true, force: true });
  }
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const reason = obstacle();
  if (reason === undefined) {
    const { faults, pages } = await checkSite();
    for (const fault of faults) console.error(fault);
    console.log(`${pages} pages, ${faults.length} faults`);
    process.exitCode = faults.length > 0 ? 1 : 0;
  } else console.log(`The site is not checked: ${reason}.`);
}
