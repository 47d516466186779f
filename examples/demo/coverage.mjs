// Decides which texts the stand-in's rules read reliably. `rules.mjs` finds a reading for nearly any text;
// this file says whether that reading can be trusted. It knows a closed list of things and a few sentence
// forms, and matches every clause from its first to its last character. If one clause of a text is outside
// these forms, the demo gives no result, which is better than a wrong one.

import { PRONOUN, read, verbsOf } from './rules.mjs';

const EN_NOUNS =
  'orders?|invoices?|tickets?|refunds?|reports?|receipts?|contracts?|payments?|shipments?|parcels?|packages?|deliver(?:y|ies)|subscriptions?|accounts?|customers?|users?|products?|items?|addresses|address|shipping address|email address|emails?|messages?|files?|documents?|pages?|photos?|images?|logs?|tests?|backups?|databases?|tables?|servers?|services?|modules?|branch(?:es)?|bugs?|status|quantit(?:y|ies)|prices?|lists?|tracking number|history|budget|README|[A-Z]\\b|[\\w-]+\\.(?:js|ts|py|rs|md|txt|csv|json|pdf|log|html|css)';
const ZH_NOUNS =
  '订单|发票|工单|报告|报表|收据|合同|付款记录|快递|包裹|物流(?:信息|状态)?|订阅|账号|账户|客户|用户|商品|收货地址|地址|邮箱|邮件|消息|文件|文档|页面|照片|图片|日志|测试|备份|数据库|数据表|服务器|服务|模块|分支|状态|数量|价格|列表|清单|单号|记录|预算|bug|README|[A-Z](?![A-Za-z])|[\\w-]+\\.(?:js|ts|py|rs|md|txt|csv|json|pdf|log|html|css)';
const ID = '#?(?:[A-Za-z]{1,5}-)?\\d[\\dA-Za-z-]*';
const QUOTED = '[“"「《`]□*[”"」》`]';

const EN_ONE = `(?:(?:the|my|our|this|that|these|those|all|all the|all of my|every|each|an?|last|old|new|latest|attached|monthly|weekly|payment|login|order)\\s+){0,3}(?:(?:${EN_NOUNS})(?:\\s+(?:number\\s+)?${ID}|\\s+${QUOTED})?|${ID}|${QUOTED})`;
const EN_LIST = `${EN_ONE}(?:(?:\\s*,\\s*|\\s+and\\s+|\\s*,\\s*and\\s+)${EN_ONE})*`;
const EN_THING = `${EN_LIST}(?:\\s+(?:of|in|for|from)\\s+${EN_LIST})?`;
const ZH_ONE = `(?:(?:这个|那个|这些|那些|这份|那份|这封|所有的?|全部的?|我的|我们的|他的|她的|最新的?|旧的?|支付|登录的?|五月|六月|本月|上个月|昨天的|今天的)\\s*){0,2}(?:(?:${ZH_NOUNS})(?:\\s*(?:编号|号)?\\s*(?:${ID}|${QUOTED}))?|${ID}|${QUOTED})`;
const ZH_LIST = `${ZH_ONE}(?:\\s*(?:和|与|及|、)\\s*${ZH_ONE})*`;
const ZH_THING = `${ZH_LIST}(?:\\s*的?\\s*${ZH_LIST})?`;

const EN_PRONOUN = '(?:it|them|this|that|these|those)';
const ZH_PRONOUN = '(?:它们?|这个|那个|这些|那些)';
// Verbs that mean something else with another object ("tell me", "tell Anna") are omitted.
const UNSURE_VERBS =
  /^(?:tell|know|see|count|make|build|place|call|set|confirm|知道|了解|确认|做.*)$/;
const verbs = (language) =>
  `(?:${verbsOf(language)
    .filter((verb) => !UNSURE_VERBS.test(verb))
    .join('|')})`;
const EN_VERB = verbs('en');
const ZH_VERB = verbs('zh');
const EN_NUMBER = '(?:\\d[\\d,.]*%?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)';
const ZH_NUMBER = '(?:\\d[\\d,.]*%?|[一二两三四五六七八九十百]+)';
const UNIT =
  '(?:\\s*(?:pieces?|units?|items?|copies|pages?|words|days?|hours?|minutes?|dollars?))?';
const ZH_UNIT = '(?:\\s*(?:件|个|份|台|箱|只|套|本|页|字|天|小时|分钟|元|块))?';
const EN_VALUE = `(?:${QUOTED}|[$€£]?${EN_NUMBER}${UNIT}|urgent|normal)`;
const ZH_VALUE = `(?:${QUOTED}|[¥￥]?\\s*${ZH_NUMBER}${ZH_UNIT}|加急|普通)`;

const EN_LEAD =
  "(?:(?:and|but|so|now|also|just|then|first|next|finally|please|okay|ok|hi|hello|hey)\\s*,?\\s+|(?:can|could|would|will) you\\s+|i(?:['’]d| would) like (?:you )?to\\s+|i (?:want|need) (?:you )?to\\s+|help me(?: to)?\\s+|let['’]?s\\s+)*";
