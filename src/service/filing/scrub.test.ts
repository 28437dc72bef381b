import { describe, expect, it } from "vitest";
import { type ReportedEvent, readEvent } from "#protocol";
import { Scrubber, scrubbed } from "./scrub.ts";

describe("scrubbing", () => {
  it("takes out what stands under a secret name, wherever it stands", () => {
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
  ])("knows the shape of secrets in a text: %s", (text, expected) => {
    expect(new Scrubber().text(text)).toBe(expected);
  });

  it.each([
    "Unexpected token = in JSON at position 3",
    "tokens.map((token)=>token.text)",
    'Unexpected token "}": expected a value',
    "x == y, a=1 b=2 c='3'",
    "password must have 8 letters",
  ])("leaves a sentence alone: %s", (text) => {
    expect(new Scrubber().text(text)).toBe(text);
  });

  it.each(["a=", "=", '"a":', "'", "a.b=", "https://", '"a"'])("comes to an end with a long text of %j", (part) => {
    expect(new Scrubber().text(part.repeat(30_000)).length).toBeGreaterThan(0);
  });

  it("takes secrets out of pairs, parameters and what a mechanism says", () => {
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

  it("leaves the rest alone", () => {
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

  it("obeys the project's own names and its wish to keep addresses", () => {
    const scrubber = new Scrubber({ alsoSecret: ["iban", "birth"], keepAddresses: true });
    const event = scrubber.event(eventFrom({ extra: { dateOfBirth: "1990" }, user: { ip_address: "10.0.0.1" } }));
    expect(event.extra).toEqual({ dateOfBirth: scrubbed });
    expect(event.user).toEqual({ ipAddress: "10.0.0.1" });
  });

  it("changes nothing when there is nothing to take out", () => {
    const event = eventFrom({ breadcrumbs: [{ message: "a", data: { list: [1, { b: 2 }] } }], extra: { a: [[1]] } });
    const clean = new Scrubber().event(event);
    expect(clean).toEqual(event);
    expect(clean.breadcrumbs).toBe(event.breadcrumbs);
    expect(clean.extra).toBe(event.extra);
  });

  it("knows of an event as it came whether there is nothing to take out", () => {
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
      // With a pattern that walks its text again and again this would not end before the test is given up.
      expect(new Scrubber().text(part.repeat(1_000_000 / part.length)).length).toBeGreaterThan(0);
    },
  );
});

function eventFrom(payload: unknown): ReportedEvent {
  const reading = readEvent(payload);
  if (reading.kind !== "read") throw new Error(reading.why);
  return reading.value;
}
