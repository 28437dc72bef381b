import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Refusals } from "#bounds";
import { createFormReply } from "./form-reply.ts";
import { createNoteMount } from "./note-mount.ts";

test("One client may send a limited number of notes and learns when to retry; others are not affected", async () => {
  const refusals = new Refusals();
  const kept: string[] = [];
  const mount = createNoteMount({
    reporting: {
      keepNote: async (_digest, note) => {
        kept.push(note);
        return "kept";
      },
    },
    clientOf: (incoming) => String(incoming.headers["x-client"] ?? "192.0.2.1"),
    refusals,
    reply: createFormReply({}),
  });
  const server = createServer((incoming, response) => void mount.handle(incoming, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  const send = (client: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/_holdfast/note`, {
      method: "POST",
      headers: { "x-client": client },
      body: new URLSearchParams({ digest: "7K2M-9QXD-4TBA", note: "it broke" }),
    });
  for (let count = 0; count < 10; count++) expect((await send("192.0.2.1")).status).toBe(200);
  const refused = await send("192.0.2.1");
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
  expect((await send("192.0.2.2")).status).toBe(200);
  expect([kept.length, refusals.totals.get("notes")]).toEqual([11, 1]);
});
