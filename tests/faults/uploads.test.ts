import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { application, journey, mebibytesOf } from "../kit/index.ts";

const MiB = 1_048_576;

const test = journey({
  app: application({
    "holdfast.config.ts": `import type { HoldfastConfig } from "holdfast/server";
export default { limits: { uploadsOnDiskBytes: 4 * 300 * 1024 ** 2 } } satisfies HoldfastConfig;
`,
    "src/pages/index.tsx": "export default () => <h1>Files</h1>;",
    "src/pages/index.server.ts": `import { createHash } from "node:crypto";
import { action, type UploadTarget } from "holdfast/server";

const hashes: UploadTarget = {
  write: async ({ stream }) => {
    const hash = createHash("sha256");
    for await (const piece of stream) hash.update(piece);
    return hash.digest("hex");
  },
  discard: () => undefined,
};
const limits = { uploadBytes: 300 * 1024 ** 2 };

export const actions = {
  disk: action({ uploads: true, ...limits }, ({ input }) => {
    const file = input instanceof FormData ? input.get("file") : null;
    return file instanceof File ? file.size : 0;
  }),
  kept: action({ keeps: true, uploads: true, ...limits }, async ({ input }) => {
    const file = input instanceof FormData ? input.get("file") : null;
    const hash = createHash("sha256");
    if (file instanceof File) for await (const piece of file.stream()) hash.update(piece);
    return hash.digest("hex");
  }),
  own: action({ uploads: hashes, ...limits }, ({ input }) => (input instanceof FormData ? input.get("file") : null)),
};
`,
  }),
});

const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: text/plain\r\n\r\n';
const tail = "\r\n--x--\r\n";

interface Uploaded {
  answer: string;
  /** Peak growth of the server's memory in MiB. */
  grownBy: number;
}

/** Sends a file of this many MiB as fast as the server takes it; `cutAfter` closes the connection in the middle. */
async function upload(
  { url, pid }: { url: string; pid: number },
  { action, mebibytes, cutAfter = mebibytes }: { action: string; mebibytes: number; cutAfter?: number },
): Promise<Uploaded> {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) }).on("error", () => undefined);
  let answer = "";
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  socket.setEncoding("latin1").on("data", (text: string) => {
    answer += text;
  });
  socket.on("close", close);
  const length = mebibytes * MiB + head.length + tail.length;
  socket.write(
    `POST /_action/${action}/_data HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${length}\r\n\r\n${head}`,
  );
  const before = mebibytesOf(pid);
  let most = before;
  const piece = Buffer.alloc(MiB, "x");
  for (let sent = 0; sent < cutAfter && answer === ""; sent++) {
    if (!socket.write(piece)) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
    most = Math.max(most, mebibytesOf(pid));
  }
  if (cutAfter < mebibytes) socket.destroy();
  else socket.write(tail);
  await closed;
  return { answer, grownBy: Math.max(most, mebibytesOf(pid)) - before };
}

const large = 200;
/** A fifth of the upload. The first large one grew the process by 10 MiB, on a busy machine by 21, later ones by 4. */
const mostMebibytes = large / 5;

test("memory does not grow with the size of an upload, neither for files on disk nor for those of an own store", {
  timeout: 120_000,
}, async ({ app }) => {
  const hash = createHash("sha256")
    .update(Buffer.alloc(large * MiB, "x"))
    .digest("hex");
  for (const action of ["disk", "own", "kept"]) {
    // Code that is loaded first must not count.
    await upload(app, { action, mebibytes: 20 });
    const { answer, grownBy } = await upload(app, { action, mebibytes: large });
    expect([action, answer.slice(0, 12)]).toEqual([action, "HTTP/1.1 200"]);
    if (action === "disk") expect(answer).toContain(`"result":${large * MiB}`);
    else expect(answer).toContain(`"${hash}"`);
    expect(grownBy).toBeLessThan(mostMebibytes);
  }
});

test("an upload that is cut leaves no file behind, and one beyond the limit is refused before it is sent", {
  timeout: 60_000,
}, async ({ app }) => {
  await upload(app, { action: "disk", mebibytes: 40, cutAfter: 10 });
  const folder = join(app.dataFolder, "uploads");
  await expect.poll(() => readdirSync(folder)).toEqual([]);
  const { answer } = await upload(app, { action: "disk", mebibytes: 301 });
  expect(answer.slice(0, 12)).toBe("HTTP/1.1 413");
  expect(readdirSync(folder)).toEqual([]);
});
