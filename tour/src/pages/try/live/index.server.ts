import { action, load } from "holdfast/server";
import { z } from "zod";
import { lampCount, lamps } from "../../../server/lamps.ts";

export const data = load("/try/live", () => ({ lit: lamps.lit, latest: lamps.latest, lastId: lamps.lastId }));

export const actions = {
  switch: action(
    {
      input: z.object({
        lamp: z.coerce
          .number()
          .int()
          .min(0)
          .max(lampCount - 1),
      }),
    },
    ({ input }) => lamps.switch(input.lamp),
  ),
};