const EN_TAIL = '(?:\\s+(?:please|for me|now|thanks|thank you|right away|as soon as possible))*';
const ZH_LEAD =
  '(?:请|麻烦(?:你|您)?|帮我|给我|替我|我(?:想要?|要|希望|需要)(?:你|您)?|你|您|能不能|可不可以|能否|可以|能|先|再|然后|接着|最后|并且|并|同时|但是?|也|就|那就|直接|立即|马上|尽快|只|[\\s]+)*';
const ZH_TAIL = '(?:\\s*(?:一下|吧|好吗|可以吗|行吗|谢谢|给我))*';

const whole = (flags, ...forms) => {
  const patterns = forms.map((form) => new RegExp(`^\\s*(?:${form})\\s*$`, flags));
  return (text) => patterns.some((pattern) => pattern.test(text));
};

const isRequest = whole(
  'i',
  `${EN_LEAD}${EN_VERB}(?:\\s+(?:${EN_THING}|${EN_PRONOUN}))?(?:\\s+(?:to|by|with)\\s+${EN_VALUE})?(?:\\s+(?:at most|at least|no more than|within)\\s+${EN_VALUE})?${EN_TAIL}`,
  // An order is not a question: these clauses end in 了 or 吗 only for politeness.
  `${ZH_LEAD}${ZH_VERB}(?:一下)?\\s*(?:${ZH_THING}|${ZH_PRONOUN})?(?:\\s*(?:改为|改成|设为|换成|为|到)\\s*${ZH_VALUE})?${ZH_TAIL}`,
  `${ZH_LEAD}(?:把|将)\\s*(?:${ZH_THING}|${ZH_PRONOUN})\\s*(?:改为|改成|设为|换成|更新为|提高到|降低到|增加到|减少到)\\s*${ZH_VALUE}${ZH_TAIL}`,
  `${ZH_LEAD}(?:把|将)\\s*(?:${ZH_THING}|${ZH_PRONOUN})\\s*(?:删除|删掉|移除|清空|取消|导出|发送|发布|关闭|打开)(?:掉)?${ZH_TAIL}`,
  `${ZH_LEAD}${ZH_VERB}\\s*${ZH_ONE}\\s*还是\\s*${ZH_ONE}`,
);
const isQuestion = whole(
  'i',
  `(?:what|where|when)(?:['’]s|\\s+is|\\s+are)\\s+${EN_THING}(?:\\s+now)?`,
  `${ZH_THING}\\s*(?:在哪里?|在哪儿|到哪里?了|是什么|怎么样了?|是多少|多少钱)`,
);
const isProhibition = whole(
  'i',
  `${EN_LEAD}(?:do not|don['’]t|never|you must not|you should not)\\s+(?:${EN_VERB})(?:\\s+(?:${EN_THING}|${EN_PRONOUN}|anything|any ${EN_ONE}))?(?:\\s+(?:yet|for now|now))?`,
  `without\\s+(?:changing|modifying|deleting|removing|touching|sending)\\s+(?:${EN_THING}|${EN_PRONOUN}|anything)`,
  `(?:${EN_LEAD})(?:keep|leave)\\s+${EN_THING}(?:\\s+(?:alone|as it is))?`,
  `${ZH_LEAD}(?:暂时|暂|目前|千万|绝对|现在|先|请){0,3}(?:不要|不许|不得|不准|禁止|切勿|勿|别)(?:再)?\\s*(?:${ZH_VERB}|动)\\s*(?:${ZH_THING}|${ZH_PRONOUN}|任何(?:内容|东西|文件|数据|订单))?`,
  `(?:但|请|要){0,2}(?:保留|留着|留下)\\s*(?:${ZH_THING})`,
);
const isLimit = whole(
  'i',
  `(?:and\\s+|but\\s+)?(?:the\\s+)?(?:at most|at least|no more than|up to|within)\\s+[$€£]?${EN_NUMBER}${UNIT}(?:\\s+(?:in total|altogether|in all))?`,
  `(?:the|my|our)?\\s*(?:total\\s+)?budget is\\s+[$€£]?${EN_NUMBER}${UNIT}`,
  "urgent(?:ly)?|asap|as soon as possible|immediately|no rush|no hurry|(?:it is|it['’]s) urgent",
  `(?:但|且|并且)?(?:总共|一共|合计|总计)?(?:不超过|最多|至多|至少|不少于|控制在)\\s*${ZH_NUMBER}${ZH_UNIT}(?:以内|以下)?`,
  `(?:总)?预算(?:是|为)?\\s*(?:不超过)?\\s*[¥￥]?\\s*${ZH_NUMBER}${ZH_UNIT}(?:以内)?`,
  '尽快|加急|紧急|马上|立即|不急|不着急',
);
const isConfirmation = whole(
  'i',
  '(?:and |but |please )*(?:ask me(?: first)?|check with me(?: first)?|wait for my (?:approval|confirmation)|once i (?:approve|confirm)(?: it)?)(?: before (?:you )?(?:deleting|changing|sending|cancelling|delete|change|send|cancel)(?: it| them)?)?',
  `(?:但|${ZH_VERB})?(?:之?前)?(?:先|请|要|必须|需要?){0,2}(?:问(?:一下)?我|等我(?:确认|同意|批准)(?:之?后)?(?:再)?|(?:跟|和|向)我确认)`,
);
const isConfirmedRequest = whole(
  'i',
  `${EN_LEAD}${EN_VERB}\\s+${EN_THING}\\s+(?:once|after|when) i (?:approve|confirm|agree)(?: it)?`,
);
const isRetraction = whole('i', '算了|不|不对|等等|no|never ?mind|scratch that|wait|forget it');
const isCondition = whole(
  'i',
  '(?:and |but |then )?(?:if|unless|once)\\s[^?？]{2,60}',
  '(?:但是?|那么)?(?:如果|若|假如|要是|一旦|除非|只要)[^?？]{2,30}',
);
const isFact = whole(
  'i',
  `(?:the |my )?(?:order|invoice|ticket)(?:\\s+number)?\\s+is\\s+${ID}`,
  `(?:订单|发票|工单)(?:编号|号)?(?:是|为)\\s*${ID}`,
  `i (?:have )?(?:already )?(?:deleted|changed|cancelled|sent|checked)\\s+${EN_THING}(?:\\s+(?:yesterday|today|already))?`,
  `我?(?:已经|刚才|昨天)(?:${ZH_VERB})(?:了|过)\\s*${ZH_THING}`,
);
const isHearsay = whole(
  'i',
  `(?:the |my |our )?(?:customer|client|boss|manager|colleague)\\s+(?:asked|wants|wanted|told (?:me|us))\\s+to\\s+${EN_VERB}\\s+${EN_THING}`,
  `(?:客户|顾客|老板|经理|同事)(?:说要|要求|想要)(?:${ZH_VERB})\\s*${ZH_THING}`,
);
const isAddition = whole('i', `(?:and|和|与|及|以及)?\\s*(?:订单|orders?)?\\s*${ID}`);

