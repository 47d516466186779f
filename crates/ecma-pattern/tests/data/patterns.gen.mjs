// Writes patterns.json: patterns and texts with the verdicts of this Node's own
// RegExp(pattern, 'u'). Made with Node 24 (ES2025 syntax, Unicode 16, the version of the tables
// in regex-syntax):
//
//   npx -p node@24.4.1 node crates/ecma-pattern/tests/data/patterns.gen.mjs > crates/ecma-pattern/tests/data/patterns.json
//   node crates/ecma-pattern/tests/data/patterns.gen.mjs --random 50000 --seed 7 > /tmp/sample.json   (any Node; then
//   PATTERN_SAMPLE=/tmp/sample.json cargo test -p ecma-pattern)
//
// `table` and `random` hold [pattern, null] where RegExp refuses the pattern, else
// [pattern, [[text, 0 or 1], ...]]. `properties` holds [name, members, checksum] for each \p{name}
// and is written only where this Node has Unicode 16.

const option = (name, otherwise) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};

import vm from 'node:vm';

// In a context, for its timeout: V8 may backtrack for ages. What it did not answer is left out.
// The search is spelt out (ECMA-262 22.2.7.2, a code point at a time), since V8 13.6 also tries
// between the halves of a surrogate pair: /\B/u.test("a😀1") is true there.
const context = vm.createContext({});
const test = new vm.Script(`
  list.map((text) => {
    let at = 0;
    for (const c of [...text, '']) {
      regExp.lastIndex = at;
      if (regExp.test(text)) return [text, 1];
      at += c.length;
    }
    return [text, 0];
  })`);

function verdicts(pattern, texts) {
  let regExp;
  try {
    regExp = new RegExp(pattern, 'uy');
  } catch {
    return [pattern, null];
  }
  context.regExp = regExp;
  context.list = [...new Set(texts)];
  try {
    return [pattern, test.runInContext(context, { timeout: 1000 })];
  } catch {
    return [pattern, []];
  }
}

// ---------------------------------------------------------------------------- the table

