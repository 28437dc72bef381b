import { useEffect, useEffectEvent } from "react";

export interface ScriptProps {
  src: string;
  /**
   * When it is loaded: as soon as the page handles clicks itself, or when the browser has nothing else to do. Never
   * before, so that it does not delay the page. `hydrated` by default.
   */
  when?: "hydrated" | "idle";
  /** Called when the script has run, for each component that asks for it; also if it ran on an earlier page. */
  onLoad?: () => void;
  /** Called if it could not be loaded: no connection, a refusal by the policy, or a blocker of the visitor. */
  onError?: (error: Error) => void;
  type?: "module";
  /** Attributes of the element as vendors ask for them: `{ "data-site": "7", crossorigin: "anonymous" }`. */
  attributes?: Readonly<Record<string, string>>;
}

/** The scripts of this document, by address. Each runs once, however often its component is shown. */
const loads = new Map<string, Promise<void>>();

/**
 * Loads a script of another site once the page is interactive. The policy of the page allows it without further
 * settings, because the application's own code inserts it; what it requests needs `csp`.
 *
 * @example <Script src="https://pay.example/v3.js" onLoad={() => setReady(true)} />
 */
export function Script({ src, when = "hydrated", type, attributes, onLoad, onError }: ScriptProps): null {
  const loaded = useEffectEvent(() => onLoad?.());
  const failed = useEffectEvent((error: Error) => onError?.(error));
  const load = useEffectEvent(() => loadScript(src, type, attributes));
  useEffect(() => {
    // The address is the key: other attributes do not run the same script again.
    if (src === "") return undefined;
    let isShown = true;
    const begin = (): void =>
      void load().then(
        () => isShown && loaded(),
        (error: Error) => isShown && failed(error),
      );
    const cancel = when === "idle" ? whenIdle(begin) : void begin();
    return () => {
      isShown = false;
      cancel?.();
    };
  }, [src, when]);
  return null;
}

function loadScript(src: string, type?: string, attributes: ScriptProps["attributes"] = {}): Promise<void> {
  const known = loads.get(src);
  if (known) return known;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const element = document.createElement("script");
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (type) element.type = type;
  element.async = true;
  element.onload = () => resolve();
  element.onerror = () => {
    // The next component that asks for it tries again.
    loads.delete(src);
    element.remove();
    reject(new Error(`The script ${src} could not be loaded.`));
  };
  // The reporter recognizes by it whose error it is.
  element.dataset.vendor = URL.canParse(src, location.href) ? new URL(src, location.href).host : "";
  element.src = src;
  loads.set(src, promise);
  document.head.append(element);
  return promise;
}

/** Chromium never calls a page idle whose animation takes the whole of each frame. */
const idleMs = 2_000;

/** Returns a function that cancels it. Safari has no idle callbacks. */
function whenIdle(run: () => void): () => void {
  if (typeof requestIdleCallback === "undefined") {
    const timer = setTimeout(run, 200);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(run, { timeout: idleMs });
  return () => cancelIdleCallback(handle);
}
