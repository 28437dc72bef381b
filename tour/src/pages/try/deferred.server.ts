import { setTimeout as wait } from "node:timers/promises";
import { load } from "holdfast/server";

export const data = load("/try/deferred", ({ signal }) => ({
  summary: "Three orders today, one of them large.",
  history: wait(1_000, ["09:30 Ada orders punched cards", "11:48 Konrad orders relays"], { signal }),
  forecast: wait(2_000, { tomorrow: 4, week: new Map([["Monday", 2]]) }, { signal }),
}));
