// The site of this folder: English at the root, Chinese under /zh/, the same pages in both.
// It asks nothing of the network: fonts, icons and the search index are its own files.

import { defineConfig } from 'vitepress';

/** Pages in the order of the sidebar: [group, [page, title]...], titles in both languages. */
const PAGES = [
  [
    ['Guide', '指南'],
    ['quick-start', 'Quick start', '快速开始'],
    ['concepts', 'Concepts', '概念'],
    ['recipes', 'Recipes', '实用示例'],
    ['evidence', 'Evidence', '证据'],
    ['brief', 'Brief proof', '简短证明'],
    ['models', 'Models and gateways', '模型与网关'],
    ['choosing', 'Choosing a model', '选择模型'],
    ['bridge', 'Bridge', 'Bridge'],
    ['mcp', 'MCP', 'MCP'],
    ['candidates', 'Tasks and candidates', '提问与候选'],
    ['testing', 'Testing', '测试'],
    ['evaluation', 'Evaluation', '评测'],
  ],
  [
    ['In production', '上线'],
    ['production', 'Production checklist', '上线检查清单'],
    ['deployment', 'Deployment', '部署'],
    ['observability', 'Observability', '可观测性'],
    ['cost', 'Cost', '费用'],
    ['privacy', 'Privacy', '隐私'],
    ['troubleshooting', 'Troubleshooting', '故障排查'],
    ['faq', 'FAQ', '常见问题'],
  ],
  [
    ['Recipes for services', '各服务示例'],
    ['recipes/openai', 'OpenAI', 'OpenAI'],
    ['recipes/azure', 'Azure OpenAI', 'Azure OpenAI'],
    ['recipes/anthropic', 'Anthropic', 'Anthropic'],
    ['recipes/gemini', 'Gemini', 'Gemini'],
    ['recipes/deepseek', 'DeepSeek', 'DeepSeek'],
    ['recipes/qwen', 'Qwen', '通义千问'],
    ['recipes/kimi', 'Kimi', 'Kimi'],
    ['recipes/glm', 'GLM', 'GLM'],
    ['recipes/doubao', 'Doubao', '豆包'],
    ['recipes/ollama', 'Ollama', 'Ollama'],
    ['recipes/vllm', 'vLLM', 'vLLM'],
    ['recipes/llama-cpp', 'llama.cpp', 'llama.cpp'],
  ],
  [
    ['Reference', '参考'],
    ['api', 'API', '接口参考'],
    ['schema', 'Schemas', 'Schema'],
    ['errors', 'Errors', '错误与恢复'],
    ['limits', 'Limits', '限制'],
    ['lifecycle', 'Lifecycle', '生命周期'],
    ['rust', 'Rust', 'Rust'],
  ],
  [
    ['Project', '项目'],
    ['comparison', 'Comparison', '对比'],
    ['migration', 'Migration from 1.0.x', '从 1.0.x 迁移'],
    ['performance', 'Performance', '性能'],
    ['reliability', 'Reliability', '可靠性'],
    ['security', 'Security', '安全'],
    ['architecture', 'Architecture', '架构'],
  ],
];

/** The links of the page's head to the repository and the package, where the build names them. */
const { DOCS_REPOSITORY: repository, DOCS_PACKAGE: packageUrl } = process.env;
const socialLinks = [
  repository && { icon: 'github', link: repository, ariaLabel: 'Repository' },
  packageUrl && { icon: 'npm', link: packageUrl, ariaLabel: 'Package' },
].filter(Boolean);

const themeOf = (language) => {
  const prefix = language === 0 ? '/' : '/zh/';
  return {
    footer: {
      message: ['Released under the MIT License.', '以 MIT 许可证发布。'][language],
      copyright: '@devcodex/intent-runtime',
    },
    nav: PAGES.map(([name, [page]]) => ({ text: name[language], link: prefix + page })),
    sidebar: PAGES.map(([name, ...pages]) => ({
      text: name[language],
      items: pages.map(([page, ...titles]) => ({ text: titles[language], link: prefix + page })),
    })),
  };
};

/**
 * Words for the search index and for queries alike. Chinese has no spaces: every pair of
 * neighbouring characters is a word, so that any part of a phrase is found. Identifiers are found
 * whole and by their parts. (VitePress sends this function to the browser as text.)
 */
const tokenize = (text) => {
  const words = [];
  for (const [run] of text.matchAll(/\p{Script=Han}+|[\p{L}\p{N}_$]+/gu)) {
    if (/\p{Script=Han}/u.test(run)) {
      const characters = [...run];
      if (characters.length === 1) words.push(run);
      for (let i = 1; i < characters.length; i++) words.push(characters[i - 1] + characters[i]);
    } else {
      words.push(run);
      if (run.includes('_')) words.push(...run.split('_').filter(Boolean));
    }
  }
  return words;
};

export default defineConfig({
  title: 'Intent Runtime',
  base: process.env.DOCS_BASE ?? '/',
  cleanUrls: true,
  lastUpdated: false,
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${process.env.DOCS_BASE ?? '/'}logo.svg` }],
  ],
  markdown: { theme: { light: 'github-light', dark: 'github-dark' } },
  themeConfig: {
    logo: '/logo.svg',
    socialLinks,
    search: {
      provider: 'local',
      options: {
        miniSearch: { options: { tokenize } },
        locales: {
          zh: {
            translations: {
              button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
              modal: {
                displayDetails: '显示详情',
                resetButtonTitle: '清除',
                backButtonTitle: '关闭',
                noResultsText: '没有结果：',
                footer: { selectText: '选择', navigateText: '切换', closeText: '关闭' },
              },
            },
          },
        },
      },
    },
  },
  locales: {
    root: {
      label: 'English',
      lang: 'en',
      description: 'Know what a user asked for before anything is done about it.',
      themeConfig: themeOf(0),
    },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      link: '/zh/',
      description: '动手之前，先弄清用户到底要什么。',
      themeConfig: {
        ...themeOf(1),
        outline: { label: '本页内容' },
        docFooter: { prev: '上一页', next: '下一页' },
        darkModeSwitchLabel: '外观',
        lightModeSwitchTitle: '切换到浅色',
        darkModeSwitchTitle: '切换到深色',
        sidebarMenuLabel: '目录',
        returnToTopLabel: '回到顶部',
        langMenuLabel: '语言',
        skipToContentLabel: '跳到正文',
        notFound: {
          title: '没有这一页',
          quote: '链接可能已经移动。',
          linkLabel: '回到首页',
          linkText: '回到首页',
        },
      },
    },
  },
});
