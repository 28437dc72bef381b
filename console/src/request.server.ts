import { onRequest } from "holdfast/server";
import { admit, openedDesk } from "holdfast/service";

import { sessionCookie } from "./server/accounts.ts";
import { takeSaid } from "./server/said.ts";

/** Who asks, and what they have just done, decided once for each request. */
export default onRequest(async ({ url, headers, cookies, method }) => {
  const { access } = openedDesk();
  const admission = await admit(access, { url, headers, session: cookies.get(sessionCookie) });
  return {
    person: admission.kind === "admitted" ? admission.person : undefined,
    hasAccounts: access.kind === "accounts",
    said: method === "GET" ? takeSaid({ headers, cookies }) : undefined,
  };
});
