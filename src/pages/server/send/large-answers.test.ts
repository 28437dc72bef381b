import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import http, { createServer } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LargeAnswers, type LargeLimits } from "./large-answers.ts";

const limits: LargeLimits = {
  largeBytes: 1_000,
  unsentBytes: 100_000,
  unsentOnDiskBytes: 400_000,
  shellMs: 50,
  encoders: 2,
};
// With characters of two, three and four bytes, so that a wrong cut would show.
const body = "aé€😀".repeat(15_000);

test("a large response arrives complete, from memory and from disk", async () => {
  for (const unsentBytes of [100_000, 1_000_000]) {
    const { port, folder } = await serving({ ...limits, unsentBytes });
    const [response] = (await once(http.get({ port, host: "127.0.0.1", agent: false }), "response")) as [
      http.IncomingMessage,
    ];
    let text = "";
    for await (const piece of response.setEncoding("utf8")) text += piece;
    expect(text === body).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  }
});

test("a streamed response arrives complete, and its writer never waits", async () => {
  const unsentOnDiskBytes = 1_000_000;
  for (const unsentBytes of [20_000, 1_000_000]) {
    const { large, port, folder } = await serving(
      { ...limits, unsentBytes, unsentOnDiskBytes },
      body,
      (large, response) => {
        const stream = large.stream(response);
        stream.write("begun ");
        for (let times = 0; times < 3; times++) stream.write(body);
        // Later, when part of it has been read.
        setTimeout(() => {
          stream.write(Buffer.from(body));
          stream.end();
        }, 50);
      },
    );
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect((await answer.text()) === `begun ${body.repeat(4)}`).toBe(true);
    await expect.poll(() => large.hasRoomFor(unsentOnDiskBytes)).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  }
});

test("a response is cut off when the space for unsent data is full; the space is free again when its clients have gone", async () => {
  const huge = body.repeat(100);
  const bytes = Buffer.byteLength(huge);
  const answers: http.ServerResponse[] = [];
  // The second arrives before anything of the first was read.
  const { large, port } = await serving({ ...limits, unsentOnDiskBytes: bytes }, huge, (large, response) => {
    answers.push(response);
    if (answers.length === 2) for (const answer of answers) large.stream(answer).write(huge);
  });
  const readers = [0, 1].map(() => connect(port, "127.0.0.1"));
  for (const reader of readers) reader.on("error", () => undefined).write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await expect.poll(() => answers.map(({ destroyed }) => destroyed)).toEqual([false, true]);
  expect(large.hasRoomFor(bytes)).toBe(false);
  for (const reader of readers) reader.destroy();
  await expect.poll(() => large.hasRoomFor(bytes)).toBe(true);
});

test("a large response arrives complete when the disk is full", async () => {
  const { port, folder } = await serving(limits);
  rmSync(folder, { recursive: true });
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect((await answer.text()) === body).toBe(true);
});

test("space on disk is limited, and free again when its clients have gone", async () => {
  // More than the system itself buffers for a client that does not read.
  const huge = body.repeat(100);
  const bytes = Buffer.byteLength(huge);
  const unsentOnDiskBytes = 3 * bytes;
  const { large, port } = await serving({ ...limits, unsentOnDiskBytes }, huge);
  const readers = [0, 1].map(() => connect(port, "127.0.0.1"));
  for (const reader of readers) reader.pause().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await expect.poll(() => large.hasRoomFor(bytes + 1)).toBe(false);
  expect(large.hasRoomFor(bytes)).toBe(true);
  for (const reader of readers) reader.destroy();
  await expect.poll(() => large.hasRoomFor(unsentOnDiskBytes)).toBe(true);
});

test("a limited number of large pages is rendered at the same time, at least one; a client that waits too long is refused, one that has gone gets no page", async () => {
  const large = new LargeAnswers(limits, tmpdir());
  const page = {};
  expect(large.isLarge(page)).toBe(false);
  large.note(page, 60_000);
  expect(large.isLarge(page)).toBe(true);
  const { promise: firstMade, resolve: makeFirst } = Promise.withResolvers<void>();
  const made: string[] = [];
  const asked = (name: string, response = answerTo(), after = Promise.resolve()) =>
    large.inTurn(page, response, () => after.then(() => void made.push(name)));
  const first = asked("first", answerTo(), firstMade);
  const leaving = answerTo();
  const late = asked("late");
  const gone = asked("gone", leaving);
  leaving.emit("close");
  expect(await gone).toBe("nobody waits");
  expect(await late).toBe("too late");
  const second = asked("second");
  makeFirst();
  expect(await Promise.all([first, second])).toEqual(["came", "came"]);
  expect(made).toEqual(["first", "second"]);
  large.note(page, 10);
  expect(large.isLarge(page)).toBe(false);
});

test("a client that leaves at its turn does not block the others", async () => {
  for (let moment = 0; moment < 12; moment++) {
    const large = new LargeAnswers(limits, tmpdir());
    const page = {};
    large.note(page, 60_000);
    const leaving = answerTo();
    const first = large.inTurn(page, answerTo(), async () => undefined);
    const second = large.inTurn(page, leaving, async () => undefined);
    for (let step = 0; step < moment; step++) await undefined;
    leaving.emit("close");
    await Promise.all([first, second]);
    expect([moment, await large.inTurn(page, answerTo(), async () => undefined)]).toEqual([moment, "came"]);
  }
});

function answerTo(): http.ServerResponse {
  return new http.ServerResponse(new http.IncomingMessage(new Socket()));
}

/** A server that always sends the body above. With the limits above it has no memory for one, so all wait on disk. */
async function serving(
  given = limits,
  text = body,
  answer = (large: LargeAnswers, response: http.ServerResponse): void =>
    void large.send(response, text, Buffer.byteLength(text)),
): Promise<{ large: LargeAnswers; port: number; folder: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-large-"));
  const large = new LargeAnswers(given, folder);
  const server = createServer((_incoming, response) => answer(large, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { large, port: (server.address() as AddressInfo).port, folder };
}
