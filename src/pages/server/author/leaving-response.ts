import { type ChangedHeaders, pairsOf } from "#http";
import * as pageErrors from "../../errors.ts";
import { isOfDocument } from "../send/document-policy.ts";
import { ResponseHead } from "./response-head.ts";

/** What is known of a response before its head is sent. */
export interface Leaving {
  /**
   * `document`: a page as HTML, also an error page. `data`: a page or the outcome of a form, for scripts. `api`: the
   * `Response` of an API route or hook, or a refusal for programs.
   */
  readonly kind: "document" | "data" | "api" | "redirect" | "file";
  readonly status: number;
  /** Which status may replace it. That of a failure or redirect stays. */
  readonly replaceable: "any" | "refusal" | "none";
  /** As far as they are known, as a flat list. */
  readonly headers: readonly string[];
  /** Of an API route or hook. */
  readonly original?: Response | undefined;
}

/** The argument of `onResponse`: the head of the response that leaves. */
export class LeavingResponse {
  readonly kind: Leaving["kind"];
  /** The `Response` of an API route or hook, if there is one. Return another one to replace it. */
  readonly original: Response | undefined;
  readonly #leaving: Leaving;
  readonly #head = new ResponseHead();

  constructor(leaving: Leaving) {
    this.kind = leaving.kind;
    this.original = leaving.original;
    this.#leaving = leaving;
  }

  /** The status as it would be sent now. */
  get status(): number {
    const { status, replaceable } = this.#leaving;
    const chosen = this.#head.status ?? status;
    if (replaceable === "none") return status;
    return replaceable === "refusal" && chosen < 400 ? status : chosen;
  }

  /** The value of a header as it would be sent now, as far as it is known. */
  header(name: string): string | undefined {
    const lower = name.toLowerCase();
    const changed = this.#head.headers.get(lower);
    if (changed) return changed.value;
    const own = this.original?.headers.get(lower);
    if (typeof own === "string") return own;
    const values = [...pairsOf(this.#leaving.headers)].flatMap(([known, value]) =>
      known.toLowerCase() === lower ? [value] : [],
    );
    return values.length > 0 ? values.join(", ") : undefined;
  }

  /** Sets the status of a page or API route. That of a failure or redirect stays as it is. */
  setStatus(status: number): void {
    this.#head.setStatus(status);
  }

  /** Sets a header, in place of the one that would be sent. */
  setHeader(name: string, value: string): void {
    refuseOfDocument(name);
    this.#head.setHeader(name, value);
  }

  /** Removes a header. */
  removeHeader(name: string): void {
    refuseOfDocument(name);
    this.#head.removeHeader(name);
  }

  /** The changed headers, by name in lower case. */
  get changes(): ChangedHeaders {
    return this.#head.headers;
  }

  /** Changes fail from now on. */
  seal(): void {
    this.#head.seal();
  }
}

/** A soft navigation compares these headers before the response hooks have run. */
function refuseOfDocument(name: string): void {
  if (typeof name === "string" && isOfDocument(name)) throw pageErrors.headerOfDocument(name);
}
