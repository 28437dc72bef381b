import type { Cookies } from "holdfast/server";

/** The bug of this experiment, for each visitor apart: one who repairs it repairs it for no other. */
type Desk = "broken" | "repaired";

const name = "tour-desk";

export function deskOf(cookies: Cookies): Desk {
  return cookies.get(name) === "repaired" ? "repaired" : "broken";
}

export function setDesk(cookies: Cookies, desk: Desk): void {
  cookies.set(name, desk, { path: "/try/answer" });
}
