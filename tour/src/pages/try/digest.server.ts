import { digestOf, readDigest } from "holdfast/protocol";
import { load } from "holdfast/server";

export const data = load("/try/digest", ({ url }) => {
  const asked = url.searchParams.get("code") ?? "";
  const eventId = readDigest(asked);
  return { asked, read: eventId === undefined ? undefined : { eventId, digest: digestOf(eventId.padEnd(32, "0")) } };
});
