import { load } from "holdfast/server";
import { keep, rowsOf } from "../../parts/made.ts";

export const data = load("/data/[bytes]", ({ params }) => ({
  rows: keep(`rows ${params.bytes}`, () => rowsOf(Number(params.bytes))),
}));
