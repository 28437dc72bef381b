import { describe, expect, it } from "vitest";
import { readPageFiles } from "#routes";
import { browserLimits } from "../../limits.ts";
import { fetchPageData, type PageDataEvent } from "./fetch-page-data.ts";
import { LateFailure } from "./late-promises.ts";

const preamble = '{"build":"b1","route":"/orders","fresh":30000,"expires":300000,"tag":"t"}\n';
const answer = '{"kind":"page","status":200,"params":{},"data":[null,{"n":1}]}\n';
const end = '{"kind":"end"}\n';

describe("page data", () => {
  it("is reported as it arrives: progress, response, end", async () => {
    const { events, send, close } = aRequest();
    await send(preamble);
    await send("\n");
    await send(answer);
    await send(end);
    await close();
    expect(events.map(({ kind }) => kind)).toEqual(["alive", "alive", "answered", "ended"]);
    expect(events[2]).toMatchObject({ answer: { kind: "page", route: "/orders", view: { data: [null, { n: 1 }] } } });
  });

  it("may be split anywhere, even inside a character", async () => {
    const { events, sendBytes, settled } = aRequest();
    const bytes = new TextEncoder().encode(preamble + answer.replace('"n":1', '"n":"é"') + end);
    for (const byte of bytes) await sendBytes(Uint8Array.of(byte));
    await settled();
    expect(events.at(-1)?.kind).toBe("ended");
    expect(events.find(({ kind }) => kind === "answered")).toMatchObject({
      answer: { view: { data: [null, { n: "é" }] } },
    });
  });

  it("of a layout that looks like a tag is not taken for one", async () => {
    const { events, send } = aRequest();
    await send(preamble + answer.replace('[null,{"n":1}]', '["~d",["~u"]]'));
    expect(events.at(-1)).toMatchObject({ answer: { view: { data: ["~d", undefined] } } });
  });

  it("delivers late parts after the response, or their failure with its digest", async () => {
    const { events, send } = aRequest();
    await send(preamble + answer.replace('{"n":1}', '{"a":["~p",1],"b":["~p",2],"c":["~p",3]}'));
    const { a, b, c } = dataOf(events) as Record<string, Promise<unknown>>;
    await send('{"late":2,"digest":"AAAA-BBBB-CCCC"}\n{"late":1,"value":["~d",0]}\n');
    expect(await a).toEqual(new Date(0));
    await expect(b).rejects.toMatchObject({ digest: "AAAA-BBBB-CCCC" });
    await send(end);
    await expect(c).rejects.toBeInstanceOf(LateFailure);
  });

  it.each([
    [3_799, "answered"],
    [3_800, "failed"],
  ])("page data that comes after %i ms without a byte has %s", async (ms, kind) => {
    const { events, send, wait } = aRequest();
    await send(preamble);
    await wait(ms);
    await send(answer);
    expect(events[1]?.kind).toBe(kind);
  });

  it("measures silence from the last byte, so that heartbeats extend it", async () => {
    const { events, send, wait } = aRequest();
    await send(preamble);
    for (let beat = 0; beat < 20; beat++) {
      await wait(1_000);
      await send("\n");
    }
    await send(answer);
    expect(events.at(-1)?.kind).toBe("answered");
  });

  it("fails its late parts after 3,800 ms without a byte, and waits for them while heartbeats arrive", async () => {
    const { events, send, wait } = aRequest();
    await send(preamble + answer.replace('{"n":1}', '{"a":["~p",1],"b":["~p",2]}'));
    const { a, b } = dataOf(events) as Record<string, Promise<unknown>>;
    for (let beat = 0; beat < 20; beat++) {
      await wait(1_000);
      await send("\n");
    }
    await wait(3_799);
    await send('{"late":1,"value":7}\n');
    expect(await a).toBe(7);
    await wait(3_800);
    await expect(b).rejects.toBeInstanceOf(LateFailure);
    expect(events.at(-1)).toEqual({ kind: "failed", reason: "timeout-data" });
  });

  it.each([
    ["is refused", undefined, "network"],
    ["is of another kind", new Response("<p>", { headers: { "content-type": "text/html" } }), "wrong-content-type"],
    ["is empty", new Response(null, { status: 204 }), "no-content"],
    ["is a redirect of something in between", Response.error(), "wrong-content-type"],
    ["is a download", response("x", { "content-disposition": "attachment; filename=x" }), "attachment"],
    ["is no JSON", response("{]\n"), "unreadable-data"],
    ["has no preamble", response('{"hello":1}\n'), "unreadable-data"],
    ["speaks of an unknown route", response(preamble.replace("/orders", "/nowhere") + answer), "unreadable-data"],
    ["comes from another build", response(preamble.replace("b1", "b2") + answer), "build-mismatch"],
    ["ends before the answer", response(preamble), "cut-data"],
    ["is cut inside a line", response(preamble + answer.slice(0, 20)), "cut-data"],
  ])("page data that %s fails with the reason", async (_what, given, reason) => {
    const { events, settled } = aRequest(given ?? "refused");
    await settled();
    expect(events.filter(({ kind }) => kind !== "alive")).toEqual([{ kind: "failed", reason }]);
  });

  it.each([
    [429, { "retry-after": "7" }, 7_000],
    [503, {}, 60_000],
    [503, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }, 60_000],
  ])("page data with status %i and %o asks for less", async (status, headers, ms) => {
    const { events, settled } = aRequest(new Response("", { status, headers }));
    await settled();
    expect(events).toContainEqual({ kind: "slow-down", ms });
  });

  it("follows no redirect, and is marked only when it is prefetched", async () => {
    const sent: (RequestInit | undefined)[] = [];
    for (const prefetch of [true, false]) {
      const deps = {
        clock: { now: () => 0 },
        limits: browserLimits,
        setTimer: () => () => undefined,
        build: "b1",
        routes: [],
        asOf: 1,
      };
      const fetch = async (_to: unknown, init?: RequestInit) => {
        sent.push(init);
        return Response.error();
      };
      fetchPageData(
        { url: "https://app.test/orders", headers: { a: "b" }, prefetch },
        { ...deps, fetch },
        () => undefined,
      );
    }
    expect(sent).toMatchObject([
      { redirect: "manual", headers: { a: "b", Purpose: "prefetch" } },
      { redirect: "manual", headers: { a: "b" } },
    ]);
    expect(sent[1]?.headers).toEqual({ a: "b" });
  });

  it("reports nothing after it was stopped", async () => {
    const { events, send, stop } = aRequest();
    await send(preamble);
    stop();
    await send(answer);
    expect(events.map(({ kind }) => kind)).toEqual(["alive"]);
  });
});

