import { onRequest } from "holdfast/server";
import { admit, openedDesk } from "holdfast/service";

/** Who asks, decided once for each request. */
export default onRequest(async ({ url, headers }) => {
  const admission = await admit(openedDesk().access, { url, headers });
  return { person: admission.kind === "admitted" ? admission.person : undefined };
});
