import { openTestApp } from "holdfast/testing";
import { afterAll, expect, test, vi } from "vitest";

// The first request compiles the application; on a busy machine that takes longer than the five seconds of a test.
vi.setConfig({ testTimeout: 30_000 });

const app = await openTestApp();
afterAll(() => app.close());

test("a saved note has a page and appears in the list", async () => {
  const kept = await app.submit("/", "add", { title: "Milk", text: "Two bottles." });
  expect(kept.status).toBe(303);
  const note = await app.request(kept.headers.get("location") ?? "");
  expect(note.text).toContain("Two bottles.");
  expect((await app.request("/")).text).toContain("Milk");
});

test("a note without a title is refused, and the typed text stays", async () => {
  const refused = await app.submit("/", "add", { title: " ", text: "Two bottles." });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain("Give the note a title.");
  expect(refused.text).toContain("Two bottles.");
});

test("a missing note is answered with 404", async () => {
  expect((await app.request("/notes/999")).status).toBe(404);
});

test("an error shows its digest and not its message", async () => {
  const broken = await app.request("/break");
  expect(broken.status).toBe(500);
  expect(broken.text).toMatch(/[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}/);
});
