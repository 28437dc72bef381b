import type { Connect, Plugin } from "vite";
import { isFromOwnPage } from "#http";

/** Where Vite opens a file in the author's editor. */
const editorPath = "/__open-in-editor";

/**
 * Only the page itself may open a file in the editor of its author. Any other site could ask for it too, as browsers
 * send such a request anywhere.
 */
export function guardEditor(): Plugin {
  return {
    name: "holdfast:guard-editor",
    apply: "serve",
    configureServer(server) {
      // Before Vite's own, and found by the same rule.
      server.middlewares.use(editorPath, (incoming, response, next) => {
        if (isFromOwnPage(incoming) ?? isReferredByHost(incoming)) return next();
        response.writeHead(403, { "Content-Type": "text/plain; charset=utf-8", "Content-Length": 0 }).end();
      });
    },
  };
}

/** Browsers leave `Sec-Fetch-Site` out where the address is neither https nor loopback, as on a phone nearby. */
function isReferredByHost({ headers }: Connect.IncomingMessage): boolean {
  const { referer = "" } = headers;
  return URL.canParse(referer) && new URL(referer).host === headers.host;
}
