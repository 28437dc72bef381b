import { load } from "holdfast/server";

/** The bug of this experiment. A build with its fix differs by this variable only. */
export const data = load("/try/gate/prices", () => {
  if (process.env.TOUR_PRICES !== "fixed") throw new Error("The price list has no price for lamp 7.");
  return { prices: [{ lamp: "Lamp 7", euros: 49 }] };
});
