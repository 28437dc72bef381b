import type { IncomingMessage, ServerResponse } from "node:http";
import { isFromOwnPage, readBody, sendJson } from "#http";
import type { ErrorPlace, ServerSignals } from "#signals";
import { describeFailure, type Failure, type FindSource, isOfCompiler, readThrown, type Thrown } from "./failure.ts";
import { failureLines } from "./failure-lines.ts";
import { failureStyle, failureView } from "./failure-view.ts";

/**
 * Where the overlay asks for failures and tells of those it saw. Beside Vite's own addresses, which no page can have
 * either.
 */
export const failuresPath = "/@holdfast/failures";

export interface FailureDeps {
  /** The application's folder. */
  root: string;
  findSource: FindSource;
  /** Tells every open page. */
  tell(event: string, data: unknown): void;
  /** One line of the terminal. */
  say(line: string): void;
  /** Called at once; the failure is described a moment later. */
  failed(failure: Promise<Failure>): void;
  /** Where the console is; absent where reports go elsewhere. */
  console(): string | undefined;
}

/** What the overlay is sent. */
export interface ShownFailure {
  digest: string | undefined;
  /** Path of the page it belongs to; a page at another path has no reason to show it. */
  path: string | undefined;
  html: string;
  style: string;
}

/** The overlay opens with the page that broke, which is made alive after it was sent. */
const kept = 50;
/** The name of what has no digest. */
const newest = "newest";
/** Vite and the server fail by the same line, one after the other. */
const sameWithinMs = 2_000;
/** A stack and its components, however deep. */
const postedBytes = 262_144;

/** All failures since the server was started: shown in the terminal, and on the page that broke. */
export class Failures {
  readonly #around: FailureDeps;
  readonly #byDigest = new Map<string, Promise<ShownFailure>>();
  #last = { what: "", atMs: 0 };

  constructor(deps: FailureDeps) {
    this.#around = deps;
  }

  /** The same signals; what is caught is shown to the developer too. */
  overhear(signals: ServerSignals): ServerSignals {
    return {
      ...signals,
      errorCaught: (error, place) => {
        const thrown = readThrown(error);
        if (isOfCompiler(thrown)) {
          // Nothing of the application ran, so there is nothing to report; the developer sees it all the same.
          void this.show(thrown, place);
          return { kind: "unrecorded" };
        }
        const receipt = signals.errorCaught(error, place);
        const digest = receipt.kind === "recorded" ? receipt.digest : undefined;
        // Left out of reports means that nothing broke: a visitor who has gone.
        if (digest !== undefined) void this.show(thrown, place, digest);
        return receipt;
      },
    };
  }

  /** In the terminal and over the pages it belongs to. */
  async show(thrown: Thrown, place: Partial<ErrorPlace>, digest?: string): Promise<ShownFailure> {
    const described = this.#describe(thrown, place, digest);
    this.#keep(
      digest ?? newest,
      described.then((failure) => this.#shown(failure)),
    );
    this.#around.failed(described);
    const failure = await described;
    this.#say(failure);
    const shown = this.#shown(failure);
    if (failure.kind !== "browser") this.#around.tell("holdfast:failure", shown);
    return shown;
  }

  /** A failure by its digest, or one that a browser tells of; whether this was such a request. */
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

  /** The whole of it as a document: for a server that cannot make any page at all. */
  page({ html, style }: ShownFailure): string {
    return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Not running</title><style>${style}</style></head><body><div class="ground">${html}</div><script type="module">import { createHotContext } from "/@vite/client"; createHotContext("/@holdfast/failure").on("holdfast:changed", () => location.reload());</script></body></html>`;
  }

  async #take(incoming: IncomingMessage): Promise<ShownFailure | undefined> {
    // Any site could post here otherwise, and a form cannot send JSON.
    if (!isFromOwnPage(incoming)) return undefined;
    const body = await readBody(incoming, postedBytes);
    const told = body.kind === "refused" ? undefined : readTold(body.text);
    return told && this.show(told.thrown, told.place, told.digest);
  }

  #describe(thrown: Thrown, place: Partial<ErrorPlace>, digest: string | undefined): Promise<Failure> {
    return describeFailure(thrown, { place, digest }, this.#around);
  }

  #keep(digest: string, shown: Promise<ShownFailure>): void {
    this.#byDigest.set(digest, shown);
    for (const oldest of this.#byDigest.keys()) if (this.#byDigest.size > kept) this.#byDigest.delete(oldest);
  }

  #say(failure: Failure): void {
    const what = `${failure.message} ${failure.excerpt?.path}:${failure.excerpt?.line}`;
    const atMs = performance.now();
    const again = this.#last.what === what && atMs - this.#last.atMs < sameWithinMs;
    this.#last = { what, atMs };
    if (!again) for (const line of failureLines(failure, this.#around.console())) this.#around.say(line);
  }

  #shown(failure: Failure): ShownFailure {
    const path = failure.kind === "compile" ? undefined : failure.address?.split("?", 1)[0];
    return {
      digest: failure.digest,
      path,
      html: failureView(failure, this.#around.console()),
      style: failureStyle,
    };
  }
}

/** What a page posts: an error as text, and where it was. */
function readTold(
  json: string,
): { thrown: Thrown; place: Partial<ErrorPlace>; digest: string | undefined } | undefined {
  const told: unknown = JSON.parse(json);
  if (typeof told !== "object" || told === null) return undefined;
  const field = (name: string): string | undefined => {
    const value: unknown = Reflect.get(told, name);
    return typeof value === "string" ? value : undefined;
  };
  const params: unknown = Reflect.get(told, "params");
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
