import { describe, expect, it } from "vitest";
import { silentBrowserSignals } from "#signals";
import { browserLimits } from "../../limits.ts";
import type { DataRequest, PageDataEvent } from "./fetch-page-data.ts";
import type { DataAnswer } from "./page-answer.ts";
import { type PageProgress, PageSource } from "./page-source.ts";

const a = "https://app.test/a";
const b = "https://app.test/b";

describe("a page that was prefetched", () => {
  it.each([
    [29_999, "prefetched-fresh"],
    [30_000, "prefetched-stale"],
    [299_999, "prefetched-stale"],
  ])("%i ms ago is shown without waiting, as %s", (age, source) => {
    const { prefetched, wait, click, asked } = aSource();
    prefetched(a);
    wait(age);
    expect(click(a)).toMatchObject([{ kind: "answered", source }]);
    expect(asked()).toEqual([`prefetch ${a}`]);
  });

  it("300,000 ms ago is requested again", () => {
    const { prefetched, wait, click, asked } = aSource();
    prefetched(a);
    wait(300_000);
    expect(click(a)).toEqual([]);
    expect(asked()).toEqual([`prefetch ${a}`, a]);
  });

  it("is not used when the page is reloaded", () => {
    const { prefetched, asked, click } = aSource();
    prefetched(a);
    click(a, "reload");
    expect(asked()).toEqual([`prefetch ${a}`, a]);
  });

  it("is not kept if something changed while a click had joined it", () => {
    const { source, tell, change, click, asked } = aSource();
    source.want(a, "intent");
    click(a);
    change();
    tell(a, page());
    tell(a, { kind: "ended", bytes: 100 });
    expect(click(a)).toEqual([]);
    expect(asked()).toEqual([`prefetch ${a}`, a]);
  });

  it("is dropped when something has changed, and when the visitor signs in", () => {
    const changed = aSource();
    changed.prefetched(a);
    changed.source.forget();
    expect(changed.click(a)).toEqual([]);
    const signedIn = aSource();
    signedIn.prefetched(a);
    expect(signedIn.sessions()).toBe(0);
    signedIn.prefetched(b, { tag: "someone" });
    expect(signedIn.sessions()).toBe(1);
    expect(signedIn.click(a)).toEqual([]);
    expect(signedIn.click(b)).toHaveLength(1);
  });

  it("distinguishes another known visitor from one who was unknown before", () => {
    const { prefetched, sessions, others } = aSource();
    prefetched(a, { tag: "ada" });
    prefetched(b);
    prefetched(a, { tag: "ada" });
    expect([sessions(), others()]).toEqual([2, 0]);
    prefetched(b, { tag: "bob" });
    expect([sessions(), others()]).toEqual([3, 1]);
  });

  it("a page that was prefetched as a redirect is kept and followed only by the click", () => {
    const { prefetched, click, asked } = aSource();
    prefetched(a, { answer: { kind: "redirect", to: "/login" } });
    expect(asked()).toHaveLength(1);
    expect(click(a)).toEqual([{ kind: "redirected", to: "https://app.test/login" }]);
  });

  it("a redirect answers one click: the next one asks the server, which may have left a circle", () => {
    const { prefetched, click, asked } = aSource();
    prefetched(a, { answer: { kind: "redirect", to: "/a" } });
    expect(click(a)).toEqual([{ kind: "redirected", to: a }]);
    expect(click(a)).toEqual([]);
    expect(asked()).toEqual([`prefetch ${a}`, a]);
  });

  it("keeps the windows that its page declares", () => {
    const { prefetched, click, wait } = aSource();
    prefetched(a, { fresh: 0, expires: 1_000 });
    expect(click(a)).toMatchObject([{ source: "prefetched-stale" }]);
    wait(1_000);
    expect(click(a)).toEqual([]);
  });
});

