import type { IncomingMessage } from "node:http";

/** The page that sent a form, if it is one of this host. */
export function pageOf({ headers: { referer, host } }: IncomingMessage): string | undefined {
  return referer !== undefined && URL.canParse(referer) && new URL(referer).host === host ? referer : undefined;
}
