import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { type EnvelopeItem, jsonItem } from "#protocol";
import { journey, type RunningApp } from "../../kit/index.ts";
import { anError, report } from "./reports.ts";

const test = journey({ app: "tests/fixtures/watched" });

const onePixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

interface File {
  name: string;
  type?: string;
  bytes: Uint8Array;
}

function attachment({ name, type, bytes }: File): EnvelopeItem {
  const header = { type: "attachment", filename: name, ...(type !== undefined && { contentType: type }) };
  return { header, payload: bytes };
}

/** Reports an error with these files. Resolves with its id when it is filed. */
async function reportWithFiles(app: RunningApp, files: readonly File[]): Promise<string> {
  const error = anError({ function: "withFiles" });
  await report(app, [jsonItem("event", error), ...files.map(attachment)]);
  const address = `${app.url}/_holdfast/1/events/${error.event_id}`;
  await expect.poll(async () => (await fetch(address, { headers: { "x-person": "ada" } })).status).toBe(200);
  return error.event_id;
}

test("files of an event are listed with their type and size, and downloaded as they came", async ({ app, visit }) => {
  const log = Buffer.from("the first line\nthe second line, password=hunter2\n");
  const eventId = await reportWithFiles(app, [
    { name: "screen.png", type: "image/png", bytes: onePixel },
    { name: "server.log", type: "text/plain", bytes: log },
  ]);
  const operator = await visit(`/_holdfast/1/events/${eventId}`, { extraHTTPHeaders: { "x-person": "ada" } });
  const files = operator.page.getByRole("region", { name: "Attached files" });
  const [picture, text] = await files.getByRole("listitem").allInnerTexts();
  expect(picture).toMatch(/screen\.png\s+\d+ B, image\/png/);
  expect(text).toMatch(/server\.log\s+\d+ B, text\/plain/);
  const preview = files.getByRole("img", { name: "Preview of screen.png" });
  await preview.scrollIntoViewIfNeeded();
  await expect.poll(() => preview.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  const [download] = await Promise.all([
    operator.page.waitForEvent("download"),
    files.getByRole("link", { name: "server.log" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("server.log");
  const saved = readFileSync(await download.path(), "utf8");
  expect(saved).toContain("the first line\nthe second line, password=");
  expect(saved).not.toContain("hunter2");
});

test("a hostile file is a download that no browser opens, whatever its name and content are", async ({ app }) => {
  const html = Buffer.from("<!doctype html><script>document.title = 'owned'</script>");
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
  const eventId = await reportWithFiles(app, [
    { name: "../../etc/passwd", type: "text/html", bytes: html },
    { name: 'a"; filename="b.html', type: "image/png", bytes: html },
    { name: "line\r\nSet-Cookie: owned=1", type: "image/svg+xml", bytes: svg },
    { name: "invoice\u202Egnp.exe", type: "image/png", bytes: svg },
    { name: "", bytes: Buffer.alloc(0) },
  ]);
  const headers = { "x-person": "ada" };
  const page = await (await fetch(`${app.url}/_holdfast/1/events/${eventId}`, { headers })).text();
  expect(page).not.toContain("\u202E");
  const addresses = [...new Set(page.match(/\/_holdfast\/1\/events\/\w+\/attachments\/\d+/g))];
  expect(addresses).toHaveLength(5);
  const names: (string | null)[] = [];
  for (const address of addresses) {
    const answer = await fetch(app.url + address, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/octet-stream");
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    expect(answer.headers.get("set-cookie")).toBeNull();
    names.push(answer.headers.get("content-disposition"));
    expect((await fetch(app.url + address, { headers: { "x-person": "mallory" } })).status).toBe(404);
    expect((await fetch(app.url + address.replace("/1/events", "/2/events"), { headers })).status).toBe(404);
  }
  expect(names).toEqual([
    `attachment; filename="passwd"; filename*=UTF-8''passwd`,
    `attachment; filename="a__ filename__b.html"; filename*=UTF-8''a%22%3B%20filename%3D%22b.html`,
    `attachment; filename="lineSet-Cookie_ _scrubbed_"; filename*=UTF-8''lineSet-Cookie%3A%20%5Bscrubbed%5D`,
    `attachment; filename="invoicegnp.exe"; filename*=UTF-8''invoicegnp.exe`,
    `attachment; filename="attachment"; filename*=UTF-8''attachment`,
  ]);
});
