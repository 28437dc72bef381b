import { describe, expect, it } from "vitest";
import { namedKeys, type ReportedEvent, readEvent, withoutCardNumbers } from "#protocol";
import { randomFrom } from "../../../tests/kit/random-from.ts";
import { Scrubber, scrubbed, textPatterns } from "./scrub.ts";

describe("scrubbing", () => {
  it("removes values under a secret name, at any depth", () => {
    const event = new Scrubber().event(
      eventFrom({
        request: {
          url: "https://shop.test/x?token=abc123&page=2",
          headers: { Authorization: "Bearer abc", Accept: "text/html", Cookie: "a=b" },
          cookies: { sid: "1" },
          data: { user: { password: "hunter2", name: "Jo" } },
          query_string: "api_key=k1&page=2",
        },
        extra: { deep: [{ clientSecret: "s" }] },
        breadcrumbs: [{ message: "GET https://u:p@db.test/", data: { csrf_token: "t", url: "/a" } }],
        user: { id: "7", ip_address: "10.0.0.1" },
        tags: { session_token: "t", page: "cart" },
      }),
    );
    expect(event.request).toMatchObject({
      url: `https://shop.test/x?token=${scrubbed}&page=2`,
      headers: { Authorization: scrubbed, Accept: "text/html", Cookie: scrubbed },
      cookies: scrubbed,
      data: { user: { password: scrubbed, name: "Jo" } },
      queryString: `api_key=${scrubbed}&page=2`,
    });
    expect(event.extra).toEqual({ deep: [{ clientSecret: scrubbed }] });
    expect(event.breadcrumbs[0]).toMatchObject({
      message: `GET https://${scrubbed}@db.test/`,
      data: { csrf_token: scrubbed, url: "/a" },
    });
    expect(event.user).toEqual({ id: "7" });
    expect(event.tags).toEqual({ session_token: scrubbed, page: "cart" });
  });

  it.each([
    ["sid=x", `sid=${scrubbed}`],
    ["a://b:c@d", `a://${scrubbed}@d`],
    ['"pwd":1', `"pwd":"${scrubbed}"`],
    ["cookie:a", `cookie:${scrubbed}`],
    ["basic abcdefgh", `basic ${scrubbed}`],
    ["BASIC dXNlcjpwYXNz", `BASIC ${scrubbed}`],
    ["BEARER abcdefghijklmnop", `BEARER ${scrubbed}`],
    ["AUTHORIZATION: BEARER abcdefghijkl", `AUTHORIZATION: ${scrubbed}`],
    ["PROXY-AUTHORISATION:a", `PROXY-AUTHORISATION:${scrubbed}`],
    ["COOKIE: session abcdef", `COOKIE: ${scrubbed}`],
    ["eyJabcdefgh.abcdefgh.", scrubbed],
    ["4222222222222", scrubbed],
    ["4-2 2.2222222222", scrubbed],
    ["sk_abcdefghijklmnop", scrubbed],
    ["sk-abcdefghijklmnop", scrubbed],
    ["SG.abcdefghijklmnop.abcdefghijklmnop", scrubbed],
    ["ASIAABCDEFGHIJKLMNOP", scrubbed],
    [`AIza${"a".repeat(35)}`, scrubbed],
    ["-----BEGIN PRIVATE KEY-----", scrubbed],
    ["é sid=x", `é sid=${scrubbed}`],
  ])("knows the shortest secrets: %s", (text, expected) => {
    expect(new Scrubber().text(text)).toBe(expected);
  });

  it.each([
    ["a token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.abc-def", `a token ${scrubbed}`],
    ["sent Bearer abcdefghijkl", `sent Bearer ${scrubbed}`],
    ["key -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- end", `key ${scrubbed} end`],
    ["GET /api/orders?session_token=abc&page=2", `GET /api/orders?session_token=${scrubbed}&page=2`],
    ["postgres://app:pa55@db/x", `postgres://${scrubbed}@db/x`],
    ["back at /login#access_token=abc&x=1", `back at /login#access_token=${scrubbed}&x=1`],
    ["import --password=pa55 --rows=7", `import --password=${scrubbed} --rows=7`],
    ["Server=db;Password=pa55;Pooling=1", `Server=db;Password=${scrubbed};Pooling=1`],
    ["a=1;sid=abc; b=2", `a=1;sid=${scrubbed}; b=2`],
    ['{"user":"jo","password":"pa\\"55","page":2}', `{"user":"jo","password":"${scrubbed}","page":2}`],
    ["{'api_key': 'abc', 'pin': 1}", `{'api_key': '${scrubbed}', 'pin': 1}`],
    ["sent Cookie: theme=dark; id=7\nAccept: x", `sent Cookie: ${scrubbed}\nAccept: x`],
    ["Authorization: Token abc", `Authorization: ${scrubbed}`],
    ["paid with 4111 1111 1111 1111 today", `paid with ${scrubbed} today`],
    ["paid with 378282246310005.", `paid with ${scrubbed}.`],
    ["key sk_live_abcdefghijklmnop is wrong", `key ${scrubbed} is wrong`],
    ["AKIAIOSFODNN7EXAMPLE was refused", `${scrubbed} was refused`],
  ])("knows the shape of secrets in a text: %s", (text, expected) => {
    expect(new Scrubber().text(text)).toBe(expected);
  });

  it.each([
    "Unexpected token = in JSON at position 3",
    "tokens.map((token)=>token.text)",
    'Unexpected token "}": expected a value',
    "x == y, a=1 b=2 c='3'",
    "password must have 8 letters",
    "order 4111 1111 1111 1112 is gone",
    "at 1763251200123, took 4000000000000 ns",
    "trace 4111111111111111aaaa4111111111111111 and 0b5e4111111111111111",
  ])("leaves a sentence alone: %s", (text) => {
    expect(new Scrubber().text(text)).toBe(text);
  });

  it("finds in a text what all patterns find, also where it looks for signs of them first", () => {
    const scrubber = new Scrubber();
    const random = randomFrom(20_261_121);
    const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? "";
    const wrong: string[] = [];
    let found = 0;
    for (let run = 0; run < 40_000; run++) {
      let text = "";
      for (let left = 1 + random() * 8; left > 0; left--) text += inAnyCase(pick(pieces), random);
      const all = byAllPatterns(text, scrubber);
      if (scrubber.text(text) !== all) wrong.push(text);
      if (all !== text) found += 1;
    }
    expect(wrong).toEqual([]);
    expect(found).toBeGreaterThan(4_000);
  });

  it.each(["a=", "=", '"a":', "'", "a.b=", "https://", '"a"'])("ends quickly for a long text of %j", (part) => {
    expect(new Scrubber().text(part.repeat(30_000)).length).toBeGreaterThan(0);
  });

  it("removes secrets from pairs, parameters and the data of a mechanism", () => {
    const event = new Scrubber().event(
      eventFrom({
        logentry: { message: "login %s", params: ["password=pa55"] },
        request: {
          data: [
            ["password", "pa55"],
            ["page", "2"],
          ],
          query_string: { token: "pa55", page: "2" },
        },
        exception: { values: [{ type: "E", mechanism: { type: "x", data: { token: "pa55", code: 7 } } }] },
        fingerprint: ["x", "/a?token=pa55"],
      }),
    );
    expect(JSON.stringify(event)).not.toContain("pa55");
    expect(event.request).toMatchObject({
      data: [
        ["password", scrubbed],
        ["page", "2"],
      ],
      queryString: `token=${scrubbed}&page=2`,
    });
    expect(event.exceptions[0]?.mechanism?.data).toEqual({ token: scrubbed, code: 7 });
  });

  it("removes secrets from the smaller texts of an event, and card numbers of type number", () => {
    const event = new Scrubber().event(
      eventFrom({
        server_name: "token=pa55",
        logger: "token=pa55",
        release: "shop@1 token=pa55",
        logentry: { message: "token=pa55 %s", params: ["7"] },
        exception: { values: [{ type: "E token=pa55", module: "token=pa55", value: "x" }] },
        stacktrace: { frames: [{ abs_path: "https://cdn.test/app.js?token=pa55", filename: "app.js?token=pa55" }] },
        debug_meta: {
          images: [{ type: "sourcemap", code_file: "https://cdn.test/a.js?token=pa55", debug_id: "a".repeat(32) }],
        },
        user: { id: "4111111111111111", username: "token=pa55" },
        extra: { paidWith: 4111111111111111, order: 4111111111111112 },
        contexts: { trace: { span_id: "4111111111111111", trace_id: "a".repeat(32) } },
      }),
    );
    expect(JSON.stringify(event)).not.toContain("pa55");
    expect(event.extra).toEqual({ paidWith: scrubbed, order: 4111111111111112 });
    expect(event.user?.id).toBe("4111111111111111");
    expect(event.contexts.trace?.span_id).toBe("4111111111111111");
  });

  it("removes addresses of visitors under all names that servers use, unless they may be kept", () => {
    const env = { REMOTE_ADDR: "10.0.0.9", HTTP_X_FORWARDED_FOR: "10.0.0.9", SERVER_NAME: "web-1" };
    const headers = { "X-Forwarded-For": "10.0.0.9", "CF-Connecting-IP": "10.0.0.9", Forwarded: "for=10.0.0.9" };
    const reported = eventFrom({
      request: { env, headers },
      contexts: { client: { ip_address: "10.0.0.9", ip: "10.0.0.9" } },
    });
    const clean = new Scrubber().event(reported);
    expect(JSON.stringify(clean)).not.toContain("10.0.0.9");
    expect(clean.request?.env).toEqual({ REMOTE_ADDR: scrubbed, HTTP_X_FORWARDED_FOR: scrubbed, SERVER_NAME: "web-1" });
    const kept = new Scrubber({ alsoSecret: [], keepAddresses: true }).event(reported);
    expect(kept.request?.env).toEqual(env);
    expect(kept.request?.headers).toEqual(headers);
  });

  it("removes secrets from feedback and text files, and keeps contact details and pictures", () => {
    const scrubber = new Scrubber();
    const feedback = { message: "my card is 4111111111111111", name: "Jo token=pa55", email: "jo@shop.test" };
    expect(scrubber.feedback(feedback)).toEqual({
      message: `my card is ${scrubbed}`,
      name: `Jo token=${scrubbed}`,
      email: "jo@shop.test",
    });
    const file = { filename: "a.log", contentType: "text/plain", attachmentType: "event.attachment" };
    const text = scrubber.file({ ...file, bytes: Buffer.from("GET /?token=pa55\nCookie: a=b\n") });
    expect(`${text.bytes}`).toBe(`GET /?token=${scrubbed}\nCookie: ${scrubbed}\n`);
    const picture = { ...file, bytes: Buffer.from([0xff, 0xd8, 0xff, 0xe0]) };
    expect(scrubber.file(picture)).toBe(picture);
  });

  it("leaves everything else unchanged", () => {
    const event = eventFrom({
      extra: { author: "Jo", tokenizer: "x", passenger: 2, keyboard: [1] },
      tags: { monkey: "yes" },
    });
    expect(new Scrubber().event(event).extra).toEqual({
      author: "Jo",
      tokenizer: scrubbed,
      passenger: 2,
      keyboard: [1],
    });
    expect(new Scrubber().event(event).tags).toEqual({ monkey: "yes" });
  });

  it("applies the project's own names and its setting for addresses", () => {
    const scrubber = new Scrubber({ alsoSecret: ["iban", "birth"], keepAddresses: true });
    const event = scrubber.event(eventFrom({ extra: { dateOfBirth: "1990" }, user: { ip_address: "10.0.0.1" } }));
    expect(event.extra).toEqual({ dateOfBirth: scrubbed });
    expect(event.user).toEqual({ ipAddress: "10.0.0.1" });
  });

  it("returns the same object if there is nothing to remove", () => {
    const event = eventFrom({ breadcrumbs: [{ message: "a", data: { list: [1, { b: 2 }] } }], extra: { a: [[1]] } });
    const clean = new Scrubber().event(event);
    expect(clean).toEqual(event);
    expect(clean.breadcrumbs).toBe(event.breadcrumbs);
    expect(clean.extra).toBe(event.extra);
  });

  it("decides for an unread event whether there is nothing to remove", () => {
    const scrubber = new Scrubber();
    const clean = {
      event_id: "0".repeat(32),
      message: "Order 7 is gone",
      exception: {
        values: [{ type: "Error", value: "x", stacktrace: { frames: [{ filename: "a.ts", vars: { n: 1 } }] } }],
      },
      breadcrumbs: [{ message: "a", data: { list: [1, { b: 2 }] } }],
      request: { url: "https://shop.test/?page=2", query_string: "page=2", headers: { Accept: "text/html" } },
      user: { id: "7" },
      tags: { page: "cart" },
    };
    expect(scrubber.findsNothingIn(clean)).toBe(true);
    expect(scrubber.findsNothingIn({ ...clean, user: { id: "7", ip_address: null } })).toBe(true);
    const frame = { filename: "a.ts", vars: { password: "x" } };
    const secrets: readonly object[] = [
      { user: { id: "7", ip_address: "10.0.0.1" } },
      { request: { cookies: "a=b" } },
      { request: { headers: { Cookie: "a=b" } } },
      { request: { headers: [["Cookie", "a=b"]] } },
      { request: { query_string: "token=abc" } },
      { request: { env: { REMOTE_ADDR: "10.0.0.9" } } },
      { extra: { n: 4111111111111111 } },
      { message: "card 4111-1111-1111-1111" },
      { stacktrace: { frames: [{ abs_path: "https://cdn.test/a.js?token=abc" }] } },
      { request: { query_string: [["token", "abc"]] } },
      { request: { data: { password: "x" } } },
      { tags: [["token", "abc"]] },
      { tags: { token: "abc" } },
      { extra: { deep: [{ clientSecret: "s" }] } },
      { contexts: { app: { api_key: "k" } } },
      { breadcrumbs: { values: [{ message: "GET https://u:p@db.test/" }] } },
      { exception: [{ value: "sent Bearer abcdefghijkl" }] },
      { exception: { values: [{ stacktrace: { frames: [frame] } }] } },
      { exception: { values: [{ raw_stacktrace: { frames: [frame] } }] } },
      { exception: { values: [{ mechanism: { data: { token: "x" } } }] } },
      { stacktrace: { frames: [frame] } },
      { exception: { values: [{ stacktrace: { frames: [{ filename: { token: "x" } }] } }] } },
      { exception: { values: [{ stacktrace: { frames: [{ pre_context: [{ token: "x" }] }] } }] } },
      { exception: JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`) },
      { threads: { values: [] } },
      { token: "abc" },
      { message: "see /?session_token=abc" },
      { transaction: "https://u:p@shop.test" },
      { unheardOf: "of" },
    ];
    for (const secret of secrets)
      expect(scrubber.findsNothingIn({ ...clean, ...secret }), Object.keys(secret).join()).toBe(false);
  });

  it.each(["-eyJ", "eyJ.", "?a", "://a:", "-----BEGIN PRIVATE KEY-----", "bearer "])(
    "comes to an end with a megabyte of %j",
    (part) => {
      // With a pattern that backtracks, this would exceed the time limit of the test.
      expect(new Scrubber().text(part.repeat(1_000_000 / part.length)).length).toBeGreaterThan(0);
    },
  );
});

function eventFrom(payload: unknown): ReportedEvent {
  const reading = readEvent(payload);
  if (reading.kind !== "read") throw new Error(reading.why);
  return reading.value;
}

const pieces = [
  ..."cookie,set-cookie,authorization,proxy-authorisation,bearer,basic,password,token,sid,id,navigation".split(","),
  ...[" ", " ", " ", ":", ": ", "=", '"', "'", '":"', "://", "@", "/", "\n", ".", "-", "é", "?", "&", "{", "abc", "7"],
  ...["abcdefgh", "dXNlcjpwYXNz", "eyJabcdefgh", ".abcdefgh.", "sk_", "abcdefghijklmnop", "AKIAIOSFODNN7EXAMPLE"],
  ...["4111 1111 1111 1111", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "://u:p@"],
];

/** As it is, in capitals, or each letter by chance. */
function inAnyCase(text: string, random: () => number): string {
  const how = random();
  if (how < 0.4) return text;
  if (how < 0.7) return text.toUpperCase();
  return [...text].map((sign) => (random() < 0.5 ? sign.toUpperCase() : sign.toLowerCase())).join("");
}

function byAllPatterns(text: string, scrubber: Scrubber): string {
  const { credentials, assigned, written, signedToken, privateKey, authScheme, headerLine } = textPatterns;
  let result = text
    .replace(credentials, `$1${scrubbed}@`)
    .replace(assigned, (whole, name: string) => (scrubber.isSecret(name) ? `${name}=${scrubbed}` : whole))
    .replace(written, (whole, quote: string, name: string, colon: string) =>
      scrubber.isSecret(name) ? `${quote}${name}${quote}${colon}${quote}${scrubbed}${quote}` : whole,
    )
    .replace(signedToken, scrubbed)
    .replace(privateKey, scrubbed)
    .replace(authScheme, `$1 ${scrubbed}`)
    .replace(headerLine, `$1$2${scrubbed}`);
  for (const key of namedKeys) result = result.replace(key, scrubbed);
  return withoutCardNumbers(result, scrubbed);
}
