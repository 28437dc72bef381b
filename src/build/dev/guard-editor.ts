import type { Connect, Plugin } from "vite";

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
        if (isFromOwnPage(incoming)) return next();
        response.writeHead(403, { "Content-Type": "text/plain; charset=utf-8", "Content-Length": 0 }).end();
      });
    },
  };
}

function isFromOwnPage({ headers }: Connect.IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  // Browsers leave that header out where the address is neither https nor this machine's, as on a phone in the same
  // network.
  const { referer = "" } = headers;
  return URL.canParse(referer) && new URL(referer).host === headers.host;
}