/** Longer clauses are not read: the forms above are for short sentences. */
const LONGEST_CLAUSE = 120;

const FORMS = {
  request: (seen) => isRequest(seen) || isConfirmedRequest(seen) || isConfirmation(seen),
  question: isQuestion,
  prohibition: isProhibition,
  limit: isLimit,
  confirmation: isConfirmation,
  retraction: isRetraction,
  condition: isCondition,
  fact: isFact,
  hearsay: isHearsay,
  addition: isAddition,
};

/** A condition has a clear neighbour: it opens its sentence, or stands beside one request alone. */
function conditionsAreClear(clauses) {
  return clauses.every((clause, index) => {
    if (clause.kind !== 'condition') return true;
    const inSentence = ({ sentence, kind }) =>
      sentence === clause.sentence && ['request', 'prohibition', 'question'].includes(kind);
    const before = clauses.slice(0, index).filter(inSentence).length;
    const after = clauses.slice(index + 1).filter(inSentence).length;
    if (before === 0) return after > 0;
    return (
      before === 1 &&
      (after === 0 || (after === 1 && /^(?:and|but|但|如|若|要|一旦)/i.test(clause.seen)))
    );
  });
}

/** "Query the status of order 5 and cancel it" is ambiguous: "it" can be the order or its status. */
function targetsAreClear(intents) {
  return intents.every(({ ownTarget, target }) => {
    const inherited = ownTarget === null || PRONOUN.test(ownTarget);
    return !(inherited && target !== null && /的|\s(?:of|in|for|from)\s/.test(target));
  });
}

/** "If order 7 has not shipped, cancel it": the condition may name the object, and is read as a whole. */
function conditionsNameNothing(intents) {
  return intents.every(({ condition, target }) => !(condition && target === null));
}

/**
 * Returns the clauses that the rules do not read reliably.
 *
 * @param {string} text
 * @returns {string[]} the unclear clauses; the whole text if only the relation between its clauses is
 *   unclear; an empty list if every clause is read
 */
export function unreadPartsOf(text) {
  const { clauses, intents, prohibitions } = read(text);
  const unread = clauses.filter(
    ({ kind, seen }) => seen.length > LONGEST_CLAUSE || !FORMS[kind](seen),
  );
  if (unread.length > 0) return unread.map(({ text: words }) => words);
  const saysSomething =
    intents.length + prohibitions.length > 0 ||
    clauses.some(({ kind }) => ['fact', 'hearsay', 'retraction'].includes(kind));
  const retracted = clauses.findIndex(({ kind }) => kind === 'retraction');
  const takesOrderBack =
    retracted >= 0 && /^(?:先|first\b)/i.test(clauses[retracted + 1]?.seen ?? '');
  const clear =
    saysSomething &&
    conditionsAreClear(clauses) &&
    conditionsNameNothing(intents) &&
    targetsAreClear(intents) &&
    !takesOrderBack;
  return clear ? [] : [text.trim()];
}
