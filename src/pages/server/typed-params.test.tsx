import { describe, expect, it } from "vitest";
import { z } from "zod";
import { action, load } from "./author/define.ts";
import { type TestApplication, type TestFiles, testApplication } from "./test-application.ts";

const seen: unknown[] = [];
const see = ({ params }: { params: unknown }): void => void seen.push(params);

const params = z.object({ kind: z.enum(["in", "out"]), line: z.coerce.number().int().positive() });

const files = {
  "_not-found.tsx": { default: () => <p>nothing here</p> },
  "lines/[kind]/_layout.tsx": { default: ({ children }: { children: React.ReactNode }) => children },
  "lines/[kind]/_layout.server.ts": { guard: see, data: load(see) },
  "lines/[kind]/[line].tsx": { default: () => <p>line</p> },
  "lines/[kind]/[line].server.ts": {
    params,
    guard: see,
    data: load(({ params: read }) => {
      see({ params: read });
      return read;
    }),
    actions: { flip: action({}, see) },
  },
  "days/[day].tsx": { default: () => <p>day</p> },
  "days/[day].server.ts": { params: z.object({ day: z.date() }), data: load((context) => context.params) },
  "counts/[count].tsx": { default: () => <p>count</p> },
  "counts/[count].server.ts": { params: z.object({ count: z.number() }), data: load((context) => context.params) },
  "api/[line].server.ts": {
    params: z.object({ line: z.number() }).refine(async ({ line }) => line !== 13),
    GET: (_request: Request, context: { params: unknown }) => Response.json(context.params),
  },
  "throws/[id].tsx": { default: () => null },
  "throws/[id].server.ts": {
    params: z.object({ id: z.string() }).transform(() => {
      throw new Error("The schema is broken.");
    }),
  },
  "wrong/[id].tsx": { default: () => null },
  "wrong/[id].server.ts": { params: z.object({ ids: z.string() }) },
  "endless/[id].tsx": { default: () => null },
  "endless/[id].server.ts": {
    params: z.object({ id: z.string().refine(() => new Promise<boolean>(() => undefined)) }),
  },
} satisfies TestFiles;

/** The values in the page data of an address: of its folders, of its page, and of its schemas. */
async function dataAt(application: TestApplication, address: string): Promise<readonly unknown[]> {
  const { text } = await application.ask(`${address}/_data`);
  return JSON.parse(text.split("\n")[1] ?? "").data;
}

describe("a page with a schema for its parameters", () => {
  it("its guard, load and actions get what the schema returns, its folders get texts", async () => {
    await using application = await testApplication(files);
    seen.length = 0;
    const texts = { kind: "in", line: "7" };
    const read = { kind: "in", line: 7 };
    expect((await dataAt(application, "/lines/in/7")).slice(2)).toEqual([read, { params: read, defaults: {} }]);
    expect(seen).toEqual([texts, read, texts, read]);
    const headers = { "content-type": "application/json", origin: application.origin };
    await application.ask("/lines/in/7/_action/flip/_data", { method: "POST", headers, body: "{}" });
    expect(seen.slice(4, 7)).toEqual([texts, read, read]);
  });

  it("a value that the schema refuses is the not-found page, and neither guard nor load of the page runs", async () => {
    await using application = await testApplication(files);
    for (const path of ["/lines/in/x", "/lines/in/0", "/lines/up/7", "/lines/in/7.5"]) {
      seen.length = 0;
      const { status, text } = await application.ask(path);
      expect([path, status]).toEqual([path, 404]);
      expect(text).toContain("nothing here");
      expect(seen.every((one) => typeof (one as { line: unknown }).line === "string")).toBe(true);
    }
    expect((await application.ask("/lines/in/x/_data")).status).toBe(404);
    const body = { method: "POST", headers: { origin: application.origin }, body: "" };
    expect((await application.ask("/lines/in/x/_action/flip", body)).status).toBe(404);
    expect(application.recorded).toEqual([]);
  });

  it("a number, a boolean and a date are read without coercion, in the one spelling that they have", async () => {
    await using application = await testApplication(files);
    const day = Date.UTC(2026, 0, 2);
    expect((await dataAt(application, "/days/2026-01-02"))[1]).toEqual({ day: ["~d", day] });
    expect((await dataAt(application, "/counts/-1.5"))[1]).toEqual({ count: -1.5 });
    for (const path of ["/counts/007", "/counts/1e3", "/counts/7.0", "/days/2026-02-31", "/days/tomorrow"])
      expect((await application.ask(path)).status).toBe(404);
  });

  it("an API route has one too, also with a schema that waits", async () => {
    await using application = await testApplication(files);
    expect(JSON.parse((await application.ask("/api/7")).text)).toEqual({ line: 7 });
    expect((await application.ask("/api/x")).status).toBe(404);
    expect((await application.ask("/api/13")).status).toBe(404);
  });

  it("a schema that throws, wants another name or does not end is an error with the texts of the address", async () => {
    await using application = await testApplication(files, { limits: { loadMs: 300 } });
    expect((await application.ask("/throws/7")).status).toBe(500);
    expect((await application.ask("/wrong/7")).status).toBe(500);
    expect((await application.ask("/endless/7")).status).toBe(504);
    expect(application.recorded.map(({ error }) => String(error))).toEqual([
      "Error: The schema is broken.",
      expect.stringContaining('wants "ids", which the route does not have'),
      expect.stringContaining("took longer than 300 ms"),
    ]);
    expect(application.recorded.map(({ place }) => place.params)).toEqual([{ id: "7" }, { id: "7" }, { id: "7" }]);
  });

  it("an export that is no schema, or another one than its load has, is an error that names the file", async () => {
    const other = load("/b/[id]", { params: z.object({ id: z.string() }) }, () => 1);
    await using application = await testApplication({
      "a/[id].tsx": { default: () => null },
      "a/[id].server.ts": { params: "id" },
      "b/[id].tsx": { default: () => null },
      "b/[id].server.ts": { params: z.object({ id: z.string() }), data: other },
    });
    expect((await application.ask("/a/1")).status).toBe(500);
    expect((await application.ask("/b/1")).status).toBe(500);
    expect(application.recorded.map(({ error }) => String(error))).toEqual([
      expect.stringContaining("a/[id].server.ts exports params as string."),
      expect.stringContaining("Make it the schema that is given to load(…)."),
    ]);
  });
});