const r = String.raw;
const business = [
  // Identifiers, dates, numbers
  [r`^\d{4}-\d{2}-\d{2}$`, '2024-01-31', '2024-1-31', '٢٠٢٤-01-31', '2024-01-31\n', 'x2024-01-31'],
  [
    r`^(?<y>\d{4})-(?<m>0[1-9]|1[0-2])-(?<d>0[1-9]|[12]\d|3[01])$`,
    '2024-12-31',
    '2024-13-01',
    '2024-00-10',
  ],
  [r`(?<y>\d{4})-\k<y>`, '2024-2024', '2024-2025', '12024-2024'],
  [r`^[A-Z]{2,3}-\d{4,}$`, 'AB-1234', 'ABC-12345678', 'A-1234', 'ab-1234', 'ABCD-1234'],
  [
    r`^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$`,
    '0',
    '-1.5e10',
    '01',
    '1.',
    '.5',
    '1e',
    '1E+5',
  ],
  [r`^\+?[1-9]\d{1,14}$`, '+8613800138000', '13800138000', '0123', '+', '+1234567890123456'],
  [r`^1[3-9]\d{9}$`, '13800138000', '12800138000', '1380013800', '１３８００１３８０００'],
  [r`^\d{17}[\dXx]$`, '11010519491231002X', '110105194912310021', '11010519491231002Y'],
  [
    r`^[1-9]\d{5}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx]$`,
    '11010519491231002X',
    '11010519491331002X',
  ],
  [r`^[\u4e00-\u9fa5]{2,4}$`, '张三', '欧阳娜娜', '张', 'Zhang', '张三 ', '司马相如如'],
  [r`^[\u4e00-\u9fa5·]{2,20}$`, '阿卜杜拉·买买提', '张-三'],
  [r`^\p{Script=Han}+$`, '漢字', '汉字々', 'かな', '漢字x', '𠮷野家', '〇'],
  [r`^\p{sc=Han}{2}$`, '𠮷野', '𠮷', '野家店'],
  [r`^[\p{L}\p{M}' -]+$`, "O'Neil", 'José María', '李 小龙', 'x1', 'Jean-Luc'],
  [
    r`^[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-HJ-NP-Z][A-HJ-NP-Z0-9]{4,5}$`,
    '京A12345',
    '粤B1234D',
    '京I12345',
    'A12345',
  ],
  [
    r`订单号[:：]\s*(\d{6,})`,
    '订单号：20240001',
    '订单号: 123456',
    '订单号：123',
    '订单 号：123456',
  ],
  [r`^(?:今天|明天|后天|下?周[一二三四五六日天])$`, '明天', '周三', '下周日', '上周日', '下周'],
  [r`^第[一二三四五六七八九十百千0-9]+[章节条]$`, '第十二章', '第12条', '第章'],
  [r`^￥?\d{1,3}(?:,\d{3})*(?:\.\d{2})?元?$`, '￥1,234.50', '12元', '1234,5', '1,234,567'],
  // Mail, web, net
  [
    r`^[^\s@]+@[^\s@]+\.[^\s@]+$`,
    'a@b.co',
    'a@b',
    'a b@c.de',
    '用户@例子.公司',
    'a@@b.co',
    'a@b.co\u00a0',
  ],
  [
    r`^[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}$`,
    'first.last+tag@sub.example.com',
    'x@y.z',
    '.@a.bc',
  ],
  [
    r`^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+\-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`,
    'a.b@example.com',
    '.a@example.com',
    'a..b@example.com',
    'a.@example.com',
    'a@-b.com',
  ],
  [
    r`^https?:\/\/[\w.-]+(?:\/[^\s?#]*)?(?:\?[^\s#]*)?(?:#\S*)?$`,
    'https://example.com/a?b#c',
    'ftp://example.com',
  ],
  [
    r`^https?:\/\/[\w.\-]+(?:\/[^\s?#]*)?(?:\?[^\s#]*)?(?:#\S*)?$`,
    'https://example.com/a?b#c',
    'ftp://example.com',
    'http://a b',
    'http://例子.测试/',
  ],
  [r`^\/api\/`, '/api/', '/api/v1', 'api/', 'x/api/'],
  [r`^/api/v\d+/[^/]+$`, '/api/v1/users', '/api/v/users', '/api/v12/a/b'],
  [
    r`^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$`,
    '192.168.0.1',
    '256.1.1.1',
    '1.2.3',
    '1.2.3.4.',
    '0.0.0.0',
  ],
  [r`^(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$`, '2001:db8:0:0:0:0:0:1', '::1', '1:2:3:4:5:6:7:8:9'],
  [
    r`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$`,
    '123e4567-e89b-12d3-a456-426614174000',
    '123e4567-e89b-02d3-a456-426614174000',
  ],
  [
    r`^(?:[a-z0-9](?:[a-z0-9\-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$`,
    'example.com',
    '-a.com',
    'a-.com',
    'a.b.c.de',
    'com',
  ],
  [
    r`^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$`,
    '1.2.3',
    'v1.2.3-rc.1+build.5',
    '1.02.3',
    '1.2',
    '1.2.3-01',
    '1.2.3-0a',
  ],
  [r`^#(?:[0-9a-f]{3}){1,2}$`, '#abc', '#abcdef', '#abcd', '#ABC'],
  [
    r`^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$`,
    'aGVsbG8=',
    'aGVsbG8',
    '',
    'ab==',
    'a===',
  ],
  [r`^[A-Za-z_$][\w$]*$`, '$a_1', '1a', 'é', 'a-b'],
  [r`^[a-z0-9]+(?:-[a-z0-9]+)*$`, 'a-b-c1', '-a', 'a--b', 'a-'],
  [r`^[a-z]+(?:_[a-z]+)*$`, 'snake_case', '_x', 'x_', 'x__y'],
  [
    r`^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^\w\s]).{8,}$`,
    'Passw0rd!',
    'password1!',
    'Pw0!',
    'PASSWORD0!',
    'Passw0rdx',
    'Pässw0rd',
  ],
  [r`^(?!.*(.)\1\1)[a-z]+$`, 'aabbcc', 'aaabbb', 'abbba', 'ab1'],
  [r`^(?!0{3,})\d{3,}$`, '123', '000', '0001', '0012'],
  [r`(?<!\d)\d{6}(?!\d)`, '验证码123456。', '1234567', '123456', 'a123456b', '12345'],
  [r`(?<=\$)\d+(?:\.\d\d)?\b`, 'cost $12.50!', '12.50', '$x', '$5x'],
  [r`(?<=￥|¥)\d+`, '￥100', '¥5', '100￥', '$100'],
  [r`\b(?:USD|EUR|CNY)\b`, 'in USD.', 'USDT', '用CNY付', 'xEUR', 'EUR_'],
  [r`^(["'])(?:(?!\1).)*\1$`, '"a\'b"', "'a'", '"a\'', '""', '"a"b"'],
  [r`^<(\w+)[^>]*>[^]*<\/\1>$`, '<p a="1">x\ny</p>', '<p></q>', '<b></b>'],
  [r`^[^\p{Cc}]*$`, 'plain', 'a\tb', 'a\u0085', ''],
  [r`\p{Emoji_Presentation}`, '😀', 'x', '©', '⌚'],
  [r`^\p{RI}{2}$`, '🇨🇳', '🇨', 'CN'],
  [r`^\P{Lu}+$`, 'abc', 'aBc', 'é', 'É', '中'],
  [r`^.{1,5}$`, '中文字符串', '中文字符串长', '😀😀😀😀😀', '', 'a\nb', 'a\u2028b', 'a\u0085b'],
  [r`^\S+$`, 'a', 'a b', '\ufeff', '\u200b', '\u0085', '\u180e', '\u3000'],
  [
    r`^\s+$`,
    ' \t\n\r\v\f',
    '\u00a0\ufeff',
    '\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000',
    '\u0085',
    '\u200b',
    '\u180e',
    '',
  ],
  [r`^\w+$`, 'aZ_9', 'é', 'ſ', '\u212a', '中', ''],
  [r`^\W+$`, 'é中-', 'a', '_', ''],
  [r`^\d+$`, '09', '٣', '０'],
  [r`^\D+$`, '٣', '1', 'x'],
  [r`^[\d]+[\D]+[\s]*[\S]$`, '1a b', '11', '1a'],
];

const units =
  '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_- !"#%&\',/:;<=>@`~中é\n^$\\.*+?()[]{}|';
