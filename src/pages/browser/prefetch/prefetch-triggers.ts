import { slashes } from "#routes/href";
import type { BrowserSignals } from "#signals";
import type { BrowserLimits } from "../../limits.ts";
import { isHashOnly, ownLink } from "../catch-clicks.ts";
import { withoutHash } from "../data/page-answer.ts";
import type { Trigger } from "./prefetch-queue.ts";
import { savesData } from "./saves-data.ts";

export interface TriggerDeps {
  limits: Pick<BrowserLimits, "intentPointerMs" | "intentFocusMs">;
  signals: BrowserSignals;
  isPage(href: string): boolean;
  want(url: string, trigger: Trigger, distance?: number): void;
  drop(url: string): void;
}

/**
 * Detects where the visitor is heading. One listener per event type serves the whole document; only links with
 * `data-prefetch` are observed individually.
 */
export class PrefetchTriggers {
  readonly #deps: TriggerDeps;
  #observer: IntersectionObserver | undefined;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: TriggerDeps) {
    this.#deps = deps;
    const { intentPointerMs, intentFocusMs } = deps.limits;
    const rest = (ms: number) => (event: Pick<Event, "target">) => {
      clearTimeout(this.#resting);
      const { target } = event;
      if (!this.#wanted(target)) return;
      this.#resting = setTimeout(() => {
        // The visitor may have navigated there meanwhile.
        const url = this.#wanted(target);
        if (url) this.#want(url, "intent");
      }, ms);
    };
    // The pointer or the focus may already rest on a link: that event may have loaded this code.
    const pointedAt = document.querySelector("a:hover");
    rest(pointedAt ? intentPointerMs : intentFocusMs)({ target: pointedAt ?? document.activeElement });
    const listen = (type: string, listener: (event: Event) => void) =>
      document.addEventListener(type, listener, { passive: true });
    listen("pointerover", rest(intentPointerMs));
    listen("focusin", rest(intentFocusMs));
    // Costs nothing extra: the click would send the same request a moment later.
    listen("pointerdown", (event) => {
      const url = this.#wanted(event.target);
      if (url && (event as PointerEvent).button === 0) deps.want(url, "press");
    });
  }

  /** Finds links that opt in to prefetching before any pointer input. */
  scan(): void {
    for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-prefetch]")) this.watch(link);
  }

  watch(link: HTMLAnchorElement): () => void {
    const { prefetch } = link.dataset;
    const url = this.#wanted(link);
    if (url && prefetch === "render") this.#want(url, "render");
    if (prefetch !== "viewport") return () => undefined;
    this.#observer ??= new IntersectionObserver((entries) => this.#seen(entries));
    this.#observer.observe(link);
    return () => {
      this.#observer?.unobserve(link);
      if (url) this.#deps.drop(url);
    };
  }

  #seen(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting, boundingClientRect: box } of entries) {
      const url = this.#wanted(target);
      if (url && isIntersecting) this.#want(url, "viewport", Math.abs(box.top + box.height / 2 - innerHeight / 2));
      else if (url) this.#deps.drop(url);
    }
  }

  #want(url: string, trigger: Trigger, distance?: number): void {
    if (savesData()) this.#deps.signals.prefetchEnded({ url, outcome: "suppressed-data-saver" });
    else this.#deps.want(url, trigger, distance);
  }

  #wanted(target: EventTarget | null): string | undefined {
    const link = ownLink(target);
    if (!link || link.dataset.prefetch === "none" || /\bnofollow\b/.test(link.rel)) return undefined;
    if (slashes) slashes.spellLink(link, this.#deps.isPage);
    const url = withoutHash(link.href);
    return isHashOnly(link.href) || url === withoutHash(location.href) || !this.#deps.isPage(url) ? undefined : url;
  }
}
