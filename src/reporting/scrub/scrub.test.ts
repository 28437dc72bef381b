import { describe, expect, test } from "vitest";
import { createScrub } from "./scrub.ts";
import { leftOut } from "./secret-path.ts";

const scrub = createScrub();

describe("in an outgoing report", () => {
  test.each([
    "password",
    "userPassword",
    "passwd",
    "pwd",
    "secret",
    "client_secret",
    "accessToken",
    "refresh_token",
    "apiKey",
    "x-api-key",
    "Authorization",
    "auth",
    "Cookie",
    "set-cookie",
    "csrf",
    "sessionId",
    "session_key",
    "cardNumber",
    "card_no",
    "cvv",
    "iban",
    "ssn",
    "ip_address",
    "X-Forwarded-For",
    "remoteAddr",
    "privateKey",
    "otp",
    "jwt",
  ])("the value of %s is removed", (name) => {
    expect(scrub.value({ [name]: "hunter2", list: [{ [name]: 7 }] })).toEqual({
      [name]: leftOut,
      list: [{ [name]: leftOut }],
    });
  });

  test.each(["author", "passenger", "keyboard", "session", "order", "description", "discard", "pinned", "zip", "id"])(
    "the value of %s stays",
    (name) => {
      expect(scrub.value({ [name]: "plain" })).toEqual({ [name]: "plain" });
    },
  );

  test.each([
    ["a login failed with password=hunter2 for 7", `a login failed with password=${leftOut} for 7`],
    ['{"apiKey":"abc","id":7}', `{"apiKey":"${leftOut}","id":7}`],
    ["/reset?token=abc&page=2", `/reset?token=${leftOut}&page=2`],
    ["https://shop.example/reset?token=hunter2&page=2", `https://shop.example/reset?token=${leftOut}&page=2`],
    ["GET http://localhost:3000/api?api_key=hunter2#top", `GET http://localhost:3000/api?api_key=${leftOut}`],
    ["Authorization: Bearer abcdefghijkl", `Authorization: ${leftOut}`],
    ["sent Bearer abcdefghijklmnop to it", `sent Bearer ${leftOut} to it`],
    ["BASIC ABCDEFGHIJKL", `BASIC ${leftOut}`],
    ["AUTHORIZATION: BEARER ABCDEFGHIJKL", `AUTHORIZATION: ${leftOut}`],
    ["COOKIE: session hunter2", `COOKIE: ${leftOut}`],
    ["PASSWORD=hunter2 TOKEN%3DHUNTER2", `PASSWORD=${leftOut} TOKEN%3D${leftOut}`],
    ["pwd=abc", `pwd=${leftOut}`],
    ["a@b.de", leftOut],
    ["postgres://app:hunter2@db/shop", `postgres://app:${leftOut}@db/shop`],
    ["card 4111 1111 1111 1111 refused", `card ${leftOut} refused`],
    ["card 4111111111111111", `card ${leftOut}`],
    ["no account for ada.lovelace+1@mail.example.org!", `no account for ${leftOut}!`],
    ["/login?email=ada%40mail.example.org&x=1", `/login?email=${leftOut}&x=1`],
    ['{"password":"abcdefgh hunter2 \\" hunter2","id":7}', `{"password":"${leftOut}","id":7}`],
    ["{ password: 'the hunter2 word', id: 7 }", `{ password: '${leftOut}', id: 7 }`],
    ['"{\\"password\\":\\"hunter2 abcdefgh\\",\\"id\\":7}"', `"{\\"password\\":\\"${leftOut}\\",\\"id\\":7}"`],
    ['{"tokens":["hunter2",{"a":["hunter2"]}],"id":7}', `{"tokens":${leftOut},"id":7}`],
    [`token=${"hunter2".repeat(200)} was wrong`, `token=${leftOut} was wrong`],
    ["/go?to=%2Freset%3Ftoken%3Dhunter2", `/go?to=%2Freset%3Ftoken%3D${leftOut}`],
    ["Cookie: theme=dark; id=hunter2\nHost: shop", `Cookie: ${leftOut}\nHost: shop`],
    ["authorization: Token hunter2", `authorization: ${leftOut}`],
    ["<user><password>hunter2</password></user>", `<user><password>${leftOut}</password></user>`],
    [":password=>'hunter2'", `:password=>'${leftOut}'`],
    ["mailer { user: ada, pass: hunter2 }", `mailer { user: ada, pass: ${leftOut} }`],
    ["AKIAIOSFODNN7EXAMPLE may not", `${leftOut} may not`],
    [`github_pat_${"a1".repeat(20)} expired`, `${leftOut} expired`],
    ["-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY----- read", `${leftOut} read`],
    ["card 4111-1111-1111-1111", `card ${leftOut}`],
    ["pan_4111.1111.1111.1111", `pan_${leftOut}`],
  ])("%s", (text, clean) => {
    expect(scrub.text(text)).not.toContain("hunter2");
    expect(scrub.text(text)).not.toContain("abcdefgh");
    expect(scrub.text(text)).toBe(clean);
  });

  test.each([
    "order 1234567890123456 is late",
    "at 1763183354003 it was late",
    "/app/node_modules/.pnpm/react@19.3.1/node_modules/react/index.js",
    "shop@v1.4.2-rc.next",
    "https://cdn.example/vue@3.4.0.js failed, /img/logo@2x.png too",
    "at 2026-11-15T10:00:00.000Z",
    "https://shop.example/orders/7?page=2",
    "TypeError: x is not a function",
    "token: ",
    "a=1&b=2",
    "the token is > 5 characters",
    "npm_config_user_agent_of_this_machine",
    "trace 4bf92f3577b34da6a3ce929d0e0e4736-4111111111111111a",
  ])("an ordinary text stays unchanged: %s", (text) => {
    expect(scrub.text(text)).toBe(text);
  });

  test("the application's own names apply too", () => {
    const own = createScrub({ rules: ["maiden", /^nick/gi] });
    expect(own.value({ maidenName: "a", nickname: "b", name: "c" })).toEqual({
      maidenName: leftOut,
      nickname: leftOut,
      name: "c",
    });
    expect(own.value({ nickname: "b" })).toEqual({ nickname: leftOut });
  });

  test("an attribute stays an attribute", () => {
    expect(scrub.value({ attributes: { authToken: { value: "hunter2", type: "string" } } })).toEqual({
      attributes: { authToken: { value: leftOut, type: "string" } },
    });
  });

  test("a card is one also as a number", () => {
    expect(scrub.value({ order: 4111111111111111, at: 1763183354003, count: 7 })).toEqual({
      order: leftOut,
      at: 1763183354003,
      count: 7,
    });
  });

  test("an id of a span stays, even if it looks like a card number", () => {
    const span = { span_id: "4111111111111111", parent_span_id: "5555555555554444" };
    expect(scrub.value({ spans: [span] })).toEqual({ spans: [span] });
    expect(scrub.value({ span_id: "4111 1111 1111 1111" })).toEqual({ span_id: leftOut });
  });

  test("a text of a megabyte is scanned quickly, whatever it contains", () => {
    const learned = createScrub();
    learned.learnRoutes(["/reset/[token]", "/[token]", "/a/[...secret]"]);
    const parts = [
      "a",
      "aa=",
      "-eyJ",
      "eyJaaaaaaaa.",
      "4 ",
      "://a:",
      "a@",
      "a.",
      "Bearer ",
      "ab  :",
      'ab\\"',
      "x=[",
      "token='",
      "/reset/",
    ];
    // Quadratic time would take minutes.
    for (const part of parts) expect(learned.text(part.repeat(1_000_000 / part.length))).not.toBe("");
  });

  test("a mail address stays in the application's details about its visitor, and a password does not", () => {
    expect(scrub.person({ email: "ada@example.org", token: "hunter2" })).toEqual({
      email: "ada@example.org",
      token: leftOut,
    });
  });

  test.each([
    ["/reset/hunter2", `/reset/${leftOut}`],
    ["/reset/hunter2/_data?x=1", `/reset/${leftOut}/_data?x=1`],
    ["left / for https://shop.example/reset/hunter2 (push)", `left / for https://shop.example/reset/${leftOut} (push)`],
    ["GET /teams/7/invite/hunter2", `GET /teams/7/invite/${leftOut}`],
    ["/reset/[token]", "/reset/[token]"],
    ["/resets/7", "/resets/7"],
    ["/join/hunter2 and /join", `/join/${leftOut} and /join`],
    ["/de/verify/hunter2 and /verify/hunter2", `/de/verify/${leftOut} and /verify/${leftOut}`],
    ["/app/dist/server/chunk.js", "/app/dist/server/chunk.js"],
  ])("a secret parameter of a route is removed from its addresses: %s", (text, clean) => {
    const own = createScrub();
    const optional = ["/join/[[token]]", "/[[lang]]/verify/[token=hex]"];
    own.learnRoutes(["/", "/reset/[token]", "/teams/[id]/invite/[secret]", "/orders/[id]", ...optional]);
    expect(own.text(text)).toBe(clean);
  });

  test("a route that consists of a secret only hides whole addresses", () => {
    const own = createScrub();
    own.learnRoutes(["/[token]"]);
    expect(own.text("opened /hunter2secret")).toBe(`opened /${leftOut}`);
    expect(own.text("/app/dist/server/chunk.js")).toBe("/app/dist/server/chunk.js");
  });

  test("addresses of visitors stay if that is enabled", () => {
    expect(createScrub({ keepAddresses: true }).value({ ip_address: "192.0.2.1" })).toEqual({
      ip_address: "192.0.2.1",
    });
  });
});
