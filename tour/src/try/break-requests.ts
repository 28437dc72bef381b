/** Faults of requests, simulated in the browser: the framework cannot distinguish them from real ones. */
export type Fault =
  | "network"
  | "silence"
  | "cut"
  | "wrong-type"
  | "other-build"
  | "offline"
  | "busy-prefetch"
  | "failed-prefetch"
  | "no-reports";

let chosen: Fault | undefined;
let standing = false;

/** Breaks the next page-data request; faults of reports, or of everything, stay until they are cleared. */
export function breakRequests(fault: Fault | undefined): void {
  standBetween();
  chosen = fault;
}

/**
 * Wraps `fetch` from the first panel on, because code that stores `fetch` for later, such as the reporter, must store
 * this one.
 */
export function standBetween(): void {
  if (standing) return;
  standing = true;
  const originalFetch = globalThis.fetch;
  globalThis.fetch = (input, init) =>
    chosen ? answerWith(chosen, originalFetch, input, init) : originalFetch(input, init);
}

async function answerWith(
  fault: Fault,
  originalFetch: typeof fetch,
  input: RequestInfo | URL,
  init: RequestInit | undefined,
): Promise<Response> {
  const { pathname } = new URL(input instanceof Request ? input.url : String(input), location.href);
  if (fault === "offline" || (fault === "no-reports" && pathname === "/_holdfast/post"))
    throw new TypeError("The connection is cut.");
  const isPrefetch = new Headers(init?.headers).has("purpose");
  if (fault === "no-reports" || !pathname.endsWith("/_data") || fault.endsWith("prefetch") !== isPrefetch)
    return originalFetch(input, init);
  chosen = undefined;
  return faults[fault](await originalFetch(input, init), init?.signal);
}

const faults: Readonly<
  Record<
    Exclude<Fault, "offline" | "no-reports">,
    (answer: Response, signal?: AbortSignal | null) => Response | Promise<Response>
  >
> = {
  network: () => Promise.reject(new TypeError("The connection broke.")),
  silence: (_, signal) =>
    new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
  cut: async (answer) => changed(answer, (await answer.text()).slice(0, 200)),
  "wrong-type": () => new Response("<!DOCTYPE html>", { headers: { "content-type": "text/html" } }),
  "other-build": async (answer) =>
    changed(answer, (await answer.text()).replace(/"build":"[^"]*"/, '"build":"another"')),
  "busy-prefetch": () => new Response("Busy", { status: 503, headers: { "retry-after": "20" } }),
  "failed-prefetch": () => Promise.reject(new TypeError("The connection broke.")),
};

function changed({ status, headers }: Response, text: string): Response {
  return new Response(text, { status, headers: { "content-type": headers.get("content-type") ?? "" } });
}
