import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Said, sendWhenTold } from "../../tests/kit/patient-client.ts";
import { acceptLimits } from "./accept/limits.ts";
import { openService } from "./open-service.ts";
import { createServiceServer } from "./serve.ts";

test("a client that waits for 100 Continue is refused by the error service before it sends its body", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-continue-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const service = await openService({ dataFolder: folder });
  onTestFinished(() => service.close());
  const server = createServiceServer(service).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const key = service.projects.byId(1)?.publicKey;
  const send = (body: string): Promise<Said> => sendWhenTold(port, `/api/1/envelope/?sentry_key=${key}`, body);
  const tooLarge = await send("x".repeat(acceptLimits.compressedBytes + 1));
  expect([tooLarge.isContinued, tooLarge.text.slice(0, 12)]).toEqual([false, "HTTP/1.1 413"]);
  const taken = await send('{"event_id":"9ec79c33ec9942ab8353589fcb2e04dc"}\n{"type":"event"}\n{"message":"one"}\n');
  expect(taken.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
});
