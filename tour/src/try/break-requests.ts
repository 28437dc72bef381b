/** What can be made to go wrong with a page-data request, from inside the browser: the framework cannot tell it from the real thing. */
export type Fault = "network" | "silence" | "cut" | "wrong-type" | "other-build" | "offline";

let real: typeof fetch | undefined;

/** Breaks the next page-data request; with `offline` everything until it is mended. */
export function breakRequests(fault: Fault | undefined): void {
  real ??= globalThis.fetch;
  const well = real;
  globalThis.fetch = fault === undefined ? well : (input, init) => answerWith(fault, well, input, init);
}

async function answerWith(
  fault: Fault,
  well: typeof fetch,
  input: RequestInfo | URL,
  init: RequestInit | undefined,
): Promise<Response> {
  if (fault === "offline") throw new TypeError("The connection is cut.");
  const address = input instanceof Request ? input.url : String(input);
  if (!new URL(address, location.href).pathname.endsWith("/_data")) return well(input, init);
  breakRequests(undefined);
  return faults[fault](await well(input, init), init?.signal);
}

const faults: Readonly<
  Record<Exclude<Fault, "offline">, (answer: Response, signal?: AbortSignal | null) => Response | Promise<Response>>
> = {
  network: () => Promise.reject(new TypeError("The connection broke.")),
  silence: (_, signal) =>
    new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
  cut: async (answer) => changed(answer, (await answer.text()).slice(0, 200)),
  "wrong-type": () => new Response("<!DOCTYPE html>", { headers: { "content-type": "text/html" } }),
  "other-build": async (answer) =>
    changed(answer, (await answer.text()).replace(/"build":"[^"]*"/, '"build":"another"')),
};

function changed({ status, headers }: Response, text: string): Response {
  return new Response(text, { status, headers: { "content-type": headers.get("content-type") ?? "" } });
}
