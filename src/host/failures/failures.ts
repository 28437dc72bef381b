import type { IncomingMessage, ServerResponse } from "node:http";
import { isFromOwnPage, readBody, sendJson } from "#http";
import type { ErrorPlace, ServerSignals } from "#signals";
import { describeFailure, type Failure, type FindSource, isOfCompiler, readThrown, type Thrown } from "./failure.ts";
import { failureLines } from "./failure-lines.ts";
import { failureStyle, failureView } from "./failure-view.ts";

/**
 * Address where the overlay fetches failures and posts those of the browser. Like Vite's own addresses, no page can
 * have it.
 */
export const failuresPath = "/@holdfast/failures";

export interface FailureDeps {
  /** The application's folder. */
  root: string;
  findSource: FindSource;
  /** Sends an event to every open page. */
  send(event: string, data: unknown): void;
  /** Prints one line in the terminal. */
  print(line: string): void;
  /** Called at once; the description of the failure follows. */
  onFailure(failure: Promise<Failure>): void;
  /** Address of the console; absent where reports go to another service. */
  console(): string | undefined;
}

/** Message to the overlay. */
export interface ShownFailure {
  digest: string | undefined;
  /** Path of the page it belongs to; pages at other paths do not show it. */
  path: string | undefined;
  html: string;
  style: string;
}

/** Failures stay available because a page hydrates, and fetches its failure, only after its response. */
const failuresAtMost = 50;
/** Key of the newest failure without a digest. */
const newest = "newest";
/** Vite and the server report the same failure, one after the other. */
const sameWithinMs = 2_000;
/** Large enough for a stack and its components, however deep. */
const postedBytes = 262_144;

/** A failure and when it happened. */
export interface PastFailure {
  at: number;
  failure: Failure;
}

/** All failures since the server started: shown in the terminal and on the page that failed. */
export class Failures {
  readonly #deps: FailureDeps;
  readonly #byDigest = new Map<string, Promise<ShownFailure>>();
  #last = { what: "", atMs: 0 };
  #recent: { at: number; described: Promise<Failure> }[] = [];

  constructor(deps: FailureDeps) {
    this.#deps = deps;
  }

  /** Wraps signals so that caught errors are also shown to the developer. */
  wrapSignals(signals: ServerSignals): ServerSignals {
    return {
      ...signals,
      errorCaught: (error, place) => {
        const thrown = readThrown(error);
        if (isOfCompiler(thrown)) {
          // No code of the application has run, so there is nothing to report; only the developer sees it.
          void this.show(thrown, place);
          return { kind: "unrecorded" };
        }
        const receipt = signals.errorCaught(error, place);
        const digest = receipt.kind === "recorded" ? receipt.digest : undefined;
        // An error that reports leave out is no failure, for example a visitor who has left.
        if (digest !== undefined) void this.show(thrown, place, digest);
        return receipt;
      },
    };
  }

  /** Shows a failure in the terminal and over the pages that it belongs to. */
  async show(thrown: Thrown, place: Partial<ErrorPlace>, digest?: string): Promise<ShownFailure> {
    const described = this.#describe(thrown, place, digest);
    this.#keep(
      digest ?? newest,
      described.then((failure) => this.#shown(failure)),
    );
    this.#recent = [...this.#recent, { at: Date.now(), described }].slice(-failuresAtMost);
    this.#deps.onFailure(described);
    const failure = await described;
    this.#print(failure);
    const shown = this.#shown(failure);
    if (failure.kind !== "browser") this.#deps.send("holdfast:failure", shown);
    return shown;
  }