const syntax = [
  // What the issue and the suites name
  ['[^]', '', 'a', '\n', '😀'],
  ['^[^]$', 'a', '\n', '😀', '\u2028', '', 'ab'],
  ['[]', '', 'a'],
  ['a[]|b', 'a', 'b'],
  ['(?:[])?a', 'a'],
  [r`[\w-.]`, 'a'],
  [r`[\w\-.]`, '-', '.', 'é'],
  [r`[\w-]`, '-', '+'],
  [r`[-\w]`, '-'],
  [r`[a-\d]`, 'a'],
  [r`[\d-a]`, 'a'],
  [r`[\d-\d]`, '1'],
  ['[--a]', 'A', ',', '-'],
  ['[a--]', 'a'],
  ['[---]', '-', 'a'],
  ['[-]', '-'],
  ['[a-]', '-', 'b'],
  ['[-a]', '-'],
  ['[b-a]', 'a'],
  ['[a-a]', 'a'],
  [r`\cA`, '\u0001', 'A', '\\cA'],
  [r`\cz`, '\u001a', 'z'],
  [r`\c`, 'c'],
  [r`\c1`, 'c'],
  [r`[\c]`, 'c'],
  [r`[\cB]`, '\u0002'],
  [r`^\cC$`, '\u0003', 'C'],
  [r`[\c1]`, '1'],
  [r`\c中`, 'x'],
  [r`^\S(|(.|\n)*\S)\Z`, 'x'],
  [r`\a`, '\u0007'],
  [r`^\p{Letter}+$`, 'ȩ', '1'],
  [r`\p{Letter}cole`, 'Les hivers de mon enfance étaient: école', 'ECOLE'],
  [r`\wcole`, 'école', 'acole'],
  ['^\\W+$', 'été', '.-'],
  ['[a-z]cole', 'école', 'ecole'],
  ['^\\p{digit}+$', '42', '৪২', 'x'],
  ['^\\d+$', '42', '৪২'],
  // Escapes
  ...[...units].map((c) => [`\\${c}`, c, 'x']),
  ...[...units].map((c) => [`^[\\${c}]$`, c, 'x', '-']),
  ...[...units].map((c) => [c, c]),
  ['a' + '{', 'a{'],
  ['a{1', 'a{1'],
  ['a{,1}', 'a{,1}'],
  ['a{1,2', 'a'],
  ['{', '{'],
  ['}', '}'],
  ['a}', 'a}'],
  ['{1}', 'a'],
  ['a{ 1}', 'a'],
  ['a{1, 2}', 'aa'],
  [r`\0`, '\0', '0'],
  [r`\00`, '\0'],
  [r`\01`, '\u0001'],
  [r`\08`, '8'],
  [r`[\0]`, '\0'],
  [r`[\00]`, '\0'],
  [r`[\1]`, '1'],
  [r`\1`, '1'],
  [r`\8`, '8'],
  [r`(a)\2`, 'a'],
  [r`(a)\10`, 'a0'],
  [r`\1(a)`, 'a', 'aa'],
  [r`\2(a)(b)`, 'ab'],
  [r`\x41`, 'A'],
  [r`\x4`, 'x4'],
  [r`\x`, 'x'],
  [r`\xg1`, 'x'],
  [r`[\x41-\x43]`, 'B', 'D'],
  [r`\u0041`, 'A'],
  [r`\u004`, 'u004'],
  [r`\u`, 'u'],
  [r`\u{41}`, 'A'],
  [r`\u{}`, 'u'],
  [r`\u{10ffff}`, '\u{10ffff}'],
  [r`\u{110000}`, 'a'],
  [r`\u{0000000000041}`, 'A'],
  [r`\u{1F600}`, '😀'],
  [r`\u{1F600`, '😀'],
  [r`\u{zz}`, 'z'],
  [r`\u{ 41}`, 'A'],
  [r`\u{+41}`, 'A'],
  [r`\ud83d\ude00`, '😀', '\ud83d'.toWellFormed?.() ?? '?'],
  [r`^\ud83d\ude00$`, '😀'],
  [r`[\ud83d\ude00]`, '😀', 'x'],
  [r`^[^\ud83d\ude00]$`, '😀', '😁'],
  [r`\ud83d`, '😀'],
  [r`\ude00`, '😀'],
  [r`\ud83d\u{de00}`, '😀'],
  [r`\u{d83d}\ude00`, '😀'],
  [r`\ud83d\u0041`, '😀A'],
  [r`^[\ud83d\u{de00}]$`, '😀'],
  [r`^[\ud800-\udfff]$`, '😀', 'a'],
  [r`^[^\ud800-\udfff]$`, '😀', 'a'],
  [r`[\ud83d\ude00-\ud83d\ude02]`, '😁', '😃'],
  [r`^[\u{0}-\u{10ffff}]$`, '😀', 'a', ''],
  [r`\ud83d\ude0`, '😀'],
  [r`^[^\u{1F600}-\u{1F64F}]*$`, 'x😀', 'x🚀'],
  ['😀{2}', '😀😀', '😀'],
  ['^😀?$', '', '😀', '\ud83d'.toWellFormed?.() ?? '?'],
  ['[😀-😂]', '😁', '😃'],
  ['^[^x]$', '😀', '𠮷'],
  ['^.$', '😀', '𠮷'],
  ['^..$', '😀', 'ab'],
  [r`\/`, '/'],
  ['/', '/'],
  [r`\-`, '-'],
  [r`[\-]`, '-'],
  [r`\_`, '_'],
  [r`\ `, ' '],
  [r`\:`, ':'],
  [r`\@`, '@'],
  [r`\"`, '"'],
  [r`\'`, "'"],
  [r`\=`, '='],
  [r`\!`, '!'],
  [r`\#`, '#'],
  [r`\,`, ','],
  [r`\;`, ';'],
  [r`\<`, '<'],
  [r`\中`, '中'],
  ['\\', '\\'],
  ['a\\', 'a'],
  ['[\\', '['],
  ['[\\]', ']'],
  [r`\b`, 'a', ' ', ''],
  [r`\B`, 'a', ' ', '', 'ab', 'aéb', 'é', '中a'],
  [r`[\b]`, '\b', 'b'],
  [r`[\B]`, 'B'],
  [r`\bé`, 'é', 'aé'],
  [r`é\b`, 'é', 'éa'],
  [r`\b中`, 'a中', '中'],
  [r`\B中`, 'a中', '中'],
  [r`^\B$`, '', 'a'],
  [r`\b$`, 'a', 'a\n'],
  [r`a\b!`, 'a!'],
  [r`a\B!`, 'a!'],
  [r`[\k]`, 'k'],
  [r`\k`, 'k'],
  [r`\k<a>`, 'k'],
  [r`\k<a`, 'k'],
  [r`(?<a>x)\k<a>`, 'xx', 'x'],
  [r`\k<a>(?<a>x)`, 'x'],
  [r`(?<a>x)\k<b>`, 'xx'],
  [r`(?<a>x)\k`, 'xk'],
  [r`(?<a>x)\k<>`, 'x'],
  // Anchors and dots
  ['^a', 'a', 'ba', 'b\na'],
  ['a$', 'a', 'a\n', 'ab'],
  ['$^', '', 'a'],
  ['^$', '', '\n'],
  ['a^', 'a', 'aa'],
  ['$a', 'a'],
  ['(^a|b)c', 'ac', 'xac', 'xbc'],
  ['(?:^|,)x(?:,|$)', 'x', 'a,x', 'ax', 'x,b', 'a,x,b'],
  ['^^a$$', 'a'],
  ['^*', ''],
  ['$+', ''],
  [r`\b?`, ''],
  ['(?=a)*', 'a'],
  ['(?!a)?', 'a'],
  ['(?<=a)*', 'a'],
  ['(?<!a){2}', 'a'],
  ['^?', ''],
  ['(?:^)*a', 'a', 'ba'],
  ['(?:$)?', 'x'],
  ['^.$', 'a', '\n', '\r', '\u2028', '\u2029', '\u0085', '\u000b', ''],
  ['.', '\n', '\n\r', '\na'],
  ['a.c', 'a\nc', 'abc', 'a\u2028c', 'a😀c'],
  // Quantifiers
  ['a{0}', '', 'a'],
  ['^a{0}$', '', 'a'],
  ['a{2,1}', 'a'],
  ['a{1,1}', 'a'],
  ['^a{2,}$', 'a', 'aa', 'aaaaa'],
  ['^a{2,3}$', 'a', 'aa', 'aaa', 'aaaa'],
  ['^a{2}?$', 'aa', 'a'],
  ['^a{1,2}?$', 'aa', 'aaa'],
  ['a**', 'a'],
  ['a*?', 'a'],
  ['a*??', 'a'],
  ['a+?b', 'aab', 'b'],
  ['a?+', 'a'],
  ['a{1}{2}', 'aa'],
  ['*a', 'a'],
  ['+', '+'],
  ['?', '?'],
  ['a|*', 'a'],
  ['(*)', 'a'],
  ['(?:+)', 'a'],
  ['x{0,4294967295}', 'x'],
  ['^x{0,4294967295}$', 'xxx', 'xxy'],
  ['x{4294967295}', 'x'],
  ['x{4294967296,}', 'x'],
  ['x{99999999999999999999}', 'x'],
  ['^x{0,99999999999999999999}y', 'xxy'],
  ['(?:){4294967295}', ''],
  ['(?:a{1000}){1000}', 'a'],
  ['^(?:ab){1,1000}$', 'abab', 'aba'],
  ['^(?:a|b){300}$', 'a'.repeat(300), 'a'.repeat(299)],
  ['^(?:a|bc){2,300}?$', 'abc', 'a', 'abcab'],
  ['^(?:a?){300}$', 'aaa', 'aab'],
  ['^(?:a?b?){3,}$', 'abab', 'ba', 'bac'],
  ['^(?:a*)*$', 'aaa', 'aab'],
  ['^(?:a*)*?b', 'aab', 'aac'],
  ['^(?:a*|b)*$', 'abab', 'abc'],
  ['^(?:a?){2,3}$', 'aaa', 'aaaa', ''],
  ['(?:a*?)*?$', 'aa'],
  ['^(?:|a)+$', 'aa', ''],
  ['^(?:|a){0,2}$', 'aa', ''],
  ['^(?:|a)?$', 'a', ''],
  ['^(?:a|){3}$', 'a', 'aaa', 'aaaa'],
  // Captures and iterations
  [r`^(?:(a)|b)*\1$`, 'ab', 'aba', 'abaa', 'aa', 'b', ''],
  [r`^(?:(a)|(b))*\1\2$`, 'ab', 'abb', 'aba', 'ba'],
  [r`^(a)?\1$`, '', 'aa', 'a'],
  [r`^(?:(a)|){2}\1$`, 'aa', 'a', ''],
  [r`(z)((a+)?(b+)?(c))*`, 'zaacbbbcac'],
  [r`^(z)((a+)?(b+)?(c))*\3$`, 'zaacbbbcac', 'zaacbbbcaca', 'zaacbbbca'],
  [r`^(a\1)$`, 'a', 'aa'],
  [r`^(?:(a\1)b)+$`, 'abab', 'abaab'],
  [r`^(a*)\1$`, 'aaaa', 'aaa', ''],
  [r`^(a+)\1+$`, 'aaaaaa', 'aaaaa', 'aaaaaaa'],
  [r`^(?:\1(a)|b)*$`, 'baab', 'aa', 'aba'],
  [r`\1(?=(a))b`, 'ab', 'b'],
  [r`^(?:(?=(a))a)+b\1$`, 'aab', 'aaba'],
  [r`^(?=(a+))a*b\1$`, 'aabaa', 'aaba', 'ab'],
  [r`(?=(a+))a*b\1`, 'baaabac'],
  [r`(?!(a))\1b`, 'b', 'ab'],
  [r`^(?!(a)b)\1a`, 'aa', 'ab'],
  [r`(.*?)a(?!(a+)b\2c)\2(.*)`, 'baaabaac', 'baaabaaac'],
  [r`^(.)(.)\2\1$`, 'abba', 'abab', '😀中中😀'],
  [r`^(?<a>.)(?<b>.)\k<b>\k<a>$`, 'abba', 'abab'],
  [r`^((a)|b)\2$`, 'aa', 'b', 'bb'],
  [r`^(?:(x)?y)*\1$`, 'xyy', 'xyx', 'yxyx'],
  [r`(\2a)(\1)`, 'aa', 'b'],
  [r`(?:(?=(\3))(\1a))(b?)`, 'ab'],
  [r`^(?:(a)|(b)|(c))+\3\2\1$`, 'abc', 'abcc', 'cba', 'cbaa'],
  [r`^(?:a?(b)??)*\1$`, 'ab', 'abab', 'abb', 'aab'],
  [r`^(?:(a)??b?)*\1c$`, 'abc', 'abac', 'aac'],
  [r`^(?:(a)|\b)*\1$`, 'aa', 'a', ''],
  [r`^(?:(a)*b)*\1c$`, 'aabbc', 'aabac', 'babc'],
  // Lookaround
  ['a(?=b)', 'ab', 'ac'],
  ['a(?!b)', 'ab', 'ac', 'a'],
  ['(?<=a)b', 'ab', 'b', 'cb'],
  ['(?<!a)b', 'ab', 'b', 'cb'],
  ['(?<=^a)b', 'ab', 'aab'],
  ['(?<=a+)b', 'aab'],
  ['(?<=a{2,3})b', 'ab', 'aab'],
  [r`(?<=(\d+)(\d+))$`, '1053'],
  [r`(?<=^(\d+)(\d+))\1$`, '10531'],
  [r`(?<=(\d+)(\d+))x\1$`, '1053x1', '1053x105'],
  [r`(?<=^(\d+)(\d+))x\2$`, '1053x053', '1053x3'],
  [r`(?<=^(\d+?)(\d+))x\1$`, '1053x1', '1053x105'],
  [r`(?<=\1(a))b`, 'aab', 'ab'],
  [r`(?<=(a)\1)b`, 'aab', 'ab', 'b'],
  [r`(?<=(.)\1)b`, 'aab', 'abb'],
  [r`(?<=\1(.))b`, 'xxb', 'xyb'],
  [r`(?<!\1(.))b`, 'xxb', 'xyb', 'b'],
  [r`(?<=([abc]+)).\1`, 'abcdbc', 'abcdab'],
  ['(?<=(?:a|bc|d)+)e', 'abce', 'ce', 'e'],
  ['(?<=a(?=b)).', 'ab', 'ac'],
  ['(?=.(?<=a))', 'a', 'b'],
  [r`(?<=\b)a`, 'ba', ' a'],
  ['(?<=😀)x', '😀x', '😁x'],
  ['(?<=[^a])b', '😀b', 'ab', 'b'],
  ['(?<=.)$', '\n', 'a', '😀'],
  [r`(?<=$abc)def`, 'abcdef'],
  ['(?<!(^|[ab]))\\w{2}', 'abcdef', 'ab'],
  ['(?<=a|ab|abc)d', 'abcd', 'bcd'],
  ['(?<=(?<a>\\w){3})f', 'abcdef', 'abf'],
  [r`(?<=(?<a>\w){3})\k<a>`, 'abca', 'abcb', 'abcc'],
  [r`(?<a>(?<=\w{3}))f`, 'abcf'],
  ['(?<=(?<!a)b)c', 'bc', 'abc', 'xbc'],
  ['(?<!(?<=a)b)c', 'bc', 'abc'],
  [r`(?<=^\w{3})def$`, 'abcdef', 'aabcdef'],
  ['(?=(?=(?=a)))a', 'a'],
  ['(?!)', ''],
  ['(?=)', ''],
  ['(?<=)', ''],
  ['(?<!)', ''],
  ['(?!(?!a))a', 'a', 'b'],
  ['^(?:(?=a)a|(?!a)b)*$', 'abab', 'abc'],
  [r`^(?=(\w+))\1:`, 'abc:', 'abc'],
  ['(?=(?:a|b)*c)(?:a|ab)*', 'abac', 'aba'],
  // Groups and names
  ['(?<a>', 'a'],
  ['(?<a', 'a'],
  ['(?<>x)', 'x'],
  ['(?<1a>x)', 'x'],
  ['(?<a1>x)', 'x'],
  ['(?<$>x)', 'x'],
  ['(?<_>x)', 'x'],
  ['(?<a-b>x)', 'x'],
  ['(?<a b>x)', 'x'],
  ['(?<年>x)\\k<年>', 'xx'],
  ['(?<é>x)', 'x'],
  ['(?<😀>x)', 'x'],
  ['(?<𠮷>x)', 'x'],
  [r`(?<\u0061>x)\k<a>`, 'xx'],
  [r`(?<\u{61}>x)\k<a>`, 'xx'],
  [r`(?<\ud842\udfb7>x)\k<𠮷>`, 'xx'],
  [r`(?<\u{20bb7}>x)`, 'x'],
  [r`(?<a\u{20}>x)`, 'x'],
  [r`(?<\x61>x)`, 'x'],
  [r`(?<\ud800>x)`, 'x'],
  [r`(?<a\u200c\u200d>x)`, 'x'],
  [r`(?<\u200c>x)`, 'x'],
  ['(?<a>x)(?<a>y)', 'xy'],
  ['(?<a>(?<a>x))', 'x'],
  ['(?<a>x)|(?<b>y)', 'y'],
  ['(', '('],
  [')', ')'],
  ['(a', 'a'],
  ['a)', 'a'],
  ['(?', 'a'],
  ['(?a)', 'a'],
  ['(?:', 'a'],
  ['(?#c)', 'a'],
  ['(?P<n>a)', 'a'],
  ['(?>a)', 'a'],
  ['(?|a)', 'a'],
  ['(?=a', 'a'],
  ['(?<a>.)(?<b>.)', 'ab'],
  ['()', ''],
  ['(?:)', ''],
  ['(|a)b', 'b'],
  ['|', ''],
  ['a||b', 'c'],
  ['[', '['],
  [']', ']'],
  ['[]]', ']'],
  ['[^]]', ']', 'a]'],
  ['[[]', '['],
  ['[[a]]', '[]'],
  ['[a&&b]', '&'],
  ['[^^]', '^', 'a'],
  ['[a^]', '^'],
  ['[$.|(){}*+?]', '$', '}', 'a'],
  ['[[:alpha:]]', 'a'],
  [r`\Aa`, 'a'],
  [r`a\z`, 'a'],
  [r`a\Z`, 'a'],
  [r`\h`, 'h'],
  [r`\R`, 'R'],
  [r`\X`, 'X'],
  [r`\Qa\E`, 'a'],
  [r`\e`, 'e'],
  [r`\G`, 'G'],
  ['(?i)a', 'A'],
  ['(?s).', '\n'],
  ['(?x) a', 'a'],
];

