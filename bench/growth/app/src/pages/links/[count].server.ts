import { load } from "holdfast/server";
import { keep, linksOf } from "../../parts/made.ts";

export const data = load("/links/[count]", ({ params }) => ({
  links: keep(`links ${params.count}`, () => linksOf(Number(params.count))),
}));
