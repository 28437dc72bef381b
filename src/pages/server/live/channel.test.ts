import { expect, onTestFinished, test } from "vitest";
import { liveApplication } from "../../../../tests/kit/live-application.ts";
import { openSocket } from "../../../../tests/kit/socket-client.ts";
import { serverLimits } from "../../limits.ts";
import { channel } from "../author/channel.ts";
import { events } from "../author/events.ts";
import { onSocket } from "../author/socket.ts";
import { ChannelHub, type ChannelReceiver, type ChannelRelay, channelHub } from "./channel-hub.ts";

/** A relay between the processes of the test. */
class TestRelay implements ChannelRelay {
  readonly sent: string[] = [];
  receiver: ChannelReceiver | undefined;
  isAway = false;

  async send(name: string, text: string): Promise<boolean> {
    if (!this.isAway) this.sent.push(`${name} ${text}`);
    return !this.isAway;
  }

  listen(receiver: ChannelReceiver): void {
    this.receiver = receiver;
  }
}

/** The channels of this process, with a relay to others. */
function related(): { relay: TestRelay; failures: unknown[] } {
  const relay = new TestRelay();
  const failures: unknown[] = [];
  const failed = (thrown: unknown): void => void failures.push(thrown);
  channelHub.connect({ relay, limits: serverLimits, failed });
  onTestFinished(() => channelHub.connect({ relay: undefined, limits: serverLimits, failed }));
  return { relay, failures };
}

test("a message reaches every subscriber of its channel, here and by the relay, dates included", async () => {
  const { relay } = related();
  const orders = channel<{ at: Date }>("orders");
  const heard: unknown[] = [];
  const end = orders.subscribe((order) => heard.push(order));
  onTestFinished(channel("others").subscribe((other) => heard.push(other)));
  expect(await orders.publish({ at: new Date(5) })).toBe("published");
  expect(relay.sent).toEqual(['orders {"at":["~d",5]}']);
  relay.receiver?.message("orders", '{"at":["~d",6]}');
  end();
  await orders.publish({ at: new Date(7) });
  expect(heard).toEqual([{ at: new Date(5) }, { at: new Date(6) }]);
});

test("each subscriber has a message of its own, so that none changes that of another", async () => {
  related();
  const lists = channel<number[]>("lists");
  const heard: number[][] = [];
  for (let count = 0; count < 2; count++)
    onTestFinished(
      lists.subscribe((list) => {
        list.push(2);
        heard.push(list);
      }),
    );
  const list = [1];
  await lists.publish(list);
  expect([heard, list]).toEqual([
    [
      [1, 2],
      [1, 2],
    ],
    [1],
  ]);
});

test("a publisher learns that the other processes were not reached, and its own subscribers have the message", async () => {
  const { relay } = related();
  relay.isAway = true;
  const heard: unknown[] = [];
  onTestFinished(channel("orders").subscribe((order) => heard.push(order)));
  expect([await channel("orders").publish(1), heard]).toEqual(["only-here", [1]]);
});

test("a subscriber that throws is an event, and the others hear the message", async () => {
  const { failures } = related();
  const heard: unknown[] = [];
  const orders = channel<number>("orders");
  const fail = () => {
    throw new Error("no room");
  };
  onTestFinished(orders.subscribe(fail));
  onTestFinished(orders.subscribe((order) => heard.push(order)));
  await orders.publish(1);
  expect([heard, failures.map(String)]).toEqual([[1], ["Error: no room"]]);
});

test("a loop gets every message until its signal is aborted", async () => {
  related();
  const orders = channel<number | undefined>("orders");
  const stop = new AbortController();
  const heard: unknown[] = [];
  const loop = (async () => {
    for await (const order of orders.messages({ signal: stop.signal })) heard.push(order);
  })();
  for (const order of [1, undefined, 3]) await orders.publish(order);
  await expect.poll(() => heard).toEqual([1, undefined, 3]);
  stop.abort();
  await loop;
  await orders.publish(4);
  expect(heard).toHaveLength(3);
});

test("a loop also gets what was published after its call and before its first round", async () => {
  related();
  const orders = channel<number>("orders");
  const stop = new AbortController();
  const news = orders.messages({ signal: stop.signal });
  await orders.publish(1);
  const heard: number[] = [];
  for await (const order of news) {
    heard.push(order);
    stop.abort();
  }
  expect(heard).toEqual([1]);
});

test("a loop that falls 100 messages behind, or may have missed one, ends with an error", async () => {
  const { relay } = related();
  const orders = channel<number>("orders");
  const slow = orders.messages()[Symbol.asyncIterator]();
  for (let count = 0; count < 101; count++) await orders.publish(count);
  await expect(slow.next()).rejects.toThrow("A subscriber of the channel orders has missed messages.");
  expect(await slow.next()).toEqual({ done: true, value: undefined });
  const cut = orders.messages()[Symbol.asyncIterator]();
  const next = cut.next();
  relay.receiver?.gap();
  await expect(next).rejects.toThrow("has missed messages");
});

test("a message above the limit is refused", async () => {
  related();
  await expect(channel("orders").publish("x".repeat(65_536))).rejects.toThrow("A message of a channel has 65538 bytes");
});

test("the connection to other processes is opened by the first subscriber, not before", async () => {
  const hub = new ChannelHub();
  const relay = new TestRelay();
  hub.connect({ relay, limits: serverLimits, failed: () => undefined });
  await hub.publish("orders", 1);
  expect([relay.sent.length, relay.receiver]).toEqual([1, undefined]);
  hub.subscribe("orders", { message: () => undefined, gap: () => undefined });
  expect(relay.receiver).toBeDefined();
});

test("clients of events and sockets that missed messages are sent back to begin again, and nothing is reported", async () => {
  const relay = new TestRelay();
  const orders = channel<number>("orders");
  const respond = () =>
    events(async function* ({ signal }) {
      for await (const data of orders.messages({ signal })) yield { data };
    });
  await using app = await liveApplication(
    {
      "news.server.ts": { GET: respond },
      "talk.server.ts": {
        socket: onSocket({}, async ({ send, signal }) => {
          for await (const order of orders.messages({ signal })) send(order);
        }),
      },
    },
    { relay },
  );
  const news = app.ask("/news");
  const client = await openSocket(`${app.origin}/talk`);
  await expect.poll(() => app.streams.count).toBe(2);
  await orders.publish(7);
  await expect.poll(() => client.received).toEqual([7]);
  relay.receiver?.gap();
  expect((await news).text).toMatch(/^retry: \d+\n\ndata: 7\n\n$/);
  expect(await client.closed).toMatchObject({ code: 1013 });
  expect(app.recorded).toEqual([]);
});
