import { createServer } from "node:http";
import { createElement } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { keep, linksOf, rowsOf } from "./app/src/parts/made.ts";

/** The same pages by `node:http` and react-dom alone, with the data of a page in its document, too. */
function Links({ links }: { links: ReturnType<typeof linksOf> }) {
  const items = links.map(({ id, title }) =>
    createElement("li", { key: id }, createElement("a", { href: `/data/${id}` }, title)),
  );
  const text = JSON.stringify(links).replaceAll("<", "\\u003c");
  return createElement(
    "html",
    { lang: "en" },
    createElement("head", null, createElement("meta", { charSet: "utf-8" })),
    createElement(
      "body",
      null,
      createElement("ul", null, items),
      // biome-ignore lint/security/noDangerouslySetInnerHtml: a script's text, with `<` escaped
      createElement("script", { dangerouslySetInnerHTML: { __html: `var first=${text}` } }),
    ),
  );
}

createServer((request, response) => {
  const [, kind = "", size = ""] = (request.url ?? "/").split("/");
  if (kind === "data") {
    const rows = keep(`rows ${size}`, () => rowsOf(Number(size)));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ rows }));
    return;
  }
  const links = keep(`links ${size}`, () => linksOf(Number(size)));
  if (kind === "links-data") {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ links }));
    return;
  }
  response.setHeader("content-type", "text/html; charset=utf-8");
  const { pipe } = renderToPipeableStream(createElement(Links, { links }), { onShellReady: () => pipe(response) });
}).listen(Number(process.env.PORT), "127.0.0.1");
