// The demo's own texts, in the language of the input.

export const languageOf = (text) => (/\p{Script=Han}/u.test(text) ? 'zh' : 'en');

/** The language of the terminal, for texts before there is an input. */
export const languageOfTerminal = ({ LC_ALL, LC_MESSAGES, LANG }) =>
  /^zh/i.test(LC_ALL || LC_MESSAGES || LANG || '') ? 'zh' : 'en';

const HELP_EN = `Recognises what a text asks for.

  npm run demo -- [options] "TEXT"
  echo "TEXT" | npm run demo -- [options]
  npm run demo                              asks for texts, on a terminal

  --schema orders   also extract order number, quantity and priority
  --json            print the result alone, as JSON; an error as { "error": … }
  --help            show this

Without a key a few rules answer (examples/demo/rules.mjs), not a model.
With these variables a real model does:

  INTENT_API_KEY    key of the service
  INTENT_MODEL      name of the model
  INTENT_BASE_URL   API root of a compatible service, default https://api.openai.com/v1
  INTENT_PROTOCOL   responses (default) or chat-completions

NO_COLOR and FORCE_COLOR are honoured. The exit code is 0 for a result, 1 for an error, 2 for a
wrong option.

Examples:

  npm run demo -- "Show order 000123, but do not change it yet"
  npm run demo -- --schema orders "Change order 000123 to 3 pieces, but ask me first"
  npm run --silent demo -- --json "Delete order 5 if the backup exists"
`;

const HELP_ZH = `识别一段文字要求做什么。

  npm run demo -- [选项] "文字"
  echo "文字" | npm run demo -- [选项]
  npm run demo                              在终端中逐条询问

  --schema orders   同时提取订单编号、数量与优先级
  --json            只输出结果 JSON；出错时输出 { "error": … }
  --help            显示本帮助

没有密钥时由几条规则回答（examples/demo/rules.mjs），不是模型。
设置以下变量后由真实模型回答：

  INTENT_API_KEY    服务的密钥
  INTENT_MODEL      模型名称
  INTENT_BASE_URL   兼容服务的 API 根地址，默认 https://api.openai.com/v1
  INTENT_PROTOCOL   responses（默认）或 chat-completions

遵循 NO_COLOR 与 FORCE_COLOR。有结果时退出码为 0，出错为 1，选项有误为 2。

示例：

  npm run demo -- "查询订单 000123，先不要修改"
  npm run demo -- --schema orders "把订单 000123 的数量改为三件，但先问我"
  npm run --silent demo -- --json "删除订单 5"
`;

export const WORDS = {
  en: {
    help: HELP_EN,
    seeHelp: 'See: npm run demo -- --help',
    prompt: 'What is to be done? (an empty line ends) > ',
    answeredBy: (model) => `Answered by ${model}.`,
    noAnswerFrom: (model) => `${model} was asked and gave no answer.`,
    rulesAnswered: 'Rules answered, not a model.',
    rulesCan:
      'They read short sentences about orders, invoices, reports, files and the like: show, change, delete, send…; "don\'t", "ask me first", "if…", "at most…", "no, keep A".',
    realModel:
      'A real model reads any text: INTENT_API_KEY=… INTENT_MODEL=… [INTENT_BASE_URL=…] npm run demo -- "…"',
    missing: (name) => `For a real model ${name} is missing.`,
    noRule: 'No rule reads this text, so there is no result.',
    noRuleFor: 'Not read',
    tryThis: 'Try: "Change order 000123 to 3 pieces, but ask me first"',
    input: 'Input',
    understood: 'Understood',
    primary: 'primary',
    intents: 'Intents',
    none: 'none',
    noTarget: 'no target',
    because: 'because',
    requirements: 'Requirements',
    prohibitions: 'Prohibitions',
    data: 'Data',
    error: 'Error',
    foundAt: 'Found at (a search for these very words in the input)',
    reworded: 'in other words',
    evidence: 'Evidence of data (checked by the package)',
    stages: 'Stages',
    repair: 'repair',
    total: 'total',
    status: {
      ready: 'ready',
      needs_clarification: 'needs clarification',
      awaiting_confirmation: 'awaiting confirmation',
      conditional: 'conditional',
    },
    action: {},
    outcome: {
      complete: 'complete',
      refusal: 'refusal',
      incomplete: 'incomplete',
      failed: 'failed',
    },
  },
  zh: {
    help: HELP_ZH,
    seeHelp: '查看帮助：npm run demo -- --help',
    prompt: '要做什么？（空行结束）> ',
    answeredBy: (model) => `由 ${model} 回答。`,
    noAnswerFrom: (model) => `已询问 ${model}，没有得到回答。`,
    rulesAnswered: '由规则回答，不是模型。',
    rulesCan:
      '规则只读关于订单、发票、报告、文件等的短句：查询、修改、删除、发送……；“不要”“先问我”“如果……”“最多……”“不，保留 A”。',
    realModel:
      '真实模型能读任意文字：INTENT_API_KEY=… INTENT_MODEL=… [INTENT_BASE_URL=…] npm run demo -- "…"',
    missing: (name) => `要用真实模型，还缺 ${name}。`,
    noRule: '没有规则能读懂这段文字，所以不给出结果。',
    noRuleFor: '未读懂',
    tryThis: '试试："把订单 000123 的数量改为三件，但先问我"',
    input: '输入',
    understood: '理解',
    primary: '主要',
    intents: '意图',
    none: '无',
    noTarget: '无对象',
    because: '原因',
    requirements: '总体要求',
    prohibitions: '禁止',
    data: '数据',
    error: '错误',
    foundAt: '所在位置（在输入中查找原词）',
    reworded: '经改写',
    evidence: '数据的证据（由本包检查）',
    stages: '阶段',
    repair: '修复',
    total: '合计',
    status: {
      ready: '可执行',
      needs_clarification: '需澄清',
      awaiting_confirmation: '待确认',
      conditional: '有条件',
    },
    action: {
      query: '查询',
      analyze: '分析',
      generate: '生成',
      modify: '修改',
      delete: '删除',
      execute: '执行',
      other: '其他',
    },
    outcome: { complete: '完成', refusal: '拒绝', incomplete: '未完成', failed: '失败' },
  },
};
