import type { WireBreadcrumb } from "./wire.ts";

/** Breadcrumbs before an error: a visitor's clicks and pages, a request's queries and calls. */
export class Breadcrumbs {
  #steps: WireBreadcrumb[] | undefined;
  readonly #atMost: number;

  constructor(atMost: number) {
    this.#atMost = atMost;
  }

  add(step: WireBreadcrumb): void {
    this.#steps ??= [];
    this.#steps.push(step);
    if (this.#steps.length > this.#atMost) this.#steps.shift();
  }

  get all(): readonly WireBreadcrumb[] {
    return this.#steps ? [...this.#steps] : [];
  }
}
