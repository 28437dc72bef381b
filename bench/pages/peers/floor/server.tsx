import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { renderToPipeableStream } from "react-dom/server";
import { findItem, listItems } from "./shared/items";
import { Shown, type View } from "./view";

/** node:http and react-dom alone: no framework on top of them can be much cheaper. */
const folder = new URL("./browser/", import.meta.url);
const [file = ""] = readdirSync(folder);
const script = readFileSync(new URL(file, folder));

function viewOf(path: string): View {
  if (path === "/") return { at: "home" };
  if (path === "/about") return { at: "about" };
  if (path === "/items") return { at: "items", items: listItems() };
  const item = path.startsWith("/items/") ? findItem(path.slice(7)) : undefined;
  return item ? { at: "item", item } : { at: "not-found" };
}

function Page({ view }: { view: View }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>Measured application</title>
        <link rel="modulepreload" href={`/${file}`} />
      </head>
      <body>
        <div id="app">
          <Shown view={view} />
        </div>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a script's text, with `<` escaped */}
        <script dangerouslySetInnerHTML={{ __html: `var first=${JSON.stringify(view).replaceAll("<", "\\u003c")}` }} />
        <script type="module" src={`/${file}`} />
      </body>
    </html>
  );
}

createServer((request, response) => {
  const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
  if (path === `/${file}`) {
    response.writeHead(200, { "content-type": "text/javascript" }).end(script);
  } else if (path.startsWith("/_data")) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(viewOf(path.slice(6))));
  } else {
    const view = viewOf(path);
    response.statusCode = view.at === "not-found" ? 404 : 200;
    response.setHeader("content-type", "text/html; charset=utf-8");
    const { pipe } = renderToPipeableStream(<Page view={view} />, { onShellReady: () => pipe(response) });
  }
}).listen(Number(process.env.PORT), "127.0.0.1");
