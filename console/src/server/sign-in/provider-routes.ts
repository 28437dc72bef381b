import { href } from "holdfast";
import { type Cookies, notFound, redirect } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { applicantOf, beginSession } from "../accounts.ts";
import { wayBack } from "../scope.ts";
import { keepPending, takePending } from "./provider-cookie.ts";

interface Context {
  url: URL;
  headers: Headers;
  cookies: Cookies;
  clientAddress: string;
}

/** Sends the browser to the identity provider. */
export async function goToProvider(context: Context): Promise<Response> {
  const { url, cookies } = context;
  const to = wayBack(url.searchParams.get("to") ?? "");
  const begun = await provider().begin(addressOf(url, "/sign-in/back"), to, applicantOf(context));
  if (begun.kind !== "begun") return redirect(href("/sign-in", undefined, { problem: begun.kind, to }));
  keepPending(cookies, begun.pending);
  return outside(begun.address);
}

/** The browser comes back from the identity provider. */
export async function comeBack(context: Context): Promise<Response> {
  const { url, cookies } = context;
  const entry = await provider().finish(url, takePending(cookies), applicantOf(context));
  if (entry.kind !== "signed-in") return redirect(href("/sign-in", undefined, { problem: entry.kind }));
  beginSession(cookies, entry);
  return redirect(wayBack(entry.to ?? "") ?? "/");
}

/** Sends the browser to the provider, to sign out there too. */
export async function leaveProvider({ url }: Context): Promise<Response> {
  const address = await provider().endSessionAddress(addressOf(url, "/sign-in"));
  return address === undefined ? redirect("/sign-in") : outside(address);
}

function provider() {
  return consoleApi().signIn?.provider ?? notFound();
}

/** Public address of a page of the console. */
function addressOf(here: URL, page: "/sign-in" | "/sign-in/back"): URL {
  return new URL(href(page), here.origin);
}

/** The addresses of the provider come from its own discovery document. */
function outside(address: string): Response {
  return new Response(null, { status: 302, headers: { Location: address, "Cache-Control": "no-store" } });
}
