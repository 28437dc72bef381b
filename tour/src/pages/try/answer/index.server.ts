import { action, load } from "holdfast/server";
import { deskOf, setDesk } from "../../../server/desk.ts";

export const data = load("/try/answer", ({ cookies }) => ({ desk: deskOf(cookies) }));

export const actions = {
  repair: action({}, ({ cookies }) => setDesk(cookies, "repaired")),
  break: action({}, ({ cookies }) => setDesk(cookies, "broken")),
};
