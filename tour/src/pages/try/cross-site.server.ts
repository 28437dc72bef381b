import { action, load } from "holdfast/server";

export const data = load("/try/cross-site", ({ url }) => ({ own: url.origin }));

const senders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  elsewhere: { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" },
  nobody: { origin: "null" },
  own: {},
};

export const actions = {
  /** Posts an empty booking to the form of this tour, as a browser on another page would. */
  send: action({}, async ({ input, url, signal }) => {
    const from = input instanceof FormData ? String(input.get("from")) : "";
    const headers = Object.hasOwn(senders, from) ? senders[from] : undefined;
    const answer = await fetch(new URL("/try/form/_action/book", url), {
      method: "POST",
      headers: { origin: url.origin, ...headers },
      body: new URLSearchParams(),
      redirect: "manual",
      signal,
    });
    return { from, status: answer.status };
  }),
};