describe("a page with an optional parameter", () => {
  const layout = ({ params, children }: { params: Record<string, string>; children: React.ReactNode }) => (
    <section title={JSON.stringify(params)}>{children}</section>
  );
  const optional = {
    "blog/[[page]].tsx": { default: () => <p>blog</p> },
    "blog/[[page]].server.ts": { params: z.object({ page: z.number().default(1) }), data: load((one) => one.params) },
    "[[lang]]/_layout.tsx": { default: layout },
    "[[lang]]/_not-found.tsx": { default: () => <p>nothing here</p> },
    "[[lang]]/terms.tsx": { default: () => <p>terms</p> },
  } satisfies TestFiles;

  it("answers with and without it, and its schema may have a default", async () => {
    await using application = await testApplication(optional);
    expect((await dataAt(application, "/blog"))[1]).toEqual({ page: 1 });
    expect((await dataAt(application, "/blog/2"))[1]).toEqual({ page: 2 });
    expect((await application.ask("/blog/x")).status).toBe(404);
    expect((await application.ask("/blog/")).headers.location).toBe("/blog");
    expect((await application.ask("/terms")).text).toContain('title="{}"');
    expect((await application.ask("/de/terms")).text).toContain("{&quot;lang&quot;:&quot;de&quot;}");
  });

  it("its folder shows what nothing answers, with the parameter that the address has", async () => {
    await using application = await testApplication(optional);
    for (const [path, params] of [
      ["/trems", "{}"],
      ["/de/trems", "{&quot;lang&quot;:&quot;de&quot;}"],
    ] as const) {
      const { status, text } = await application.ask(path);
      expect(status).toBe(404);
      expect(text).toContain("nothing here");
      expect(text).toContain(`title="${params}"`);
    }
  });
});

describe("pages that differ by their matchers", () => {
  const shown = (name: string) => ({ default: () => <p>{name}</p> });
  const matched = {
    "matchers.ts": {
      integer: (value: string) => /^\d+$/.test(value),
      broken: (value: string) => {
        throw new Error(`The matcher is broken by ${value}.`);
      },
      waits: async () => true,
      constant: 7,
    },
    "parts/[part=integer].tsx": shown("a number"),
    "parts/[slug].tsx": shown("a slug"),
    "parts/[part=integer]/_layout.tsx": { default: ({ children }: { children: React.ReactNode }) => <b>{children}</b> },
    "parts/[part=integer]/size.tsx": shown("a size"),
    "broken/[id=broken].tsx": shown("broken"),
    "broken/[id].tsx": shown("never"),
    "waits/[id=waits].tsx": shown("waits"),
    "constant/[id=constant].tsx": shown("constant"),
  } satisfies TestFiles;

  it("the one whose matcher accepts the value answers, also for values that an address has to encode", async () => {
    await using application = await testApplication(matched);
    expect((await application.ask("/parts/7")).text).toContain("a number");
    expect((await application.ask("/parts/seven")).text).toContain("a slug");
    expect((await application.ask("/parts/~~7~2F8")).text).toContain("a slug");
    expect((await application.ask("/parts/7/size")).text).toContain("a size");
    expect((await application.ask("/parts/seven/size")).status).toBe(404);
    // The folder of what nothing answers has a matcher too.
    expect((await application.ask("/parts/7/none")).text).toContain("<b>");
    expect((await application.ask("/parts/seven/none")).text).not.toContain("<b>");
    expect(application.recorded).toEqual([]);
  });

  it("a matcher that throws, waits or is none is an error with an event, and no other route answers instead", async () => {
    await using application = await testApplication(matched);
    for (const path of ["/broken/7", "/broken/7/_data", "/waits/7", "/constant/7"])
      expect([path, (await application.ask(path)).status]).toEqual([path, 500]);
    expect(application.recorded.map(({ error }) => String(error))).toEqual([
      "Error: The matcher is broken by 7.",
      "Error: The matcher is broken by 7.",
      expect.stringContaining('The matcher "waits" of src/matchers.ts is or returned object.'),
      expect.stringContaining('The matcher "constant" of src/matchers.ts is or returned number.'),
    ]);
    expect((await application.ask("/parts/7")).status).toBe(200);
  });
});
