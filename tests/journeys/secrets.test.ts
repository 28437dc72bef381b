import { expect } from "vitest";
import { application, journeyThrough, type ReceivedItem, receiver, startApp } from "../kit/index.ts";

const service = await receiver();

/** Each in one place only, so that a leak shows its origin. */
const planted = {
  cookie: "planted-cookie-4c1b",
  authorization: "planted-authorization-91d0",
  address: "203.0.113.77",
  pathOnServer: "planted-path-on-server-77aa",
  pathInBrowser: "planted-path-in-browser-0f3e",
  queryOnServer: "planted-query-on-server-1b2c",
  queryInBrowser: "planted-query-in-browser-5d6e",
  bodyField: "planted-body-field-aa01",
  bodyPassword: "planted-body-password-aa02",
  serverMessage: "planted-server-message-b103",
  serverCause: "planted-server-cause-b104",
  serverStep: "planted-server-step-b105",
  serverExtra: "planted-server-extra-b106",
  spanData: "planted-span-data-b107",
  logText: "planted-log-text-b108",
  logData: "planted-log-data-b109",
  sql: "planted-sql-b110",
  call: "planted-call-b111",
  callCredentials: "planted-call-credentials-b112",
  thrownObject: "planted-thrown-object-b113",
  card: "4111 1111 1111 1111",
  cardAsNumber: "5555555555554444",
  mail: "planted.mail@example.org",
  browserMessage: "planted-browser-message-c201",
  browserStep: "planted-browser-step-c202",
  browserExtra: "planted-browser-extra-c203",
  browserSpan: "planted-browser-span-c204",
  browserLog: "planted-browser-log-c205",
  browserFetch: "planted-browser-fetch-c206",
  console: "planted-console-c207",
  storedCard: "378282246310005",
  typed: "planted-typed-c208",
  own: "planted-by-a-rule-of-its-own-c209",
  note: "planted-note-c210",
  nested: "planted nested d301",
  tag: "planted-tag-d302",
  user: "planted-user-d303",
  sqlComment: "planted-sql-comment-d304",
  amazon: "AKIAPLANTEDKEYD305AB",
  cookieLine: "planted-cookie-line-d306",
  encodedMail: "planted.encoded@example.org",
  fragment: "planted-fragment-d308",
  spanName: "planted-span-name-d309",
  older: "planted-older-request-d310",
  list: "planted-list-d311",
  invite: "planted-invite-d312",
} as const;

const app = application({
  "holdfast.config.ts": `export default { report: { dsn: process.env.TEST_DSN, sampleRate: 1, release: "r1", scrub: ["nickname"] } };`,
  "src/pages/index.tsx": `
    import { Link } from "holdfast";
    export default function Home() { return <><h1>Home</h1><Link to="/reset/${planted.pathInBrowser}?access_token=${planted.queryInBrowser}">Reset</Link></>; }`,
  "src/pages/reset/[token].tsx": `
    import { addStep, captureError, log, span } from "holdfast/report";
    export default function Reset() {
      const fail = async () => {
        addStep("typed", { password: "${planted.browserStep}", nickname: "${planted.own}" });
        console.error("could not send token: ${planted.console}");
        await fetch("/api/echo?api_key=${planted.browserFetch}");
        await fetch("/api/echo?email=" + encodeURIComponent("${planted.encodedMail}"));
        await new Promise((resolve) => { const older = new XMLHttpRequest(); older.onload = resolve; older.open("GET", "/api/echo?token=${planted.older}"); older.send(); });
        location.hash = "access_token=${planted.fragment}";
        log("info", "sent secret=${planted.browserLog}", { authToken: "${planted.browserLog}" });
        await span("send", async () => undefined, { sessionId: "${planted.browserSpan}" });
        captureError(new Error("reported with password=${planted.browserMessage} by ${planted.mail}"), { extra: { apiKey: "${planted.browserExtra}", paid: ${planted.storedCard} } });
        throw new Error("thrown with card ${planted.card}");
      };
      return <><h1>Reset</h1><label>Word <input name="word" /></label><button type="button" onClick={() => void fail()}>Fail</button></>;
    }`,
  "src/pages/reset/[token].server.ts": `
    import { DatabaseSync } from "node:sqlite";
    import { action, load } from "holdfast/server";
    import { addStep, captureError, captureMessage, log, setUser, span } from "holdfast/report";
    const database = new DatabaseSync(":memory:");
    export const data = load("/reset/[token]", async ({ params }) => {
      if (params.token !== "${planted.pathOnServer}") return { well: true };
      addStep("looked up", { passwd: "${planted.serverStep}" });
      database.prepare("select '${planted.sql}' as word, ${planted.cardAsNumber} as card").get();
      await fetch("http://127.0.0.1:65000/call?api_key=${planted.call}").catch(() => undefined);
      setUser({ id: "u1", password: "${planted.user}" });
      database.prepare("-- it's fine\\nselect '${planted.sqlComment}' as word").get();
      captureMessage(JSON.stringify({ body: JSON.stringify({ password: "${planted.nested}", tokens: ["${planted.list}"] }) }));
      captureMessage("signed with ${planted.amazon}", "info", { tags: { note: "token=${planted.tag}" } });
      log("info", "sent Cookie: theme=dark; id=${planted.cookieLine}");
      span("pay with token=${planted.spanName}", () => 1);
      span("check", () => 1, { clientSecret: "${planted.spanData}" });
      log("warning", "refused jwt=${planted.logText}", { refresh_token: "${planted.logData}" });
      captureMessage("paid with ${planted.card} by ${planted.mail}", "warning", { extra: { paid: ${planted.cardAsNumber} } });
      captureError({ password: "${planted.thrownObject}" });
      throw new Error("cannot reset with password=${planted.serverMessage} at https://app:${planted.callCredentials}@peer.example/", { cause: new TypeError("secret: ${planted.serverCause}") });
    });
    export const actions = { change: action({}, async () => { throw new RangeError("changing failed"); }) };`,
  "src/pages/api/echo.server.ts": `export const GET = () => new Response("well");`,
});

