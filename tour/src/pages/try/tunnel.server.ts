import { jsonItem, newEventId, writeEnvelope } from "holdfast/protocol";
import { action } from "holdfast/server";

interface Letter {
  body: Uint8Array<ArrayBuffer> | string;
  headers?: Readonly<Record<string, string>>;
}

const report = (header: { dsn?: string }): Letter => {
  const event = { event_id: newEventId(), level: "info", message: "A letter through the tunnel." };
  return { body: Uint8Array.from(writeEnvelope({ eventId: event.event_id, ...header }, [jsonItem("event", event)])) };
};

const letters: Readonly<Record<string, () => Letter>> = {
  own: () => report({}),
  "foreign-dsn": () => report({ dsn: "https://key@elsewhere.example/1" }),
  "foreign-site": () => ({ ...report({}), headers: { "sec-fetch-site": "cross-site" } }),
  large: () => ({ body: "x".repeat(2_000_000) }),
  nonsense: () => ({ body: "hello" }),
};

export const actions = {
  /** Posts to the tunnel of this tour, as a page of it or of another site would. */
  send: action({}, async ({ input, url, signal }) => {
    const kind = input instanceof FormData ? String(input.get("kind")) : "";
    const letter = Object.hasOwn(letters, kind) ? letters[kind]?.() : undefined;
    if (!letter) return { status: 0, text: "" };
    const { body, headers } = letter;
    const answer = await fetch(new URL("/_holdfast/post", url), {
      method: "POST",
      body,
      headers: { ...headers },
      signal,
    });
    return { status: answer.status, text: (await answer.text()).slice(0, 200) };
  }),
};