// Without what V8 13.6 gets wrong: (?i:ab|cd) on "aB", (?i:ſ) on "s".
const es2025 = [
  ['(?i:a)b', 'Ab', 'AB'],
  ['(?-i:a)', 'a', 'A'],
  ['(?i-s:a.)', 'Ab', 'A\n'],
  ['(?s:.)', '\n'],
  ['(?s-:.)', '\n'],
  ['(?-:a)', 'a'],
  ['(?-s:.)', '\n'],
  ['(?m:^a$)', 'b\na\nc', 'ba'],
  ['(?m:^a$)|^b$', 'x\nb'],
  ['(?m:a$)', 'a\r', 'a\u2028b', 'a\u0085'],
  ['(?ii:a)', 'a'],
  ['(?i-i:a)', 'a'],
  ['(?u:a)', 'a'],
  ['(?g:a)', 'a'],
  ['(?ims:a)', 'A'],
  ['(?i', 'a'],
  ['(?i)', 'a'],
  ['(?I:a)', 'a'],
  ['(?--i:a)', 'a'],
  [r`^(?i:\w)$`, 'ſ', '\u212a', 'é', 'K'],
  [r`^(?i:\W)$`, 'ſ', 's', 'S', '\u212a', 'é'],
  [r`^(?i:[\w])$`, 'ſ'],
  [r`^(?i:[^\w])$`, 'ſ', 'é'],
  [r`^(?i:[^\W])$`, 'ſ', 's', 'é'],
  [r`(?i:\b)ſ`, 'ſ', 'aſ'],
  [r`\bſ`, 'ſ', 'aſ'],
  [r`(?i:a\B)ſ`, 'Aſ'],
  ['^(?i:k)$', '\u212a', 'K'],
  ['^(?i:ß)$', 'ẞ', 'ss', 'ß'],
  ['^(?i:[^x])$', 'X', 'y'],
  ['^(?i:[a-z])$', 'Q', '\u212a', 'É'],
  ['^(?i:é)$', 'É'],
  ['^(?i:σ)$', 'ς', 'Σ'],
  ['^(?i:ı)$', 'i', 'I', 'İ'],
  ['^(?i:𐐀)$', '𐐨'],
  [r`^(?i:\u0130)$`, 'i', 'İ'],
  [r`^(?i:\p{Lu})$`, 'a', 'A', '中', '1'],
  [r`^(?i:\P{Lu})$`, 'a', 'A', '中'],
  [r`^(?i:[^\P{Lu}])$`, 'a', 'A', '1'],
  [r`^(?i:[^\p{Lu}])$`, 'a', 'A', '1'],
  [r`^(.)(?i:\1)$`, 'aA', 'ab', 'éÉ', 'σς'],
  [r`^(?i:(a))\1$`, 'AA', 'Aa'],
  [r`(?<=(?i:\1)(.))b$`, 'aAb', 'acb'],
  [r`^(?i:(?-i:a)b)$`, 'aB', 'AB'],
  [r`^(?i:(?:a(?s:.)))b$`, 'A\nb', 'A\nB'],
  [r`^(?i:\cA\x41\u0041\u{41})$`, '\u0001aaa'],
  ['(?<a>x)|(?<a>y)', 'y'],
  [r`^(?:(?<a>x)|(?<a>y))\k<a>$`, 'xx', 'yy', 'xy'],
  [r`^(?:(?:(?<a>x)|(?<a>y))\k<a>)+$`, 'xxyy', 'xxyx'],
  [r`^\k<a>(?:(?<a>x)|(?<a>y))$`, 'x', 'y', 'xx'],
  ['(?<a>x)(?:(?<a>y)|z)', 'xy'],
  ['(?:(?<a>x)|(?<b>y))(?<a>z)', 'xz'],
  ['(?:(?<a>x)|y)|(?<a>z)', 'z'],
  ['(?=(?<a>x))|(?<a>y)', 'y'],
  ['((?<a>x)|(?<a>y)|(?<a>z))', 'z'],
  ['(?<a>x|(?<a>y))', 'y'],
  [r`(?<=(?:(?<a>x)|(?<a>y)))\k<a>`, 'xx', 'xy'],
];

