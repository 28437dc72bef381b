import { expect } from "vitest";
import { application, journey } from "../kit/index.ts";

const test = journey({
  app: application({
    "holdfast.config.ts": `import type { HoldfastConfig } from "holdfast/server";
export default { limits: { uploadBytes: 8 * 1024 * 1024 } } satisfies HoldfastConfig;
`,
    "src/pages/index.tsx": `import { Form } from "holdfast";
export default ({ actions }: PageProps<"/">) => (
  <main>
    <h1>Files</h1>
    <Form action={actions.send} encType="multipart/form-data">
      {(form) => (
        <>
          <input type="file" name="file" aria-label="File" />
          <button type="submit">Send</button>
          {form.pending && <progress aria-label="Sent" value={form.progress} />}
          <output>{form.result === undefined ? "" : String(form.result)}</output>
        </>
      )}
    </Form>
  </main>
);
`,
    "src/pages/index.server.ts": `import { action } from "holdfast/server";
export const actions = {
  send: action({ uploads: true }, ({ input }) => {
    const file = input instanceof FormData ? input.get("file") : null;
    return file instanceof File ? file.name + ", " + file.size + " bytes" : "nothing";
  }),
};
`,
  }),
});

const bytes = 6_000_000;
const chosen = (size = bytes) => ({
  name: "a.bin",
  mimeType: "application/octet-stream",
  buffer: Buffer.alloc(size, 7),
});

test("an upload shows how far it has come, and then its result", async ({ visit }) => {
  const visitor = await visit("/");
  await visitor.isAlive();
  const { page } = visitor;
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  const perSecond = bytes / 3;
  const slowly = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: perSecond };
  await page.getByLabel("File").setInputFiles(chosen());
  await network.send("Network.emulateNetworkConditions", slowly);
  await visitor.pressButton("Send");
  const shown = new Set<number>();
  await expect
    .poll(async () => {
      const value = await page.evaluate(() => document.querySelector("progress")?.getAttribute("value"));
      if (value) shown.add(Number(value));
      return page.locator("output").textContent();
    })
    .toBe(`a.bin, ${bytes} bytes`);
  const steps = [...shown];
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  expect(steps.filter((share) => share > 0 && share < 1).length).toBeGreaterThan(2);
  expect(await page.locator("progress").count()).toBe(0);
  expect(visitor.requestsFor(/_action\/send\/_data/)).toHaveLength(1);
});

test("an upload beyond the limit says that it is too large", async ({ visit }) => {
  const visitor = (await visit("/")).expecting(/413/);
  await visitor.isAlive();
  await visitor.page.getByLabel("File").setInputFiles(chosen(14_000_000));
  await visitor.pressButton("Send");
  await visitor.page.getByText("This is too large.").waitFor();
});

test("an upload without JavaScript is a plain post with the same result", async ({ visit }) => {
  const visitor = await visit("/", { javaScriptEnabled: false });
  await visitor.page.getByLabel("File").setInputFiles(chosen());
  await visitor.pressButton("Send");
  await expect.poll(() => visitor.page.locator("output").textContent()).toBe(`a.bin, ${bytes} bytes`);
});
