import { load } from "holdfast/server";
import { canary } from "../../server/canary.ts";

/** Handed out as data, so that the page knows what to look for; the files must not have it. */
export const data = load("/try/leaks", () => ({ canary }));