const properties = [
  ...[
    'L',
    'Letter',
    'Lu',
    'gc=Lu',
    'General_Category=Uppercase_Letter',
    'LC',
    'digit',
    'punct',
    'cntrl',
    'Combining_Mark',
    'sc=Grek',
    'Script=Greek',
    'scx=Hani',
    'Script_Extensions=Han',
    'Any',
    'ASCII',
    'Assigned',
    'Alpha',
    'Alphabetic',
    'ID_Start',
    'IDS',
    'Emoji',
    'Ideographic',
    'White_Space',
    'space',
    'Zl',
    'Cs',
    'Co',
    'Cn',
    'C',
    'Upper',
    'XIDC',
    'Hex',
    'sc=Qaai',
    'sc=Zinh',
    'sc=Zyyy',
    'sc=Kana',
    'scx=Kana',
    'sc=Zzzz',
  ].flatMap((name) => [
    [r`^\p{${name}}$`, ...'aAéßΩ中カー𠮷1٣!_- \u2028\u0301😀\u0009\ue000'],
    [r`^\P{${name}}$`, ...'aA中1! 😀'],
    [r`^[\p{${name}}x]$`, ...'xaA中1'],
    [r`^[^\p{${name}}x]$`, ...'xaA中1'],
  ]),
  ...[
    'l',
    'letter',
    'LU',
    'lu',
    'gc=lu',
    'Gc=Lu',
    'GC=Lu',
    'gc = Lu',
    ' Lu',
    'Lu ',
    '',
    '=',
    'L=',
    '=L',
    'gc=',
    'sc=',
    'gc',
    'Script',
    'sc',
    'sc=greek',
    'sc=GREEK',
    'Greek',
    'Grek',
    'IsGreek',
    'IsL',
    'InGreek',
    'Block=Basic_Latin',
    'blk=ASCII',
    'alpha',
    'alphabetic',
    'White Space',
    'WhiteSpace',
    'whitespace',
    'any',
    'ascii',
    'Age=6.0',
    'gc=Any',
    'sc=L',
    'gc=Greek',
    'L&',
    '^L',
    'Lu=Y',
    'Alphabetic=Y',
    'Alphabetic=True',
    'Lowercase_Mapping',
    'Line_Break',
    'RGI_Emoji',
    'Basic_Emoji',
    'Emoji_Keycap_Sequence',
    'Other_Alphabetic',
    'Hyphen',
    'Grapheme_Link',
    'Full_Composition_Exclusion',
    'Expands_On_NFC',
    'sc=Hrkt',
    'sc=Katakana_Or_Hiragana',
    'Latin',
    'sc=Latn=Latn',
    'gc:L',
    'Lx',
    'Script=Nope',
  ].map((name) => [r`\p{${name}}`, 'a']),
  [r`\p`, 'p'],
  [r`\pL`, 'a'],
  [r`\P`, 'P'],
  [r`\p{L`, 'a'],
  [r`[\p]`, 'p'],
  [r`[\pL]`, 'a'],
  [r`\p{^L}`, 'a'],
  [r`[\p{L}-z]`, 'a'],
  [r`[\p{L}\p{N}]{3}`, 'a1中', 'a-1'],
  [r`[^\P{L}a]`, 'a', 'b', '1'],
];

