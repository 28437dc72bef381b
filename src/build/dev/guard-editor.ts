import type { Connect, Plugin } from "vite";
import { isFromOwnPage } from "#http";

/** Address where Vite opens a file in the developer's editor. */
const editorPath = "/__open-in-editor";

/**
 * Allows only pages of the application to open a file in the developer's editor. Otherwise any site could, because
 * browsers send such requests across origins.
 */
export function guardEditor(): Plugin {
  return {
    name: "holdfast:guard-editor",
    apply: "serve",
    configureServer(server) {
      // Runs before Vite's own middleware and matches the same paths.
      server.middlewares.use(editorPath, (incoming, response, next) => {
        if (isFromOwnPage(incoming) ?? isReferredByHost(incoming)) return next();
        response.writeHead(403, { "Content-Type": "text/plain; charset=utf-8", "Content-Length": 0 }).end();
      });
    },
  };
}

/**
 * Browsers omit `Sec-Fetch-Site` where the address is neither https nor loopback, for example on a phone in the local
 * network.
 */
function isReferredByHost({ headers }: Connect.IncomingMessage): boolean {
  const { referer = "" } = headers;
  return URL.canParse(referer) && new URL(referer).host === headers.host;
}
