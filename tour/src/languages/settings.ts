import type { HoldfastConfig } from "holdfast/server";
import { arabic } from "./arabic.ts";

/** The guides and the experiments are English. Only the pages about ferries are translated. */
export const languages = {
  list: ["en", "de", { lang: "ar", texts: arabic }],
  only: ["/languages"],
} satisfies HoldfastConfig["languages"];
