import { sendRedirect } from "#http";
import { leave } from "../leave.ts";
import type { Visit } from "../visit.ts";

/** Sends a redirect of the application. */
export async function sendRedirectOf(visit: Visit, redirect: { to: string; status: number }): Promise<void> {
  await leave(visit, { kind: "redirect", status: redirect.status, replaceable: "none" });
  sendRedirect(visit.exchange.response, { ...redirect, headers: visit.redirectHeaders() });
}
