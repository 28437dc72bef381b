import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { warnLine } from "./terminal.ts";

export interface TestAppOptions {
  /** The application's folder; the current one by default. */
  root?: string;
  /**
   * Receives errors of the server, line by line, as the terminal of `holdfast dev` shows them. Prints them by default.
   */
  say?: (line: string) => void;
}

/** An error on the server during a request: the reason of a 500. */
export interface TestFailure {
  name: string;
  message: string;
  /** Position in the sources: `src/pages/orders/[id].server.ts:9:24`. */
  place: string | undefined;
}

/** A response, as tests use it. */
export interface TestAnswer {
  status: number;
  headers: Headers;
  /** Body as text: a document, or the response of an API route. */
  text: string;
}

/** A page's data, as the browser gets it. */
export interface TestPageData {
  status: number;
  /** `page`, `not-found`, `error` or `redirect`. */
  kind: string;
  /** One value per enclosing layout and, last, the page's own, in wire format: dates and the like are still tagged. */
  data: readonly unknown[];
  /** Target of a redirect. */
  to: string | undefined;
}

/** The application, running in this process from its sources. Keeps cookies between requests, as a browser does. */
export interface TestApp {
  url: string;
  /** Requests a path. Does not follow redirects, so that a test sees them. */
  request(path: string, init?: RequestInit): Promise<TestAnswer>;
  /** Fetches a page's data, as a navigation in the browser does. */
  data(path: string): Promise<TestPageData>;
  /**
   * Posts a form to an action of a page, as a browser without scripts does. The name of a layout's action has the
   * layout before it: `"shop/_layout/save"`.
   */
  submit(path: string, action: string, fields: Readonly<Record<string, string>>): Promise<TestAnswer>;
  /** All errors so far, oldest first. */
  readonly failures: readonly TestFailure[];
  close(): Promise<void>;
}

/**
 * Runs an application for a test, without a build and without a browser.
 *
 * @example const app = await openTestApp(); expect((await app.request("/orders/7")).text).toContain("Order 7");
 */
export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  // Only now: tests of components import this module too, also where a library simulates a document.
  const [{ openSources }, { startDevelopment }] = await Promise.all([import("#build"), import("#host")]);
  const root = path.resolve(options.root ?? ".");
  const dataFolder = await mkdtemp(path.join(tmpdir(), "holdfast-test-"));
  const sources = await openSources({ root, watch: false });
  const failures: TestFailure[] = [];
  const pending: Promise<void>[] = [];
  const server = await startDevelopment({
    root,
    sources,
    port: 0,
    nextFreePort: false,
    host: "127.0.0.1",
    dataFolder,
    print: options.say ?? warnLine,
    onFailure: (described) => {
      pending.push(
        described.then(({ name, message, excerpt }) => {
          failures.push({ name, message, place: excerpt && `${excerpt.file}:${excerpt.line}:${excerpt.column}` });
        }),
      );
    },
  });
  const cookies = new Map<string, string>();

  const request = async (target: string, init: RequestInit = {}): Promise<TestAnswer> => {
    const headers = new Headers(init.headers);
    if (!headers.has("accept")) headers.set("accept", "text/html");
    if (cookies.size > 0 && !headers.has("cookie"))
      headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const answer = await fetch(new URL(target, server.url), { redirect: "manual", ...init, headers });
    for (const line of answer.headers.getSetCookie()) keepCookie(cookies, line);
    const text = await answer.text();
    await Promise.all(pending.splice(0));
    return { status: answer.status, headers: answer.headers, text };
  };
  return {
    url: server.url,
    request,
    data: async (target) => {
      const { pathname, search } = new URL(target, server.url);
      return readAnswer(await request(`${pathname === "/" ? "" : pathname}/_data${search}`));
    },
    submit: (target, action, fields) =>
      request(`${target === "/" ? "" : target}/_action/${encodeURI(action)}`, {
        method: "POST",
        body: new URLSearchParams(fields),
      }),
    failures,
    close: async () => {
      await server.stop();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

function keepCookie(cookies: Map<string, string>, line: string): void {
  const [pair = "", ...attributes] = line.split(";");
  const at = pair.indexOf("=");
  const name = pair.slice(0, at);
  if (attributes.some((one) => one.trim().toLowerCase() === "max-age=0")) cookies.delete(name);
  else cookies.set(name, pair.slice(at + 1));
}

function readAnswer({ status, text }: TestAnswer): TestPageData {
  const line = text.split("\n").find((one) => one.startsWith('{"kind":'));
  const answer: { kind?: unknown; data?: unknown; to?: unknown } = JSON.parse(line ?? "{}");
  return {
    status,
    kind: String(answer.kind),
    data: Array.isArray(answer.data) ? answer.data : [],
    to: typeof answer.to === "string" ? answer.to : undefined,
  };
}