describe("a prefetch that runs", () => {
  it("is joined: one request, and its heartbeats count for the click", () => {
    const { source, click, asked, tell } = aSource();
    source.want(a, "intent");
    const news = click(a);
    tell(a, { kind: "alive" });
    tell(a, page());
    expect(news).toMatchObject([{ kind: "alive" }, { kind: "answered", source: "joined" }]);
    expect(asked()).toEqual([`prefetch ${a}`]);
  });

  it("is joined even after its response, while late parts still arrive", () => {
    const { source, click, asked, tell } = aSource();
    source.want(a, "intent");
    tell(a, page());
    expect(click(a)).toMatchObject([{ kind: "answered", source: "joined" }]);
    expect(asked()).toHaveLength(1);
  });

  it("a prefetch that runs and is lost counts as the prefetch's failure, not the click's", () => {
    const { source, click, tell } = aSource();
    source.want(a, "intent");
    const news = click(a);
    tell(a, { kind: "failed", reason: "network" });
    expect(news).toMatchObject([{ kind: "data-failed", joined: true }]);
  });

  it("a prefetch that runs and gets an error is the click's response: one request, one failure", () => {
    const { source, click, tell, asked } = aSource();
    source.want(a, "viewport");
    const news = click(a);
    tell(a, page({ status: 500 }));
    expect(news).toMatchObject([{ kind: "answered", source: "joined", page: { status: 500 } }]);
    expect(asked()).toEqual([`prefetch ${a}`]);
  });

  it.each<PageDataEvent>([{ kind: "failed", reason: "cut-data" }, page({ status: 503 })])(
    "a prefetch that runs and fails (%o) is never kept",
    (event) => {
      const { source, click, tell, asked } = aSource();
      source.want(a, "intent");
      tell(a, event);
      tell(a, { kind: "ended", bytes: 1 });
      expect(click(a)).toEqual([]);
      expect(asked()).toEqual([`prefetch ${a}`, a]);
    },
  );

  it("goes on when the click that joined it is superseded", () => {
    const { source, click, tell, asked } = aSource();
    source.want(a, "intent");
    click(a);
    source.stopPending();
    tell(a, page());
    tell(a, { kind: "ended", bytes: 1 });
    expect(click(a)).toMatchObject([{ source: "prefetched-fresh" }]);
    expect(asked()).toHaveLength(1);
  });
});

describe("a link that is pressed", () => {
  const pressed = (said: Said = { status: 500 }) => {
    const parts = aSource();
    parts.source.want(a, "press");
    parts.tell(a, page(said));
    parts.tell(a, { kind: "ended", bytes: 1 });
    return parts;
  };

  it("a link that is pressed and fails before the click has failed for the click: it is not requested again", () => {
    const { click, asked, wait } = pressed();
    wait(120);
    expect(click(a)).toMatchObject([{ kind: "answered", source: "joined", page: { status: 500 } }]);
    // The press starts the click, so the request is not marked as a prefetch.
    expect(asked()).toEqual([a]);
    // The visitor's next attempt is another click.
    expect(click(a)).toEqual([]);
    expect(asked()).toEqual([a, a]);
  });

  it("keeps its failure for the click also if its request had to wait for prefetches", () => {
    const { source, click, asked, tell } = aSource();
    const others = Array.from({ length: browserLimits.prefetchesAtOnce }, (_, at) => `https://app.test/other-${at}`);
    for (const other of others) source.want(other, "render");
    source.want(a, "press");
    expect(asked()).not.toContain(a);
    for (const other of others) tell(other, { kind: "failed", reason: "network" });
    tell(a, page({ status: 500 }));
    tell(a, { kind: "ended", bytes: 1 });
    expect(click(a)).toMatchObject([{ page: { status: 500 } }]);
    expect(asked().filter((one) => one.endsWith(a))).toEqual([a]);
  });

  it("has its request stopped with its click", () => {
    const { source, click, stopped, asked } = aSource();
    source.want(a, "press");
    click(a);
    click(b);
    expect(stopped).toEqual([a]);
    expect(asked()).toEqual([a, b]);
  });

  it("does not stop a prefetch that ran before", () => {
    const { source, click, stopped } = aSource();
    source.want(a, "intent");
    source.want(a, "press");
    click(a);
    click(b);
    expect(stopped).toEqual([]);
  });

  it("joins a prefetch that is already running", () => {
    const { source, click, asked, tell } = aSource();
    source.want(a, "viewport");
    source.want(a, "press");
    tell(a, page({ status: 500 }));
    tell(a, { kind: "ended", bytes: 1 });
    expect(click(a)).toMatchObject([{ page: { status: 500 } }]);
    expect(asked()).toEqual([`prefetch ${a}`]);
  });

  it.each<[string, (parts: ReturnType<typeof pressed>) => void]>([
    ["was held for a second", ({ wait }) => wait(1_000)],
    ["gave way to another", ({ click }) => click(b)],
    ["was followed by a change", ({ source }) => source.forget()],
    ["was followed by a sign-in", ({ prefetched }) => prefetched(b, { tag: "someone" })],
  ])("a link that is pressed and fails is requested again when it %s", (_, meanwhile) => {
    const parts = pressed();
    meanwhile(parts);
    expect(parts.click(a)).toEqual([]);
    expect(parts.asked().at(-1)).toBe(a);
  });

  it("a link that is pressed and gets no response is requested by the click", () => {
    const { source, click, tell, asked } = aSource();
    source.want(a, "press");
    tell(a, { kind: "failed", reason: "network" });
    expect(click(a)).toEqual([]);
    expect(asked()).toEqual([a, a]);
  });
});

