import { load } from "holdfast/server";
import { deskOf } from "../../../server/desk.ts";

export const data = load("/try/answer/desk", ({ cookies }) => {
  if (deskOf(cookies) === "broken") throw new Error("The desk has lost its drawer.");
});