const test = journeyThrough(async () => {
  const running = await startApp({ app, env: { TEST_DSN: service.dsn } });
  const stop = running.stop.bind(running);
  return Object.assign(running, {
    stop: async () => {
      await stop();
      await service.stop();
    },
  });
});

const isError =
  (text: string) =>
  (item: ReceivedItem): boolean =>
    item.type === "event" && JSON.stringify(item.value).includes(text);

test("nothing secret leaves the application, from any reporter", async ({ app: running, visit }) => {
  const headers = {
    authorization: `Bearer ${planted.authorization}`,
    cookie: `session=${planted.cookie}`,
    "x-forwarded-for": planted.address,
    origin: running.url,
  };
  const broken = await fetch(`${running.url}/reset/${planted.pathOnServer}?token=${planted.queryOnServer}`, {
    headers,
  });
  expect(broken.status).toBe(500);
  const changed = await fetch(`${running.url}/reset/x/_action/change`, {
    method: "POST",
    headers,
    body: new URLSearchParams({ field: planted.bodyField, password: planted.bodyPassword }),
  });
  expect(changed.status).toBe(500);
  const digest = broken.headers.get("x-digest") ?? "";
  await fetch(`${running.url}/_holdfast/note`, {
    method: "POST",
    headers,
    body: new URLSearchParams({ digest, note: `my password=${planted.note}, write to me` }),
  });

  const visitor = await visit("/", { extraHTTPHeaders: { authorization: headers.authorization } });
  visitor.expecting(/could not send token/, /thrown with card/);
  await visitor.page.context().addCookies([{ name: "session", value: planted.cookie, url: visitor.page.url() }]);
  await visitor.isAlive();
  await visitor.clickLink("Reset");
  await visitor.sees("Reset");
  await visitor.fillIn("Word", planted.typed);
  await visitor.pressButton("Fail");
  await service.until(isError("thrown with card"));
  await visitor.page.goto("about:blank");

  // All of it has arrived, each with its context.
  for (const text of [
    "cannot reset with",
    "signed with",
    "paid with",
    "keys: password",
    "changing failed",
    "reported with",
  ])
    await service.until(isError(text));
  await service.until(({ type }) => type === "log", 2);
  await service.until(({ type, value }) => type === "transaction" && value.transaction === "GET /reset/[token]");
  await service.until(({ type, value }) => type === "transaction" && value.transaction === "/reset/[token]");
  await service.until(
    ({ type, value }) => type === "feedback" && value.contexts.feedback.message.includes("write to me"),
  );

  const everything = service.raw.join("\n");
  const leaks = Object.entries(planted).filter(
    ([, secret]) => everything.includes(secret) || everything.includes(encodeURIComponent(secret)),
  );
  expect(leaks.map(([place]) => place)).toEqual([]);

  // Nor is it in the log, whose reader must not be able to set a visitor's password or to use an invite.
  await fetch(`${running.url}/_holdfast/welcome/${planted.invite}`);
  await expect.poll(() => running.log).toContain('"path":"/_holdfast/welcome/[left-out]"');
  expect(running.log).toContain('"path":"/reset/[left-out]"');
  expect(Object.entries(planted).filter(([, secret]) => running.log.includes(secret))).toEqual([]);
}, 180_000);
