// The rules by which the demo's stand-in reads a text: word lists and a few patterns, for Chinese and
// English. There is no model and no guess at meaning; a clause that matches no rule counts as a fact.
//
//   1. Quoted words are hidden: nothing in quotes is a request.
//   2. The text is cut into sentences, and these into clauses: at punctuation, and before the
//      words that open a new step (then, but, 然后, 并…), a condition (if, 如果…) or a negation.
//   3. Each clause is one of the kinds below; the first that fits counts.
//        retraction   "no", "never mind", 算了, 不对       takes back the request before it
//        hearsay      "she asked…", 客户说…, 假设…         no request, up to the end of the sentence or "please"
//        condition    "if…", 如果…                        conditions its neighbours
//        prohibition  "don't…", 先不要…, 保留…             forbids, in the user's own words
//        confirmation "ask me first", 等我确认后            makes its neighbour wait
//        limit        "at most…", 预算…, 总共…             a requirement; of all, if a total
//        request      a verb of the lists where an order or a polite question has one
//        question     "where is…?", 多少, 吗               a request to look something up
//        addition     "and 000124", 和 000124              more of the target before it
//   4. A request without a target takes the one before it, after it in the sentence, or in the
//      context; where there is none, or two with "or" between them, it needs clarification.

const VERBS = {
  query: [
    '查询|查看|查找|查一查|查|搜索|搜|找出|找(?!不)|看看|看一下|看下|看一看|显示|列出|获取|告诉我|检索|读取|确认|跟踪|知道|了解',
    'query|show me|show|give me|list|find|search for|search|look up|look for|check|get|fetch|view|display|tell me|tell|read|count|track|see|confirm|know',
  ],
  analyze: [
    '分析|比较|对比|总结|评估|解释|诊断|汇总|统计|归纳|审查',
    'analyze|analyse|compare|summarize|summarise|evaluate|explain|review|diagnose|investigate|assess',
  ],
  generate: [
    '生成|创建|新建|起草|撰写|制作|编写|翻译|添加|新增|写(?!作)|做(?!法)',
    'generate|create|write|draft|make|compose|produce|add|build|design|translate|prepare',
  ],
  modify: [
    '修改|更改|更新|编辑|调整|改成|改为|改(?![善天进])|替换|换成|设置|设为|重命名|修复|移动|提高|降低|增加|减少',
    'modify|change|update|edit|rename|set|fix|replace|move|correct|increase|reduce|adjust|convert',
  ],
  delete: ['删除|删掉|删|移除|清空|清除|去掉', 'delete|remove|drop|erase|clear|purge'],
  execute: [
    '执行|运行|发送|发给|发货|发布|发(?![票现生展货布])|部署|提交|重启|启动|停止|取消|退款|支付|付款|批准|预订|预定|订购|购买|买|下单|订(?![单阅])|通知|导出|打开|关闭|安装',
    'run|execute|send|deploy|submit|restart|start|stop|cancel|refund|pay for|pay|approve|book|buy|purchase|ship|publish|notify|call|export|open|close|install|place',
  ],
  // A wish without saying what to do.
  [null]: ['处理|搞定|弄一下|看着办', 'handle|deal with|take care of|sort out|process'],
};
const join = (language) =>
  Object.values(VERBS)
    .map((lists) => lists[language])
    .join('|');

/** The patterns of all verbs of a language, for `coverage.mjs`. */
export const verbsOf = (language) => join(language === 'zh' ? 0 : 1).split(/\|(?![^(]*\))/);
const ZH_VERB = `(?:${join(0)})`;
const EN_VERB = `(?:${join(1)})\\b`;
const ACTION_OF = Object.entries(VERBS).map(([action, [zh, en]]) => ({
  action: action === 'null' ? null : action,
  is: new RegExp(`^(?:${zh}|(?:${en})\\b)$`, 'i'),
}));

const ZH_NOT =
  '(?:请|先|暂时|暂|目前|千万|绝对|一定|但是?|也|都|现在|就){0,4}' +
  `(?:不要|不许|不得|不准|禁止|切勿|勿|(?<![特分区类级性个辨])别(?![的人处名墅称针])|(?:(?<!能)不能|(?<!可)不可以)(?=再?${ZH_VERB}))`;
