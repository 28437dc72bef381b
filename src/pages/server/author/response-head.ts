import { type ChangedHeader, type ChangedHeaders, changeHeader, refuseHeader } from "#http";
import * as pageErrors from "../../errors.ts";
import type { HtmlAttributes } from "../../view.ts";
import { htmlAttributes } from "../html-attributes.ts";

/**
 * Status and headers of the response, as far as the application decides over them. Hook, guards, loads and actions may
 * change them; for a promise in the loaded data it is too late.
 */
export class ResponseHead {
  readonly #headers = new Map<string, ChangedHeader>();
  #status: number | undefined;
  #html: HtmlAttributes | undefined;
  #sealed = false;

  /**
   * Sets the status of the page, 410 or 429 for example. Before `notFound`, `unauthorized` or `forbidden` it replaces
   * the status of the page that they show.
   */
  setStatus(status: number): void {
    if (this.#sealed) throw pageErrors.responseTooLate(`The status ${status}`);
    if (!isPossible(status)) throw pageErrors.wrongStatus(status);
    this.#status = status;
  }

  /** Sets a header, in place of a default or an earlier value. */
  setHeader(name: string, value: string): void {
    this.#change(name, String(value));
  }

  /** Removes a header: a default, or one that was set before. */
  removeHeader(name: string): void {
    this.#change(name, undefined);
  }

  /**
   * Sets the language of the page, as `lang` and `dir` of its `<html>`. The direction is that of the language unless it
   * is given.
   */
  setLanguage(lang: string, dir?: "ltr" | "rtl"): void {
    if (this.#sealed) throw pageErrors.responseTooLate(`The language ${lang}`);
    this.#html = htmlAttributes(lang, dir);
  }

  /** Changes fail from now on. */
  seal(): void {
    this.#sealed = true;
  }

  /** The chosen status. */
  get status(): number | undefined {
    return this.#status;
  }

  /** The chosen language. */
  get html(): HtmlAttributes | undefined {
    return this.#html;
  }

  /** The changed headers, by name in lower case. */
  get headers(): ChangedHeaders {
    return this.#headers;
  }

  #change(name: string, value: string | undefined): void {
    if (this.#sealed) throw pageErrors.responseTooLate(`The header ${name}`);
    const refused = refuseHeader(name, value);
    if (refused?.kind === "owned") throw pageErrors.ownedHeader(name, refused.instead);
    if (refused) throw pageErrors.wrongHeader(name, refused.kind);
    changeHeader(this.#headers, { name, value });
  }
}

/** A page has a body and is no part of one. `redirect` sends the statuses from 300 to 399. */
function isPossible(status: number): boolean {
  const isWithoutPage = status === 204 || status === 205 || status === 206;
  return (
    Number.isInteger(status) && !isWithoutPage && ((status >= 200 && status < 300) || (status >= 400 && status < 600))
  );
}