describe("a tab that has met another build", () => {
  it.each<[string, (parts: ReturnType<typeof aSource>) => void]>([
    [
      "by a prefetch",
      ({ source, tell }) => {
        source.want(b, "intent");
        tell(b, { kind: "failed", reason: "build-mismatch" });
      },
    ],
    [
      "by a click",
      ({ click, tell }) => {
        click(b);
        tell(b, { kind: "failed", reason: "build-mismatch" });
      },
    ],
    ["by fetching anew what it shows", ({ source }) => source.outdate()],
  ])("%s uses no prefetched page and prefetches nothing more", (_how, meet) => {
    const parts = aSource();
    parts.prefetched(a);
    meet(parts);
    const before = parts.asked().length;
    parts.source.want("https://app.test/c", "intent");
    expect(parts.asked()).toHaveLength(before);
    expect(parts.click(a)).toEqual([]);
    expect(parts.asked().at(-1)).toBe(a);
  });
});

describe("a click", () => {
  it("removes its address from the queue", () => {
    const { source, click, asked } = aSource();
    source.pause(true);
    source.want(a, "viewport");
    click(a);
    source.pause(false);
    expect(asked()).toEqual([a]);
  });

  it("is not also prefetched while it is pending", () => {
    const { source, click, asked } = aSource();
    click(a);
    source.want(a, "intent");
    expect(asked()).toEqual([a]);
  });

  it("stops the request of the previous one, but lets the current page's late parts arrive until another page is shown", () => {
    const { source, click, stopped } = aSource();
    click(a);
    source.shown();
    click(b);
    expect(stopped).toEqual([]);
    source.shown();
    expect(stopped).toEqual([a]);
    click(a);
    source.stopPending();
    expect(stopped).toEqual([a, a]);
  });
});

