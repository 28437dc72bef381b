export interface ShopRoute {
  route: string;
  /** The release that answers. */
  on: string;
  visitors: number;
  sawError: number;
}

const routes = ["/cart", "/", "/account", "/help", "/lamps", "/lamps/[id]", "/news", "/orders", "/search", "/shops"];

/** So many failures are enough, if the release before has answered 1,000 requests without one. */
const enoughFailures = 3;

/** What the operator does next. */
type Step = "deploy" | "visit" | "repair";

/**
 * A model of a shop: this tour has one build only, so it plays what the server does with two. All visitors of the tour
 * share it.
 */
class BrokenRelease {
  #release = "2.4.0";
  #isHealed = false;
  #visitors = 0;
  #sawError = 0;

  get release(): string {
    return this.#release;
  }

  get isHealed(): boolean {
    return this.#isHealed;
  }

  get routes(): ShopRoute[] {
    return routes.map((route, index) => ({
      route,
      on: index === 0 && this.#isHealed ? "2.4.0" : this.#release,
      visitors: this.#visitors,
      sawError: index === 0 ? this.#sawError : 0,
    }));
  }

  get next(): Step {
    if (this.#release === "2.4.0") return "deploy";
    return this.#isHealed && this.#visitors > 3 * enoughFailures ? "repair" : "visit";
  }

  /** Release 2.5.0, in which the cart is broken. */
  deploy(): void {
    this.#begin("2.5.0");
  }

  /** One visitor for each page. */
  visit(): void {
    this.#visitors += 1;
    if (this.#release !== "2.5.0" || this.#isHealed) return;
    this.#sawError += 1;
    this.#isHealed = this.#sawError >= enoughFailures;
  }

  repair(): void {
    this.#begin("2.5.1");
  }

  reset(): void {
    this.#begin("2.4.0");
  }

  #begin(release: string): void {
    this.#release = release;
    this.#isHealed = false;
    this.#visitors = 0;
    this.#sawError = 0;
  }
}

export const brokenRelease = new BrokenRelease();
