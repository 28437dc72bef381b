import { load } from "holdfast/server";
import { canary } from "../../server/canary.ts";

/** Sent as data, so that the page knows what to look for; the files must not contain it. */
export const data = load("/try/leaks", () => ({ canary }));
