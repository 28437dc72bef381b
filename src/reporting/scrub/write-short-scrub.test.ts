import { expect, test } from "vitest";
import { randomFrom } from "../../../tests/kit/random-from.ts";
import { createScrub, type ScrubOptions } from "./scrub.ts";
import { leftOut } from "./secret-path.ts";
import { type ShortScrubLimits, shortScrubLimits, writeShortScrub } from "./write-short-scrub.ts";

function shortScrub(
  options: ScrubOptions = {},
  limits: ShortScrubLimits = shortScrubLimits,
): (text: unknown) => string {
  return new Function(`return ${writeShortScrub(options, limits)}`)();
}

const cleaned = shortScrub();

test.each([
  ["a login failed with password=hunter2 for 7", `a login failed with password=${leftOut}`],
  ['{"id":7,"apiKey":"hunter2"}', `{"id":7,"apiKey":${leftOut}`],
  ["https://shop.example/reset?page=2&token=hunter2", `https://shop.example/reset?page=2&token=${leftOut}`],
  ["sent Bearer hunter2hunter2 to it", `sent ${leftOut}`],
  ["postgres://app:hunter2@db/shop", `postgres${leftOut}`],
  ["card 4111 1111 1111 1111 refused", `card ${leftOut}`],
  ["no account for ada.lovelace+1@mail.example.org!", `no account for ${leftOut}`],
  ['"{\\"password\\":\\"hunter2 abcdefgh\\",\\"id\\":7}"', `"{\\"password\\":${leftOut}`],
  ["/go?to=%2Freset%3Ftoken%3Dhunter2", `/go?to=%2Freset%3Ftoken%3D${leftOut}`],
  ["Cookie: theme=dark; id=hunter2\nHost: shop", `Cookie: ${leftOut}`],
  ["<user><password>hunter2</password></user>", `<user><password>${leftOut}`],
  ["AKIAIOSFODNN7EXAMPLE may not", leftOut],
  ["X-Forwarded-For: 192.0.2.1", `X-Forwarded-For: ${leftOut}`],
  ['password: {\n  value: "hunter2"\n}', `password: ${leftOut}`],
  ['{"password":[\n"hunter2"]}', `{"password":${leftOut}`],
  ["token={hunter2\nhunter2}", `token=${leftOut}`],
  ['password="a\nhunter2"', `password=${leftOut}`],
  ["Authorization: Basic\n hunter2hunter2", `Authorization: ${leftOut}`],
  ["AUTHORIZATION: BEARER HUNTER2HUNTER2", `AUTHORIZATION: ${leftOut}`],
])("the first script of a document removes what follows the first secret: %s", (text, clean) => {
  expect(cleaned(text)).toBe(clean);
});

test.each([
  "at 1763183354003 it was late",
  "https://cdn.example/vue@3.4.0.js failed, /img/logo@2x.png too",
  "TypeError: x is not a function",
  "Unexpected token '<', \"<!doctype \"... is not valid JSON",
  "https://shop.example/orders/7?page=2",
])("an ordinary text stays as it is there: %s", (text) => {
  expect(cleaned(text)).toBe(text);
});

test("the application's own names and its wish to send mail addresses hold there", () => {
  const clean = shortScrub({ rules: ["maiden", /^nick(name)?$/gi], keepAddresses: true });
  expect(clean("by ada@example.org: maidenName=Ada")).toBe(`by ada@example.org: maidenName=${leftOut}`);
  expect(clean("snick=Ada nickname: Ada")).toBe(`snick=Ada nickname: ${leftOut}`);
});

test("the application's own expressions keep their flags there", () => {
  const clean = shortScrub({ rules: [/^\p{L}key/u, /^[\w--\d]pin/v, /^Exact$/] });
  expect(clean("Xkey=hunter2")).toBe(`Xkey=${leftOut}`);
  expect(clean("XKEY=plain")).toBe("XKEY=plain");
  expect(clean("1pinned=plain apinned=hunter2")).toBe(`1pinned=plain apinned=${leftOut}`);
  expect(clean("exact=plain Exact=hunter2")).toBe(`exact=plain Exact=${leftOut}`);
});

test("nothing of a text is left where the browser does not know the syntax of a rule, or cannot read the text", () => {
  const code = writeShortScrub({ rules: [/nick/] }).replace('["nick",""]', '["nick","newFlag"]');
  expect(code).toContain("newFlag");
  expect(new Function(`return ${code}`)()("TypeError: x is not a function")).toBe(leftOut);
  const unreadable = {
    toString() {
      throw new Error("not today");
    },
  };
  expect(cleaned(unreadable)).toBe(leftOut);
});

test("the code of the short rules ends no script element", () => {
  expect(writeShortScrub({ rules: ["</script>", /<!--|<script/] })).not.toMatch(/<!--|<\/?script/);
});