// ---------------------------------------------------------------------------- at random

function generator(seed) {
  // mulberry32
  const random = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(random() * n);
  const pick = (list) => list[below(list.length)];
  const chance = (p) => random() < p;
  // Few characters, so that texts often match; all of long standing in Unicode.
  const letters = ['a', 'a', 'a', 'b', 'b', 'c', '1', '-', 'é', '中', '😀', ' ', '_', 'A'];
  const escapes = [
    r`\d`,
    r`\w`,
    r`\s`,
    r`\D`,
    r`\W`,
    r`\S`,
    r`\p{L}`,
    r`\P{L}`,
    r`\p{Lu}`,
    r`\p{sc=Han}`,
    r`\p{Alphabetic}`,
    r`\u0061`,
    r`\u{1F600}`,
    r`\ud83d\ude00`,
    r`\x62`,
    r`\n`,
    r`\.`,
    r`\/`,
    r`\ud83d`,
  ];
  const es25 = Number(process.versions.node.split('.')[0]) >= 24;

  // Modifiers other than `i`, and no name twice: V8 13.6 is wrong in both, see above and
  // (?<n>a)(?<n>b|c)|d, which it accepts.
  function classText() {
    let out = chance(0.25) ? '[^' : '[';
    for (let n = below(4); n > 0; n--) {
      const kind = below(6);
      if (kind === 0) out += pick(['a-c', 'b-é', '0-9', '一-龥', 'a-a', '😀-😂']);
      else if (kind === 1) out += pick([...escapes, r`\-`, r`\b`]);
      else out += pick(letters.filter((c) => c !== '-'));
    }
    return out + (chance(0.1) ? '-]' : ']');
  }
  function quantifier() {
    const base = pick([
      '*',
      '+',
      '?',
      '*',
      '+',
      '?',
      '{2}',
      '{1,2}',
      '{0,2}',
      '{1,}',
      '{2,}',
      '{0,3}',
      '{0}',
      '{3}',
      '{1,150}',
      '{2,100}',
    ]);
    return base + (chance(0.3) ? '?' : '');
  }
  function term(depth, state) {
    const kind = below(depth > 0 ? 20 : 9);
    if (kind < 5) return pick(letters) + (chance(0.3) ? quantifier() : '');
    if (kind === 5)
      return pick(['.', pick(escapes), pick(escapes)]) + (chance(0.3) ? quantifier() : '');
    if (kind === 6) return classText() + (chance(0.4) ? quantifier() : '');
    if (kind === 7) return pick(['^', '$', r`\b`, r`\B`]);
    if (kind === 8 && !state.plain) return `\\${1 + below(4)}${chance(0.2) ? quantifier() : ''}`;
    if (kind === 9 || kind === 10)
      return `(?:${alternatives(depth - 1, state)})${chance(0.7) ? quantifier() : ''}`;
    if (kind < 15) return `(${alternatives(depth - 1, state)})${chance(0.6) ? quantifier() : ''}`;
    if (kind === 15)
      return `(?<n${state.names++}>${alternatives(depth - 1, state)})${chance(0.5) ? quantifier() : ''}`;
    if (kind === 16)
      return es25
        ? `(?${pick(['s', 'm', '-s', 's-m'])}:${alternatives(depth - 1, state)})${chance(0.4) ? quantifier() : ''}`
        : pick(['a*', 'é?']);
    if (kind === 8) return pick(letters) + quantifier();
    if (kind === 17) return pick([state.plain ? 'a+' : r`\k<n0>`, 'a*', 'b+', 'a?']);
    const look = pick(['(?=', '(?!', '(?<=', '(?<!', '(?<=', '(?=']);
    return `${look}${alternatives(depth - 1, state)})`;
  }
  function alternatives(depth, state) {
    const list = [];
    do {
      let out = '';
      for (let n = chance(0.1) ? 0 : 1 + below(3); n > 0; n--) out += term(depth, state);
      list.push(out);
    } while (chance(0.3) && list.length < 4);
    return list.join('|');
  }
  function mutated(pattern) {
    const units = [...pattern];
    for (let n = 1 + below(2); n > 0; n--) {
      const at = below(units.length + 1);
      if (chance(0.5))
        units.splice(
          at,
          0,
          pick([
            ...'()[]{}?*+|\\^$.-,:<>=!/&#01k',
            r`\u{`,
            '(?',
            '(?<',
            r`\p{`,
            r`\c`,
            r`\x`,
            '{1,',
            '[^',
            r`\k<`,
            r`\0`,
          ]),
        );
      else units.splice(at, 1);
    }
    return units.join('');
  }
  function text() {
    let out = '';
    for (let n = below(9); n > 0; n--)
      out += chance(0.05) ? pick(['\n', '\u2028', '.', 'B', '/', 'É', '^', '2']) : pick(letters);
    return out;
  }
  return (texts) => {
    let pattern;
    // Half of them without backreferences, which are matched in another way.
    const plain = chance(0.5);
    do pattern = alternatives(3, { names: 0, plain });
    while (pattern.length > 120);
    if (chance(0.5)) pattern = `^(?:${pattern})$`;
    if (chance(0.15)) pattern = mutated(pattern);
    return [pattern, ...Array.from({ length: texts }, text)];
  };
}