  /** The last failures, newest first. */
  async recent(): Promise<readonly PastFailure[]> {
    const known = await Promise.all(this.#recent.map(async ({ at, described }) => ({ at, failure: await described })));
    return known.reverse();
  }

  /** Sends a failure by its digest, or accepts one from a browser. Returns whether it handled the request. */
  handle(incoming: IncomingMessage, response: ServerResponse): boolean {
    const { pathname } = new URL(incoming.url ?? "/", "http://localhost");
    if (pathname !== failuresPath && !pathname.startsWith(`${failuresPath}/`)) return false;
    const answered =
      incoming.method === "POST" ? this.#take(incoming) : this.#byDigest.get(pathname.slice(failuresPath.length + 1));
    Promise.resolve(answered).then(
      (shown) => sendJson(response, shown ? 200 : 404, shown ?? {}),
      () => sendJson(response, 400, {}),
    );
    return true;
  }

  /** Renders the failure as a document, for a server that cannot render any page. */
  page({ html, style }: ShownFailure): string {
    return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Not running</title><style>${style}</style></head><body><div class="ground">${html}</div><script type="module">import { createHotContext } from "/@vite/client"; createHotContext("/@holdfast/failure").on("holdfast:changed", () => location.reload());</script></body></html>`;
  }

  async #take(incoming: IncomingMessage): Promise<ShownFailure | undefined> {
    // Without the check, any site could post to this address. A form cannot send JSON.
    if (!isFromOwnPage(incoming)) return undefined;
    const body = await readBody(incoming, postedBytes);
    const posted = body.kind === "refused" ? undefined : readPosted(body.text);
    return posted && this.show(posted.thrown, posted.place, posted.digest);
  }

  #describe(thrown: Thrown, place: Partial<ErrorPlace>, digest: string | undefined): Promise<Failure> {
    return describeFailure(thrown, { place, digest }, this.#deps);
  }

  #keep(digest: string, shown: Promise<ShownFailure>): void {
    this.#byDigest.set(digest, shown);
    for (const oldest of this.#byDigest.keys()) if (this.#byDigest.size > failuresAtMost) this.#byDigest.delete(oldest);
  }

  #print(failure: Failure): void {
    const what = `${failure.message} ${failure.excerpt?.path}:${failure.excerpt?.line}`;
    const atMs = performance.now();
    const again = this.#last.what === what && atMs - this.#last.atMs < sameWithinMs;
    this.#last = { what, atMs };
    if (!again) for (const line of failureLines(failure, this.#deps.console())) this.#deps.print(line);
  }

  #shown(failure: Failure): ShownFailure {
    const path = failure.kind === "compile" ? undefined : failure.address?.split("?", 1)[0];
    return {
      digest: failure.digest,
      path,
      html: failureView(failure, this.#deps.console()),
      style: failureStyle,
    };
  }
}

/** Reads the body that a page posts: an error as text, and where it happened. */
function readPosted(
  json: string,
): { thrown: Thrown; place: Partial<ErrorPlace>; digest: string | undefined } | undefined {
  const posted: unknown = JSON.parse(json);
  if (typeof posted !== "object" || posted === null) return undefined;
  const field = (name: string): string | undefined => {
    const value: unknown = Reflect.get(posted, name);
    return typeof value === "string" ? value : undefined;
  };
  const params: unknown = Reflect.get(posted, "params");
  return {
    thrown: { name: field("name") ?? "Error", message: field("message") ?? "", stack: field("stack") ?? "" },
    digest: field("digest"),
    place: {
      side: "browser",
      ...(isDuring(field("during")) && { during: field("during") as ErrorPlace["during"] }),
      ...optional("route", field("route")),
      ...optional("url", field("url")),
      ...optional("componentStack", field("componentStack")),
      ...(typeof params === "object" && params !== null && { params: textsOf(params) }),
    },
  };
}

function isDuring(word: string | undefined): boolean {
  return word !== undefined && ["render", "navigation", "hydration", "event"].includes(word);
}

function optional<Name extends string>(name: Name, value: string | undefined): Partial<Record<Name, string>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, string>);
}

function textsOf(value: object): Record<string, string> {
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, String(one)]));
}