test("a long text ends with the last word that was read whole", () => {
  const words = `${"word ".repeat(179)}`;
  expect(cleaned(`${words}ada@${"a.".repeat(100)}example.org`)).toBe(words + leftOut);
  expect(cleaned("a".repeat(1_001))).toBe(leftOut);
  expect(cleaned(`${words}4111 1111 1111 1111 ${"x".repeat(90)}`)).not.toContain("1111");
  expect(cleaned("a".repeat(1_000))).toBe("a".repeat(1_000));
});

const parts = [
  ..."password,pass,Token,apiKey,x-api-key,authorization,Proxy-Authorization,set-cookie,COOKIE,auth".split(","),
  ..."client_ip,X-Forwarded-For,cvv,nick,maidenName,äkey,id,theme,a,at".split(","),
  ...[
    "=",
    ":",
    ">",
    "=>",
    "%3d",
    "%3A",
    ": ",
    " = ",
    "=\n",
    ":\n  ",
    '":"',
    '": "',
    '\\":\\"',
    "='",
    ": {",
    '":[',
    "=[\n",
  ],
  ...['"', "'", "\\", "{", "}", "[", "]", "(", ")", "<", ",", ";", "&", "?", "/", "://", "@", "%40", ".", "-", "_"],
  ...[" ", " ", " ", "  ", "\n", "\n ", "\r\n", "         "],
  ...[
    "Bearer ",
    "basic ",
    "BASIC\n",
    "Bearer",
    "eyJhbGciOi",
    ".eyJzdWIiOiIx",
    "AKIAIOSFODNN7EXAMPLE",
    "sk_live_",
    "SG.",
  ],
  ...["-----BEGIN PRIVATE KEY-----", "-----BEGIN RSA ", "-----END PRIVATE KEY-----", "ada@example.org", "://app:pw@db"],
  ...[
    "4111 1111 1111 1111",
    "4111111111111111",
    "a2345",
    "1-",
    "1763183354003",
    "hunter2",
    "hunter2hunter2hunter2",
    "x",
  ],
];

test.each<[string, ScrubOptions]>([
  ["without rules of the application", {}],
  ["with rules of the application", { rules: ["maiden", /^nick/i, /^\p{L}key/u, /theme$/m], keepAddresses: true }],
])("the short rules remove whatever the full ones remove, %s", (_, options) => {
  const random = randomFrom(20_261_120);
  const full = createScrub(options);
  const short = shortScrub(options, { readChars: 200, spareChars: 100 });
  const unlimited = shortScrub(options);
  const wrong: string[] = [];
  let removed = 0;
  let whole = 0;
  for (let run = 0; run < 20_000; run++) {
    let text = "";
    for (let left = 1 + random() * 24; left > 0; left--) text += parts[Math.floor(random() * parts.length)];
    const clean = full.text(text);
    for (const cut of [unlimited(text), short(text)]) {
      const stays = cut.endsWith(leftOut) ? cut.slice(0, -leftOut.length) : cut;
      // What stays is the beginning of the text, of which the full rules remove nothing either.
      if (!text.startsWith(stays) || !clean.startsWith(stays) || (cut === text && clean !== text)) wrong.push(text);
    }
    if (clean !== text) removed++;
    else if (unlimited(text) === text) whole++;
  }
  expect(wrong).toEqual([]);
  // Neither half of the property may be tested by almost no text.
  expect(removed).toBeGreaterThan(4_000);
  expect(whole).toBeGreaterThan(1_000);
});

test.each([
  ..."pass- a token apiKey- =a aa= -eyJ eyJaaaaaaaa. 4111- ://a: a@ a. Bearer x=[ token password=' % - _".split(" "),
  'ab\\"',
  "\\",
  ..."sk_ SG. ssn- x-real-ip card_no ada@a. %3d".split(" "),
  " ",
  "4 ",
  "Bearer ",
  "ab  :",
  "-----BEGIN A ",
  " \n",
])("four times the length of %j costs about four times the work, not sixteen", (part) => {
  const clean = shortScrub({ rules: ["maiden", /^nick(name)?$/i] }, { readChars: 1_000_000, spareChars: 100 });
  const [short, long] = [2_000, 8_000].map((length) => part.repeat(length / part.length)) as [string, string];
  let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // The quickest of many runs is the work itself: other programs of the machine only add to a run.
  for (let run = 0; run < 30; run++) {
    shortMs = Math.min(
      shortMs,
      msOf(() => clean(short)),
    );
    longMs = Math.min(
      longMs,
      msOf(() => clean(long)),
    );
  }
  expect(longMs / shortMs).toBeLessThan(8);
});

function msOf(run: () => void): number {
  const startedAt = performance.now();
  run();
  return performance.now() - startedAt;
}