// ---------------------------------------------------------------------------- the sets

async function propertySums() {
  const fs = await import('node:fs');
  const source = fs.readFileSync(new URL('../../src/property.rs', import.meta.url), 'utf8');
  const list = (name) =>
    source
      .match(new RegExp(`const ${name}: &str = "\\\\([^"]*)"`))[1]
      .replace(/\\\n/g, '')
      .trim()
      .split(/,\s+/)
      .map((names) => names.trim().split(' '));
  const names = [
    ...list('CATEGORIES').flatMap((names) => names.flatMap((name) => [name, `gc=${name}`])),
    ...list('SCRIPTS').flatMap((names) => names.flatMap((name) => [`sc=${name}`, `scx=${name}`])),
    ...list('BINARY').flat(),
  ];
  return names.map((name) => {
    const regExp = new RegExp(`^\\p{${name}}$`, 'u');
    let members = 0;
    let sum = 0;
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      if (regExp.test(String.fromCodePoint(code))) {
        members++;
        sum = (Math.imul(sum, 31) + code) >>> 0;
      }
    }
    return [name, members, sum];
  });
}

const count = option('--random', 0);
const next = generator(option('--seed', 1));
const random = Array.from({ length: count || 2000 }, () => {
  const [pattern, ...texts] = next(count ? 8 : 5);
  return verdicts(pattern, texts);
});
const es25 = Number(process.versions.node.split('.')[0]) >= 24;
const table = count
  ? []
  : [...business, ...syntax, ...(es25 ? es2025 : []), ...properties].map(([pattern, ...texts]) =>
      verdicts(pattern, texts),
    );
const sums = !count && process.versions.unicode.startsWith('16') ? await propertySums() : [];
const lines = (list) => list.map((item) => JSON.stringify(item)).join(',\n');
process.stdout.write(`{"node": "${process.versions.node}", "unicode": "${process.versions.unicode}",
"table": [
${lines(table)}
],
"properties": [
${lines(sums)}
],
"random": [
${lines(random)}
]}
`);
