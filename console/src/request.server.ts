import { onRequest } from "holdfast/server";
import { authorize, consoleApi } from "holdfast/service";
import { sessionCookie } from "./server/accounts.ts";

/** Identifies the person, once per request. */
export default onRequest(async ({ url, headers, cookies }) => {
  const { access } = consoleApi();
  const admission = await authorize(access, { url, headers, session: cookies.get(sessionCookie) });
  return {
    person: admission.kind === "admitted" ? admission.person : undefined,
    hasAccounts: access.kind === "accounts",
  };
});
