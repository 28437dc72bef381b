import { expect } from "vitest";
import { application, journey } from "../kit/index.ts";

/** Bytes of silence, at 8,000 a second: fifteen minutes. No byte of the file is above 127, so it is a text too. */
const samples = 0x700000;

function little(value: number, bytes: number): string {
  return Array.from({ length: bytes }, (_, at) => String.fromCharCode((value >> (8 * at)) & 0xff)).join("");
}

const sound = [
  `RIFF${little(samples + 36, 4)}WAVEfmt ${little(16, 4)}${little(1, 2)}${little(1, 2)}`,
  `${little(8_000, 4)}${little(8_000, 4)}${little(1, 2)}${little(8, 2)}data${little(samples, 4)}`,
  "\x7f".repeat(samples),
].join("");

const test = journey({
  app: application({
    "public/talk.wav": sound,
    "src/pages/index.tsx": `export default () => (
  <main>
    <h1>A talk</h1>
    <audio controls preload="metadata" src="/talk.wav"><track kind="captions" /></audio>
  </main>
);
`,
  }),
});

test("a player seeks in a public file, and loads only what it plays", async ({ visit }) => {
  const visitor = await visit("/");
  const parts: { range: string; status: number }[] = [];
  visitor.page.on("response", async (response) => {
    if (!response.url().endsWith("/talk.wav")) return;
    parts.push({ range: (await response.request().allHeaders()).range ?? "", status: response.status() });
  });
  const audio = visitor.page.locator("audio");
  const seeked = await audio.evaluate(async (element: HTMLAudioElement) => {
    const isThere = element.readyState >= HTMLMediaElement.HAVE_METADATA;
    if (!isThere) await new Promise((resolve) => element.addEventListener("loadedmetadata", resolve, { once: true }));
    const there = new Promise((resolve) => element.addEventListener("seeked", resolve, { once: true }));
    element.currentTime = 900;
    await there;
    return { duration: Math.round(element.duration), at: element.currentTime };
  });
  expect(seeked).toEqual({ duration: Math.round(samples / 8_000), at: 900 });
  const far = (range: string): boolean => Number(/^bytes=(\d+)-/.exec(range)?.[1]) > 6_000_000;
  await expect.poll(() => parts.filter(({ range, status }) => status === 206 && far(range)).length).toBeGreaterThan(0);
});
