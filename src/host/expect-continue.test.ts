import { expect, test } from "vitest";
import { action } from "#pages/server";
import { liveApplication } from "../../tests/kit/live-application.ts";
import { sendWhenTold } from "../../tests/kit/patient-client.ts";

const files = {
  "echo.server.ts": { POST: async (request: Request) => new Response(`got ${(await request.text()).length}`) },
  "said.tsx": { default: () => null },
  "said.server.ts": { actions: { say: action({}, () => undefined), send: action({ uploads: true }, () => undefined) } },
};
const form = ["Content-Type: application/x-www-form-urlencoded"];
const parts = ["Content-Type: multipart/form-data; boundary=b"];

test("a client that waits for 100 Continue gets it when its body is read, and keeps its connection", async () => {
  await using app = await liveApplication(files, { limits: { bodyBytes: 1_000 } });
  const { isContinued, text } = await sendWhenTold(app.port, "/echo", "x".repeat(1_000));
  expect(isContinued).toBe(true);
  expect(text.match(/^HTTP.*|got 1000/gm)).toEqual([
    "HTTP/1.1 100 Continue",
    "HTTP/1.1 200 OK",
    "got 1000",
    "HTTP/1.1 200 OK",
  ]);
});

test("a client that waits for 100 Continue is refused before it sends its body", async () => {
  await using app = await liveApplication(files, { limits: { bodyBytes: 1_000, uploadBytes: 2_000 } });
  const refused = [
    ["/echo", "x".repeat(1_001), [], 413],
    ["/said/_action/say", "x".repeat(1_001), form, 413],
    ["/said/_action/send", "x".repeat(3_001), parts, 413],
    ["/said/_action/say", "word=1", [...form, "Origin: http://evil.example"], 403],
    ["/nothing", "word=1", form, 405],
  ] as const;
  await Promise.all(
    refused.map(async ([path, body, headers, status]) => {
      const { isContinued, text } = await sendWhenTold(app.port, path, body, headers);
      expect([path, isContinued, text.slice(0, 12)]).toEqual([path, false, `HTTP/1.1 ${status}`]);
      // It might send its body all the same, so nothing else follows on this connection.
      expect(text).toMatch(/^connection: close\r$/im);
    }),
  );
});