describe("a fetcher", () => {
  it("uses what is fresh, and joins a running prefetch", () => {
    const { source, prefetched, read, asked, tell } = aSource();
    prefetched(a);
    expect(read(a)).toMatchObject([{ kind: "answered", source: "prefetched-fresh" }]);
    source.want(b, "intent");
    const news = read(b);
    expect(news).toEqual([]);
    tell(b, page());
    expect(news).toMatchObject([{ kind: "answered" }]);
    expect(asked()).toEqual([`prefetch ${a}`, `prefetch ${b}`]);
  });

  it("has one request with others of its address, which is no prefetch and is kept for a click", () => {
    const { source, read, click, asked, tell } = aSource();
    const [one, two] = [read(a), read(a)];
    source.want(a, "intent");
    tell(a, page());
    tell(a, { kind: "ended", bytes: 100 });
    expect([one, two]).toMatchObject([[{ kind: "answered" }], [{ kind: "answered" }]]);
    expect(click(a)).toMatchObject([{ kind: "answered", source: "prefetched-fresh" }]);
    expect(asked()).toEqual([a]);
  });

  it("asks again if it has to, and after a change", () => {
    const { prefetched, read, asked, change } = aSource();
    prefetched(a);
    expect(read(a, true)).toEqual([]);
    const news = read(b);
    change();
    expect(news).toMatchObject([{ kind: "data-failed", reason: "network" }]);
    read(b);
    expect(asked()).toEqual([`prefetch ${a}`, a, b, b]);
  });

  it("stops its request when no other uses it", () => {
    const { source, stopped } = aSource();
    const stops = [1, 2].map(() => source.read(a, false, () => undefined));
    stops[0]?.();
    expect(stopped).toEqual([]);
    stops[1]?.();
    expect(stopped).toEqual([a]);
  });
});

describe("a busy server", () => {
  it("gets no prefetches for the time it named", () => {
    const { source, tell, asked, wait } = aSource();
    source.want(a, "intent");
    tell(a, { kind: "slow-down", ms: 10_000 });
    tell(a, { kind: "failed", reason: "wrong-content-type" });
    source.want(b, "intent");
    expect(asked()).toHaveLength(1);
    wait(10_000);
    source.want(b, "intent");
    expect(asked()).toHaveLength(2);
  });
});

interface Said {
  status?: number;
  tag?: string;
  fresh?: number;
  expires?: number;
  answer?: DataAnswer;
}

function page(said: Said = {}): Extract<PageDataEvent, { kind: "answered" }> {
  const { status = 200, tag = "", fresh = 30_000, expires = 300_000 } = said;
  const preamble = { build: "b1", route: "/a", fresh, expires, tag };
  const view = { kind: "page", status, route: 0, params: {}, folders: [], data: [] } as const;
  const answer: DataAnswer = said.answer ?? {
    kind: "page",
    view,
    preamble,
    text: "",
    sentAt: 0,
    asOf: 0,
    route: "/a",
    status,
    plain: true,
  };
  return { kind: "answered", preamble, answer };
}

function aSource() {
  let now = 0;
  let clock = 0;
  let sessions = 0;
  let others = 0;
  const requests: { request: DataRequest; tell: (event: PageDataEvent) => void }[] = [];
  const stopped: string[] = [];
  const source = new PageSource({
    limits: browserLimits,
    now: () => now,
    build: "b1",
    signals: silentBrowserSignals,
    request(request, tell) {
      requests.push({ request, tell });
      return () => stopped.push(request.url);
    },
    headers: () => ({}),
    warmCode: () => undefined,
    clock: () => clock,
    isInDoubt: (asOf) => asOf < clock,
    sessionChanged(known) {
      sessions += 1;
      others += known ? 1 : 0;
    },
  });
  const tell = (url: string, event: PageDataEvent) =>
    requests.findLast(({ request }) => request.url === url)?.tell(event);
  return {
    source,
    stopped,
    tell,
    sessions: () => sessions,
    others: () => others,
    change() {
      clock += 1;
      source.forget();
    },
    asked: () => requests.map(({ request }) => (request.prefetch ? `prefetch ${request.url}` : request.url)),
    wait(ms: number) {
      now += ms;
    },
    click(to: string, how: "push" | "reload" = "push"): PageProgress[] {
      const news: PageProgress[] = [];
      source.get(1, { to, how }, false, (one) => news.push(one));
      return news;
    },
    read(url: string, refetch = false): PageProgress[] {
      const news: PageProgress[] = [];
      source.read(url, refetch, (one) => news.push(one));
      return news;
    },
    prefetched(url: string, said?: Said) {
      source.want(url, "intent");
      tell(url, page(said));
      tell(url, { kind: "ended", bytes: 100 });
    },
  };
}
