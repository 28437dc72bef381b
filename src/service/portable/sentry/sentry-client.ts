import { setTimeout as wait } from "node:timers/promises";
import { messageOf } from "#errors";
import { isObject, type JsonObject } from "#protocol";
import { serviceErrors } from "../../errors.ts";

export interface SentryOptions {
  /** `https://sentry.example` */
  readonly url: string;
  readonly org: string;
  readonly project: string;
  readonly token: string;
  /** Replaced by tests. */
  readonly pause?: (ms: number) => Promise<unknown>;
  readonly onRepeat?: (why: string) => void;
}

/** A page of a list, and the cursor of the next one. */
export interface SentryPage {
  readonly items: readonly JsonObject[];
  readonly next: string | undefined;
}

/** Pauses after failures in a row: two minutes in all. A server that limits its clients says how long to wait. */
const pausesMs = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000] as const;
/** A longer wait is a fault of the server, or of its clock. */
const longestWaitMs = 600_000;
const answerMs = 60_000;
/** As much as Sentry sends at once. */
const pageSize = 100;

/** Reads the API of Sentry, or of a server like it. */
export class SentryClient {
  readonly #options: SentryOptions;
  readonly #pause: (ms: number) => Promise<unknown>;

  constructor(options: SentryOptions) {
    this.#options = options;
    this.#pause = options.pause ?? wait;
  }

  /** Issues of every state. Without a query, Sentry would leave out resolved and ignored ones. */
  issues(cursor: string | undefined): Promise<SentryPage> {
    const { org, project } = this.#options;
    return this.#list(`/api/0/projects/${encodeURIComponent(org)}/${encodeURIComponent(project)}/issues/`, {
      query: "",
      limit: String(pageSize),
      cursor,
    });
  }

  /** Whole events, newest first. */
  events(issue: string, cursor: string | undefined, limit: number): Promise<SentryPage> {
    return this.#list(this.#issuePath(issue, "events"), {
      full: "true",
      limit: String(Math.min(limit, pageSize)),
      cursor,
    });
  }

  comments(issue: string): Promise<SentryPage> {
    return this.#list(this.#issuePath(issue, "comments"), {});
  }

  #issuePath(issue: string, what: "events" | "comments"): string {
    return `/api/0/organizations/${encodeURIComponent(this.#options.org)}/issues/${encodeURIComponent(issue)}/${what}/`;
  }

  async #list(path: string, search: Readonly<Record<string, string | undefined>>): Promise<SentryPage> {
    const address = new URL(path, this.#options.url);
    for (const [name, value] of Object.entries(search)) if (value !== undefined) address.searchParams.set(name, value);
    for (let failures = 0; ; failures += 1) {
      const answer = await this.#ask(address);
      if (answer.kind === "page") return answer.page;
      const pause = pausesMs[failures];
      // A limit that passes is no failure, however often it is met.
      if (answer.waitMs !== undefined) failures -= 1;
      else if (pause === undefined) throw serviceErrors.sentryFailed(address.origin, answer.why);
      this.#options.onRepeat?.(answer.why);
      await this.#pause(answer.waitMs ?? pause ?? 0);
    }
  }

  async #ask(
    address: URL,
  ): Promise<
    | { readonly kind: "page"; readonly page: SentryPage }
    | { readonly kind: "again"; readonly why: string; readonly waitMs: number | undefined }
  > {
    try {
      const response = await fetch(address, {
        headers: { Authorization: `Bearer ${this.#options.token}`, Accept: "application/json" },
        signal: AbortSignal.timeout(answerMs),
        // A token is not sent to another server.
        redirect: "error",
      });
      const { status } = response;
      if (status === 429)
        return { kind: "again", why: "The server limits its clients.", waitMs: waitOf(response.headers) };
      if (status >= 500) return { kind: "again", why: `The server answered ${status}.`, waitMs: undefined };
      if (!response.ok) throw new Refused(status);
      const value: unknown = await response.json();
      if (!Array.isArray(value)) throw serviceErrors.sentryFailed(address.origin, "The answer is no list");
      return { kind: "page", page: { items: value.filter(isObject), next: nextIn(response.headers.get("link")) } };
    } catch (error) {
      if (error instanceof Refused) throw serviceErrors.sentryRefused(address.origin + address.pathname, error.status);
      if (error instanceof Error && "code" in error && String(error.code).startsWith("service-")) throw error;
      return { kind: "again", why: messageOf(error), waitMs: undefined };
    }
  }
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The server answered ${status}.`);
    this.status = status;
  }
}

/** Seconds, or the time at which the limit ends. */
function waitOf(headers: Headers): number {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const until = Number(headers.get("x-sentry-rate-limit-reset") ?? Number.NaN) * 1_000 - Date.now();
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Number.isFinite(until) ? until : 1_000;
  return Math.min(Math.max(ms, 100), longestWaitMs);
}

/** `<https://…>; rel="next"; results="true"; cursor="0:100:0"` */
function nextIn(link: string | null): string | undefined {
  const next = link?.split(/,\s*(?=<)/).find((part) => /;\s*rel="next"/.test(part));
  if (next === undefined || !/;\s*results="true"/.test(next)) return undefined;
  return /;\s*cursor="([^"]+)"/.exec(next)?.[1];
}