const EN_NOT =
  "(?:but )?(?:please )?(?:do not|don['’]t|never|must not|you mustn['’]t|(?:you )?should not|under no circumstances)\\b";
const EN_IF = '(?:if|unless|once|provided|as long as|when|after(?! that)|until)\\b';
const ZH_IF = '(?:如果|若是?|假如|倘若|要是|一旦|除非|只要|当)';

const SENTENCE_END = /[。！？!?；;\n]+|\.(?=\s|$)/g;
const CLAUSE_END = new RegExp(
  [
    '[，]|(?<!\\d),|,(?!\\d{3}(?!\\d))',
    `(?=(?:然后|接着|随后|并且|同时|但是?|不过)(?!.{0,2}$))|(?=(?:再|并|就|则|那就)(?:${ZH_VERB}|把|将|${ZH_NOT}))|(?<!^)(?<!为什么|怎么|是否)(?=${ZH_NOT})`,
    `(?<!^)(?=(?:${ZH_IF}))`,
    `\\s(?=(?:and then|then|but|after that|and also)\\b)|\\s(?=and (?:please )?(?:${EN_VERB}|${EN_NOT}))|(?<!\\b(?:but|please|and))\\s(?=${EN_NOT}|without\\b)|(?<!\\b(?:and|but|then|only|even))\\s(?=${EN_IF})`,
  ].join('|'),
  'gi',
);

const RETRACTION =
  /^(?:(?:哦|呃|啊|嗯|oh|uh|um|well)\s*)?(?:算了(?:吧)?|不用了|不必了|不需要了|不要了|当我没说|撤回|收回|取消刚才的.*|不|不对|不是|错了|说错了|等等|等一下|不.了|no|nope|wait|hold on|sorry|my mistake|never ?mind|scratch that|forget (?:it|that|about it)|cancel that|not that)$/i;
const HEARSAY =
  /^(?:但|而|可)?(?:客户|顾客|用户|他们?|她们?|老板|经理|同事|助手|对方|邮件|文档|系统|日志)(?:里|中|上)?.{0,4}(?:说|写|称|表示|要求|问|提到|提示|建议)|^(?:假设|假定|比如|例如|譬如)|^(?:the |my |our |a )?(?:customer|client|user|he|she|they|boss|manager|colleague|assistant|email|e-mail|document|ticket|system|log|someone)s?\b.{0,12}\b(?:said|says|say|wrote|writes|asked|asks|wants|wanted|told|suggested|suggests|mentioned)\b|^(?:suppose|imagine|hypothetically|for example|for instance|e\.g\.)/i;
const ADDRESSED =
  /^(?:但|而|所以)?(?:请|麻烦|帮我)|^(?:so |but |and )?(?:please|(?:can|could|would|will) you)\b/i;
const DONE = new RegExp(
  `(?:已经?|刚刚|刚才|刚|昨天|上周|曾经?)[^把将]*${ZH_VERB}|^(?![^]*(?:把|将|请|帮))[^]*${ZH_VERB}(?:完|好)?(?:了|过)(?![吗么])`,
);
const CONDITION = new RegExp(
  `^(?:但|但是|and |but |then )?(?:${ZH_IF}|${EN_IF})|^.+(?:的话|的时候|时|之?后)$`,
  'i',
);
const PROHIBITION = new RegExp(
  `^(?:${ZH_NOT}|${EN_NOT}|without\\b|(?:but |and )?(?:keep|leave)\\b|(?:但|请|要){0,2}(?:保留|留着|留下))`,
  'i',
);
const CONNECTIVE =
  /^(?:(?:但是?|不过|并且?|而且|同时|然后|最后|另外|就|也|还|but|and|also|then)\s*)+/i;
