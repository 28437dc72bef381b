import { createServer } from "node:http";
import { zstdCompressSync } from "node:zlib";

/** The least that Node needs for such a response: a constant text of the same length, with as many headers. */
const text = process.env.BARE_TEXT ?? "";
const headers = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`X-Header-${at}`, "x".repeat(80)]));
const body = zstdCompressSync(text);
createServer((_, response) => {
  response.writeHead(200, { ...headers, "Content-Encoding": "zstd", "Content-Length": body.length });
  response.end(body);
}).listen(Number(process.env.PORT), "127.0.0.1");
