import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import {
  liveApplication,
  onSocket,
  type SocketContext,
  type TestApplication,
  unauthorized,
} from "../../../tests/kit/live-application.ts";
import { pauseBefore, type SocketEnd, SocketLink, type SocketState } from "./socket-link.ts";

/** Stands for the window: its events come from the test. */
const page = new EventTarget();

vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
const { fetch: plain } = globalThis;

// The next file in this worker has the real ones.
afterAll(() => vi.unstubAllGlobals());

function listening(run: (socket: SocketContext) => unknown = listen): Promise<TestApplication> {
  return liveApplication({ "talk.server.ts": { socket: onSocket({}, run) } });
}

async function listen({ messages, send }: SocketContext): Promise<void> {
  for await (const message of messages) send({ heard: message, at: new Date(0) });
}

/** A link as a page has it, with everything that it says. */
function linkTo(app: TestApplication, address = "/talk") {
  vi.stubGlobal("location", { origin: app.origin });
  const states: SocketState[] = [];
  const ends: (SocketEnd | undefined)[] = [];
  const received: unknown[] = [];
  const link = new SocketLink({
    address,
    onState: (state, end) => {
      states.push(state);
      ends.push(end);
    },
    onMessage: (message) => received.push(message),
  });
  // Node has no page whose address a request would be relative to.
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => plain(app.origin + path, init));
  onTestFinished(() => link.end());
  link.open();
  return { link, states, ends, received };
}

test("messages that wait for the connection are sent when it opens, and dates arrive as dates", async () => {
  await using app = await listening();
  const { link, states, received } = linkTo(app);
  expect(link.send("early")).toBe("waiting");
  await expect.poll(() => received).toEqual([{ heard: "early", at: new Date(0) }]);
  expect(states).toEqual(["connecting", "open"]);
  expect(link.send("later")).toBe("sent");
  await expect.poll(() => received.length).toBe(2);
});

test("a lost connection is opened again by itself, and what was sent meanwhile arrives", async () => {
  await using app = await listening();
  const { link, states, received } = linkTo(app);
  await expect.poll(() => states.at(-1)).toBe("open");
  app.streams.endAll("changed");
  await expect.poll(() => states.at(-1)).toBe("waiting");
  expect(link.send("meanwhile")).toBe("waiting");
  await expect.poll(() => received, { timeout: 5_000 }).toEqual([{ heard: "meanwhile", at: new Date(0) }]);
  expect(states).toEqual(["connecting", "open", "waiting", "connecting", "open"]);
});

test("pauses become longer, to 30 seconds, and differ from client to client", () => {
  expect([0, 1, 2, 3, 4, 50].map((attempt) => pauseBefore(attempt, 0))).toEqual([
    1_000, 2_000, 4_000, 8_000, 15_000, 15_000,
  ]);
  expect([0, 1, 4, 50].map((attempt) => pauseBefore(attempt, 1))).toEqual([2_000, 4_000, 30_000, 30_000]);
});

test("the network that comes back ends the pause", async () => {
  await using app = await listening();
  const { states } = linkTo(app);
  await expect.poll(() => states.at(-1)).toBe("open");
  app.streams.endAll("changed");
  await expect.poll(() => states.at(-1)).toBe("waiting");
  page.dispatchEvent(new Event("online"));
  expect(states.at(-1)).toBe("connecting");
  await expect.poll(() => states.at(-1)).toBe("open");
});

test("a page that is left closes its socket, and one that is shown again opens it", async () => {
  await using app = await listening();
  const { states } = linkTo(app);
  await expect.poll(() => states.at(-1)).toBe("open");
  page.dispatchEvent(new Event("pagehide"));
  await expect.poll(() => app.streams.count).toBe(0);
  page.dispatchEvent(new Event("pageshow"));
  await expect.poll(() => states.at(-1)).toBe("open");
  expect(app.streams.count).toBe(1);
});

test("what the server ends stays closed, and says why", async () => {
  await using app = await listening(({ close }) => close(4_100, "The game is over."));
  const { link, states, ends } = linkTo(app);
  await expect.poll(() => states.at(-1)).toBe("closed");
  expect(ends.at(-1)).toEqual({ code: 4_100, reason: "The game is over." });
  expect(link.send("too late")).toBe("dropped");
});

test("a socket that a guard refuses stays closed, with the status that a browser does not tell", async () => {
  const guard = () => unauthorized();
  const socket = onSocket({}, listen);
  await using app = await liveApplication({ "talk.server.ts": { socket, guard } });
  const { states, ends } = linkTo(app);
  await expect.poll(() => states.at(-1)).toBe("closed");
  expect([states, ends.at(-1)]).toEqual([["connecting", "waiting", "closed"], { code: 4_401, reason: "" }]);
});

test("at most 100 messages wait, and the others are dropped", async () => {
  await using app = await listening();
  const { link, states, received } = linkTo(app);
  const results = Array.from({ length: 102 }, (_, number) => link.send(number));
  expect(results.filter((result) => result === "waiting")).toHaveLength(100);
  expect(results.slice(-2)).toEqual(["dropped", "dropped"]);
  await expect.poll(() => received.length).toBe(100);
  expect(states.at(-1)).toBe("open");
});

test("a page that closes its socket is not connected again", async () => {
  await using app = await listening();
  const { link, states } = linkTo(app);
  await expect.poll(() => states.at(-1)).toBe("open");
  link.close();
  page.dispatchEvent(new Event("online"));
  page.dispatchEvent(new Event("pageshow"));
  await expect.poll(() => app.streams.count).toBe(0);
  expect(states).toEqual(["connecting", "open", "closed"]);
});