function response(body: string, headers: Record<string, string> = {}): Response {
  return new Response(body, { headers: { "content-type": "application/vnd.holdfast.page-data", ...headers } });
}

function dataOf(events: readonly PageDataEvent[]): unknown {
  for (const event of events)
    if (event.kind === "answered" && event.answer.kind === "page") return event.answer.view.data[1];
  return undefined;
}

/** A request whose response the test sends piece by piece, on a clock that the test moves. */
function aRequest(given?: Response | "refused") {
  const pipe = new TransformStream<Uint8Array, Uint8Array>();
  const writer = pipe.writable.getWriter();
  const headers = { "content-type": "application/vnd.holdfast.page-data" };
  const events: PageDataEvent[] = [];
  const timers = new Set<{ at: number; run: () => void }>();
  let now = 0;
  // Streams work in microtasks: all of them have run when the next turn begins.
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  // After the reader is closed, a write never settles.
  const sendBytes = (bytes: Uint8Array) => Promise.race([writer.write(bytes).catch(() => undefined), settled()]);
  const stop = fetchPageData(
    { url: "https://app.test/orders", headers: {}, prefetch: false },
    {
      fetch: async () => {
        if (given === "refused") throw new TypeError("refused");
        return given ?? new Response(pipe.readable, { headers });
      },
      clock: { now: () => now },
      limits: browserLimits,
      setTimer(run, ms) {
        const timer = { at: now + ms, run };
        timers.add(timer);
        return () => timers.delete(timer);
      },
      build: "b1",
      routes: readPageFiles(["orders.tsx"]).routes,
      asOf: 1,
    },
    (event) => events.push(event),
  );
  return {
    events,
    stop,
    settled,
    sendBytes,
    async send(text: string) {
      await sendBytes(new TextEncoder().encode(text));
      await settled();
    },
    async close() {
      await Promise.race([writer.close().catch(() => undefined), settled()]);
    },
    async wait(ms: number) {
      now += ms;
      for (const timer of [...timers]) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.run();
      }
      await settled();
    },
  };
}