const CONFIRMATION =
  /(?:之?前)?(?:先|请|要|必须|需要?|得){0,3}(?:(?:问|征求|通知)(?:过|一下)?我(?:的?意见)?|(?:等|待|经|得到|让|由)我(?:的)?(?:先)?(?:确认|同意|批准|许可)(?:过|了)?(?:之?后)?再?|我(?:确认|同意|批准)(?:过|了)?之?后再?|(?:跟|和|向|与)我确认(?:之?后)?再?)|\b(?:(?:please )?ask me(?: first)?|(?:check|confirm) with me(?: first)?|(?:once|after|when|until) i(?:['’]ve| have)? (?:confirm|approve|agree)e?d?(?: it)?|(?:wait for|with|after|pending) my (?:approval|confirmation|go-ahead|ok)|let me (?:confirm|approve)(?: it)?(?: first)?)\b(?: before(?: you)?(?: \w+ing)?(?: it)?)?/i;
const TOTAL =
  /总共|一共|合计|总计|总预算|总价|总额|加起来|\b(?:total|overall|altogether|in all|combined)\b/i;
const LIMIT =
  /^(?:但|且|并且|而且)?(?:只|仅|不超过|不要超过|最多|至多|至少|不少于|大约|尽量|最好|按照?|使用|用|预算|总|一共|合计|全部加起来|不需要|不用|无需|除了?|格式|必须|要求|语气|控制在|价格|每)|^(?:在|于).+(?:前|内|以前|以内)$|^.+(?:以内|以下|以上|之前)$|^(?:and |but )?(?:only|just|at most|at least|no more than|not more than|up to|within|before|by|using|in|with|as|no need|except|preferably|ideally|(?:the|my|our) (?:total )?(?:budget|price|cost)|budget|total|it must|keep it|make it|no longer than|under|for (?:no|at))\b|^(?:尽快|加急|紧急|马上|立即|不急|不着急|(?:it(?:['’]s| is) )?urgent(?:ly)?|asap|as soon as possible|immediately|no rush|no hurry)$/i;
const ONLY = /^(?:只|仅|only)$/i;
const KEPT_LEAD = /^(?:立即|马上|尽快|赶紧|务必|只|仅|immediately|quickly|only)$/i;

const LEAD = new RegExp(
  '^(?:' +
    '请问?|麻烦(?:你|您)?|劳驾|帮(?:我们?|忙)?|给我(?!们)|替我|我们?(?!们?的)(?:想要?|要|希望|需要|打算)?(?:你|您)?|你|您|能不能|可不可以|能否|可否|可以|能|先(?!生)|再|然后|接着|随后|并且|并|同时|顺便|但是?|不过|另外|还有|还要|还|也|就|则|那就|那么|那|最后|首先|其次|现在|立即|马上|尽快|赶紧|务必|只|仅|必须|一定要?|直接|要|[\\s:：]+|' +
    "(?:please|kindly|hey|hi|hello|okay|ok|so|now|also|just|then|and then|and|but|first|next|finally|after that|(?:can|could|would|will) you|i(?:['’]d| would) like (?:you )?to|i (?:want|need) (?:you )?to|we (?:want|need) to|you (?:should|must|need to)|help me(?: to)?|let['’]?s|go ahead and|immediately|quickly|only|actually|instead|rather)\\b" +
    ')',
  'i',
);
const ZH_TAIL = /(?:\s*(?:一下|一遍|吧|吗|呢|啊|了|哦|掉|给我|好吗|可以吗|行吗|谢谢))+$/;
const EN_TAIL =
  /(?:\s+(?:please|for me|now|thanks|thank you|right away|if possible|instead|first))+$/i;
export const PRONOUN =
  /^(?:它们?|这个|那个|这些|那些|其|该订单|这个订单|it|this|that|them|these|those|this one|that one)$/i;
const ZH_ASK = /多少|什么|哪|几[个件天时点份]|怎么|为什么|为何|何时|是否|谁|如何|[吗呢么]$/;
const EN_ASK =
  /^(?:what|where|when|which|who|whose|why|how|is|are|was|were|did|does|do|has|have|can|could|will|would|should)\b/i;
const EN_ASK_HEAD =
  /^(?:what|where|when|which|who|why|how)(?:['’]s)?\s+(?:(?:is|are|was|were|did|does|do|has|have)\s+)?/i;
const ADDITION =
  /^(?:and |or |和|与|及|以及)?\s*(?:订单|order)?\s*#?[A-Za-z]*-?\d[\w-]*(?:\s*(?:和|与|及|、|and)\s*#?[A-Za-z]*-?\d[\w-]*)*$/i;

/** The place where a target ends and its detail begins. */
const DETAIL =
  /\s*(?:改为|改成|设为|换成|更新为|调整为|不超过|最多|至少|只要|仅限|除了?(?=.+外)|控制在)|\s+(?:except|within|before|by|using|at most|at least|no more than|as)\s/i;
const DETAIL_TO =
  /\s*(?:改为|改成|设为|为(?=\s*\S)|到(?=\s*\d)|成(?=\s*\S))|\s+(?:to|with|by|from)\s/i;

const QUOTED = /“[^“”]*”|‘[^‘’]*’|「[^「」]*」|『[^『』]*』|"[^"]*"|`[^`]*`|《[^《》]*》/g;

/** Masks the quoted parts of a text; all positions remain the same. */
const hideQuoted = (text) =>
  text.replace(QUOTED, (q) => q[0] + '□'.repeat(q.length - 2) + q.at(-1));

/** `[start, end)` of the parts between separators, without white space around them. */
function cut(text, from, to, separator) {
  const parts = [];
  const add = (start, end) => {
    while (start < end && /\s/.test(text[start])) start++;
    while (end > start && /\s/.test(text[end - 1])) end--;
    if (start < end) parts.push([start, end]);
  };
  let start = from;
  for (const match of text.slice(from, to).matchAll(separator)) {
    add(start, from + match.index);
    start = from + match.index + match[0].length;
  }
  add(start, to);
  return parts;
}

/** The clauses of a text, each with its words, its place, and whether its sentence asks. */
export function clausesOf(text) {
  const seen = hideQuoted(text);
  return cut(seen, 0, seen.length, SENTENCE_END).flatMap(([from, to], sentence) => {
    const clauses = [];
    let opening = null; // of a part of nothing but lead words: it belongs to what it touches
    for (const [start, end] of cut(seen, from, to, CLAUSE_END)) {
      const first = opening ? opening.start : start;
      const part = seen.slice(start, end);
      opening = withoutLead(part).at === part.length ? { start: first, end } : null;
      if (opening && /^\s*[^\s，,]/.test(seen.slice(end, to))) continue;
      opening = null;
      clauses.push({
        start: first,
        end,
        sentence,
        asks: /[?？]/.test(seen[to] ?? ''),
        seen: seen.slice(first, end),
        text: text.slice(first, end),
      });
    }
    return clauses;
  });
}

const actionOf = (verb) => ACTION_OF.find(({ is }) => is.test(verb)).action;

/** Removes polite and sequential words from the front; `kept` are those that ask for something. */
function withoutLead(seen) {
  const kept = [];
  let at = 0;
  for (;;) {
    const lead = LEAD.exec(seen.slice(at));
    if (lead === null) break;
    if (KEPT_LEAD.test(lead[0])) kept.push(ONLY.test(lead[0]) ? seen.slice(at) : lead[0]);
    at += lead[0].length;
  }
  return { at, kept };
}

const FORMS = [
  // 把/将 X V…: X is the target; the verb and the words after it are the action.
  {
    form: new RegExp(`^(?:把|将)(?<target>.+?)(?<verb>${ZH_VERB})(?<rest>.*)$`, 'd'),
    restIsDetail: true,
  },
  // 给/向/为/对 X V Y.
  {
    form: new RegExp(
      `^(?<whom>(?:给|向|为(?![什何了])|对).+?)(?:进行|做)?(?<verb>${ZH_VERB})(?<target>.*)$`,
      'd',
    ),
  },
  { form: new RegExp(`^(?<verb>${ZH_VERB}|${EN_VERB})\\s*(?<target>.*)$`, 'di') },
  // 订单 000123 删除: a topic that ends in a number, then the verb.
  {
    form: new RegExp(`^(?<target>[^，]{0,20}\\d)\\s*(?<verb>${ZH_VERB})(?<rest>.*)$`, 'd'),
    restIsDetail: true,
  },
];

/** Returns the request of a clause, or null. */
function requestIn(clause) {
  const confirmation = CONFIRMATION.exec(clause.seen);
  // The words about confirming are replaced by blanks, so that all positions remain the same.
  const seen = confirmation
    ? clause.seen.replace(confirmation[0], ' '.repeat(confirmation[0].length))
    : clause.seen;
  const { at, kept } = withoutLead(seen);
  const words = (range, offset = at) =>
    clean(clause.text.slice(offset + range[0], offset + range[1]));
  const clean = (text) =>
    (confirmation ? text.replace(confirmation[0], '') : text)
      .trim()
      .replace(/^(?:一下|一查|下)\s*/, '')
      .replace(ZH_TAIL, '')
      .replace(EN_TAIL, '')
      .trim();
  for (const { form, restIsDetail } of FORMS) {
    const match = form.exec(seen.slice(at));
    if (!match) continue;
    const { verb, target: targetWords } = match.indices.groups;
    const action = actionOf(match.groups.verb);
    let target = words(targetWords);
    const requirements = [...kept];
    if (match.groups.whom) {
      const whom = words(match.indices.groups.whom);
      if (target) requirements.push(whom);
      else target = whom.slice(1).trim();
    }
    if (restIsDetail && words(match.indices.groups.rest)) {
      requirements.push(words([verb[0], match.indices.groups.rest[1]]));
    } else {
      // A detail may follow the target; quoted words are not searched for it.
      const detail =
        (action === 'modify' || action === 'execute' ? DETAIL_TO : DETAIL).exec(
          hideQuoted(target),
        ) ?? DETAIL.exec(hideQuoted(target));
      if (detail && detail.index > 0) {
        requirements.push(target.slice(detail.index).trim());
        target = target.slice(0, detail.index).trim();
      }
    }
    return {
      action,
      verb: match.groups.verb,
      target: target || null,
      requirements,
      text: clean(clause.text.slice(at)),
      confirmed: confirmation !== null,
    };
  }
  return null;
}

/** Returns the question of a clause as a request to look something up, or null. */
function questionIn(clause) {
  const { at } = withoutLead(clause.seen);
  const seen = clause.seen.slice(at);
  const english = EN_ASK.test(seen) && clause.asks;
  if (!english && !ZH_ASK.test(seen)) return null;
  const text = clause.text.slice(at).trim();
  const target = english ? text.replace(EN_ASK_HEAD, '') : text.replace(/[吗呢啊]$/, '').trim();
  const action = /^why\b|为什么|为何/i.test(seen) ? 'analyze' : 'query';
  return { action, verb: null, target: target || text, requirements: [], text, confirmed: false };
}

/** `A 还是 B`, or in a question `A or B`. */
function alternativesIn(target, asks) {
  const parts = hideQuoted(target).split(asks ? /\s*还是\s*|\s+or\s+/i : /\s*还是\s*/);
  if (parts.length < 2 || parts.some((part) => !part.trim())) return [];
  let at = 0;
  return parts.map((part) => {
    const start = target.indexOf(part, at) < 0 ? at : target.indexOf(part, at);
    at = start + part.length;
    return part.includes('□') ? target.slice(start, at) : part.trim();
  });
}

/** Returns the position after the words that forbid, or 0 if the clause forbids nothing. */
function forbids({ seen }) {
  const { at } = withoutLead(seen);
  const match = PROHIBITION.exec(seen.slice(at));
  return match ? at + match[0].length : 0;
}

/** Returns the object of a prohibition, if the clause names it. */
function forbiddenTarget(clause) {
  const words = clause.text.slice(forbids(clause)).trim();
  return requestIn({ seen: hideQuoted(words), text: words })?.target ?? null;
}

/**
 * Reads the requests of a text.
 * @param {string} text
 * @param {string | null} antecedent the meaning of "it", if the text itself does not give it
 * @returns the clauses with their `kind`, and of the request in effect: `intents`, `prohibitions`
 *   and `requirements`
 */
export function read(text, antecedent = null) {
  const clauses = clausesOf(text);
  const intents = [];
  const prohibitions = [];
  const requirements = [];
  let last = null; // the intent or prohibition that a later clause can belong to
  const waiting = []; // limits before any request
  let condition = null;
  let confirmation = null;
  let hearsay = -1;

  const reason = (clause) => clause.text.replace(CONNECTIVE, '');
  const isLast = (clause) => last && last.clause.sentence === clause.sentence;
  for (const [index, clause] of clauses.entries()) {
    const next = clauses[index + 1];
    if (condition && condition.sentence !== clause.sentence) condition = null;
    const add = (request) => {
      const intent = {
        ...request,
        ownTarget: request.target, // before "it" is resolved
        clause,
        condition: condition ? reason(condition) : null,
        confirmation: request.confirmed ? reason(clause) : confirmation,
      };
      intent.requirements.push(...waiting.splice(0));
      intent.options =
        request.verb && request.target ? alternativesIn(request.target, clause.asks) : [];
      confirmation = null;
      intents.push(intent);
      last = intent;
    };
    const request = (found) => {
      // "Delete A. Before you delete, ask me": the same action again only to make it wait.
      const same =
        found.confirmed && !found.target && intents.findLast(({ verb }) => verb === found.verb);
      if (same) same.confirmation = reason(clause);
      else add(found);
    };
    clause.kind = kindOf(clause);
    switch (clause.kind) {
      case 'retraction':
        if (last) retract(last);
        break;
      case 'hearsay':
        hearsay = clause.sentence;
        break;
      case 'condition': {
        // Before what it conditions, or at the end of it.
        const follows = isLast(clause);
        const opens =
          !follows ||
          new RegExp(`^(?:and|but|then|但|但是)?\\s*${ZH_IF}|^(?:and|but|then)\\s`, 'i').test(
            clause.seen,
          ) ||
          /^then\b/i.test(next?.seen);
        if (opens && next?.sentence === clause.sentence) condition = clause;
        else if (last?.words) last.words = text.slice(last.clause.start, clause.end);
        else if (last) last.condition = reason(clause);
        break;
      }
      case 'prohibition': {
        if (last?.words && isLast(clause) && /^without\b/i.test(clause.seen)) {
          last.words = text.slice(last.clause.start, clause.end);
          break;
        }
        const start = (condition ?? clause).start;
        last = {
          clause,
          words: text.slice(start, clause.end).replace(CONNECTIVE, ''),
          target: forbiddenTarget(clause),
        };
        prohibitions.push(last);
        break;
      }
      case 'confirmation':
        if (last && !last.words) last.confirmation = reason(clause);
        else confirmation = reason(clause);
        break;
      case 'limit':
        if (TOTAL.test(clause.seen)) requirements.push(clause.text);
        else if (last && !last.words) last.requirements.push(clause.text);
        else waiting.push(clause.text);
        break;
      case 'addition':
        if (last.words) last.words = text.slice(last.clause.start, clause.end);
        last.target = text.slice(text.indexOf(last.target, last.clause.start), clause.end);
        break;
      case 'request':
        request(requestIn(clause));
        break;
      case 'question':
        add(questionIn(clause));
        break;
      default:
    }
  }
  requirements.push(...waiting);
  if (confirmation && intents.length > 0) intents[0].confirmation ??= confirmation;
  const named = ({ target }) => target && !PRONOUN.test(target);
  const mentions = [...intents, ...prohibitions].sort((a, b) => a.clause.start - b.clause.start);
  let before = null;
  for (const [index, mention] of mentions.entries()) {
    if (named(mention)) before = mention.target;
    if (mention.words || named(mention)) continue;
    const ahead = mentions[index + 1];
    const after =
      ahead?.clause.sentence === mention.clause.sentence && named(ahead) ? ahead.target : null;
    mention.target = before ?? after ?? antecedent;
  }
  return { clauses, intents, prohibitions: prohibitions.map(({ words }) => words), requirements };

  function kindOf(clause) {
    const { seen } = clause;
    if (RETRACTION.test(seen)) return 'retraction';
    if (HEARSAY.test(seen) || (hearsay === clause.sentence && !ADDRESSED.test(seen)))
      return 'hearsay';
    hearsay = -1;
    if (DONE.test(seen)) return 'fact';
    const confirms = CONFIRMATION.test(seen);
    if (CONDITION.test(seen) && !confirms && !requestIn(clause)) return 'condition';
    if (LIMIT.test(seen) && !requestIn(clause)) return 'limit';
    if (forbids(clause)) return 'prohibition';
    if (requestIn(clause)) return 'request';
    if (confirms) return 'confirmation';
    if (questionIn(clause)) return 'question';
    if (last?.target && isLast(clause) && ADDITION.test(seen)) return 'addition';
    return 'fact';
  }

  function retract(taken) {
    for (const list of [intents, prohibitions]) {
      const at = list.indexOf(taken);
      if (at >= 0) list.splice(at, 1);
    }
    taken.clause.retracted = true;
    last =
      [...intents, ...prohibitions].sort((a, b) => a.clause.start - b.clause.start).at(-1) ?? null;
  }
}

const ZH_DIGIT = {
  零: 0,
  〇: 0,
  一: 1,
  二: 2,
  两: 2,
  三: 3,
  四: 4,
  五: 5,
  六: 6,
  七: 7,
  八: 8,
  九: 9,
};

/** A whole number up to 99 in Chinese, or any in digits. */
function numberOf(words) {
  if (/^\d+$/.test(words)) return Number(words);
  const [tens, ones] = words.includes('十') ? words.split('十') : ['', words];
  const digit = (word, none) => (word === '' ? none : ZH_DIGIT[word]);
  return words.includes('十') ? digit(tens, 1) * 10 + digit(ones, 0) : digit(ones, NaN);
}

const WHOLE = '\\d+|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九]';
const UNIT = '(?:件|个|份|台|箱|只|套|本|units?|pieces?|items?|copies|pcs)';
const COUNTED = new RegExp(
  `(?<![\\w.-])(?<a>${WHOLE})\\s*${UNIT}(?![a-z])|(?:数量|quantity)(?:.{0,60}?(?:为|改成|到|是|\\bto\\b|\\bis\\b|=))?[:：\\s]*(?<b>\\d+)(?![\\w.])`,
  'gi',
);
const NAMED_ID =
  /(?:订单|单号|编号|order|ticket|invoice)\s*(?:编号|号码?|id|number|no\.?)?\s*(?:是|为|is|[:：#])?\s*#?(?<id>[A-Za-z]{0,4}-?\d[\dA-Za-z-]*)/gi;
const BARE_ID =
  /(?<![\w.¥$€-])(?<id>[A-Za-z]{0,4}-?(?:0\d+|\d{4,})[\w-]*)(?![\d.%]|\s*(?:件|个|份|台|箱|元|块|年|月|日|units?|pieces?|items?|dollars?|usd))/gi;

/** The identifiers that a text names: `{ value, quote }`, in order, each once. */
export function identifiersIn(text) {
  const found = new Map();
  const counted = [...text.matchAll(COUNTED)].map((match) => match.index + match[0].length);
  const matches = [...text.matchAll(NAMED_ID), ...text.matchAll(BARE_ID)].sort(
    (a, b) => a.index - b.index,
  );
  for (const { groups, index, 0: words } of matches) {
    const isCount = words === groups.id && counted.includes(index + words.length);
    if (!isCount) found.set(groups.id, { value: groups.id, quote: groups.id });
  }
  return [...found.values()];
}

/** The numbers of things that a text names. */
export function quantitiesIn(text) {
  const found = new Map();
  for (const { 0: quote, groups } of text.matchAll(COUNTED)) {
    const value = numberOf(groups.a ?? groups.b);
    found.set(value, { value, quote: quote.trim() });
  }
  return [...found.values()];
}
