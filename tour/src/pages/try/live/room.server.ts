import { onSocket } from "holdfast/server";
import { z } from "zod";
import { lampCount, lamps } from "../../../server/lamps.ts";

const receives = z.union([
  z.object({
    lamp: z
      .int()
      .min(0)
      .max(lampCount - 1),
  }),
  /** Ends this connection as a restart of the server would. */
  z.object({ drop: z.literal(true) }),
]);

const sends = z.union([
  z.object({ lit: z.array(z.number()) }),
  z.object({ tabs: z.number() }),
  z.object({ change: z.object({ id: z.number(), lamp: z.number(), on: z.boolean(), at: z.date() }) }),
]);

export const socket = onSocket({ receives, sends }, async ({ messages, send, close, signal }) => {
  // First subscribe, then say how it is: no change is lost in between.
  lamps.news.subscribe(send, { signal });
  send({ lit: lamps.lit });
  lamps.enter(signal);
  for await (const message of messages) {
    if ("drop" in message) return close(1012, "Dropped as you wished.");
    await lamps.switch(message.lamp);
  }
});
