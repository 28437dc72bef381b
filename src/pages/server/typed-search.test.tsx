import { describe, expect, it } from "vitest";
import { z } from "zod";
import { usePage } from "../react/index.ts";
import { load } from "./author/define.ts";
import { redirect } from "./author/outcome.ts";
import { type TestFiles, testApplication } from "./test-application.ts";

const search = z.object({
  q: z.string().max(20).default(""),
  page: z.number().int().min(1).default(1),
  open: z.boolean().default(true),
  tag: z.array(z.string()).default(["new"]),
  ids: z.array(z.number()).optional(),
  from: z.date().optional(),
  price: z.object({ min: z.number(), max: z.number().optional() }).optional(),
});

let loads = 0;

type PageNow = NonNullable<ReturnType<typeof usePage<string>>>;

/** Shows what a component reads in the page with the address of its schema. */
function Reads({ read }: { read: (page: PageNow) => unknown }) {
  const page = usePage("/reads" as string);
  return <p>{page && `${JSON.stringify(page.search)} ${read(page)}`}</p>;
}

/** The text of a page that reads this, and the whole document. */
async function shownWith(
  read: (page: PageNow) => unknown,
): Promise<{ shown: string | undefined; text: string; origin: string }> {
  await using application = await testApplication({
    "reads.tsx": { default: () => <Reads read={read} /> },
    "reads.server.ts": { search: z.object({ page: z.number().default(1) }) },
  });
  const { text } = await application.ask("/reads?page=2");
  return { shown: /<p>(.*?)<\/p>/.exec(text)?.[1]?.replaceAll("&quot;", '"'), text, origin: application.origin };
}

function Shown() {
  return <p>list</p>;
}

const files = {
  "list.tsx": { default: Shown },
  "list.server.ts": {
    search,
    data: load("/list", { search }, ({ search: typed }) => {
      loads += 1;
      return typed;
    }),
  },
  "strict.tsx": { default: Shown },
  "strict.server.ts": { search, wrongSearch: "refuse" },
  "needs.tsx": { default: () => <p>needs</p> },
  "needs.server.ts": { search: z.object({ id: z.number(), page: z.number().default(1) }) },
  "other.tsx": { default: Shown },
  "moved.tsx": { default: () => null },
  "moved.server.ts": {
    data: load("/moved", () => redirect("/list", undefined, { search: { tag: ["a", "b"], page: 3 } })),
  },
  "throws.tsx": { default: () => null },
  "throws.server.ts": {
    search: {
      "~standard": {
        version: 1,
        vendor: "own",
        validate: () => {
          throw new Error("The schema is broken.");
        },
      },
    },
  },
} satisfies TestFiles;

/** What the page's load has received. */
async function readAt(address: string): Promise<unknown> {
  await using application = await testApplication(files);
  const { text } = await application.ask(address.replace("?", "/_data?"));
  const [, own] = JSON.parse(text.split("\n")[1] ?? "").data;
  return own;
}

describe("a page with a search schema", () => {
  it("a load that has the page's search schema receives what the schema has read, and so does the page", async () => {
    expect(await readAt("/list?")).toEqual({ q: "", page: 1, open: true, tag: ["new"] });
    expect(await readAt("/list?q=7&page=2&open=false&tag=a&ids=3&from=2026-01-01&price.min=3&utm_source=x")).toEqual({
      q: "7",
      page: 2,
      open: false,
      tag: ["a"],
      ids: [3],
      from: ["~d", Date.UTC(2026, 0, 1)],
      price: { min: 3 },
    });
    expect(await readAt("/list?tag=a&tag=b&ids=1&ids=2&open=on&open=false")).toMatchObject({
      tag: ["a", "b"],
      ids: [1, 2],
      open: false,
    });
  });

  it("a form that is sent without JavaScript has an address that the page understands, with empty fields too", async () => {
    expect(await readAt("/list?q=&page=&tag=&ids=&from=&price.min=&open=on")).toEqual({
      q: "",
      page: 1,
      open: true,
      tag: [],
      ids: [],
    });
  });

  it("a wrong value in the address is replaced by its default, and the others stay", async () => {
    expect(await readAt("/list?q=boots&page=0&ids=1&ids=x&from=2026-02-31")).toEqual({
      q: "boots",
      page: 1,
      open: true,
      tag: ["new"],
    });
    expect(await readAt("/list?page=two&page=3&q.x=1")).toMatchObject({ q: "", page: 3 });
  });

  it("a page that refuses a wrong search responds with 400 and loads nothing", async () => {
    await using application = await testApplication(files);
    expect((await application.ask("/strict?page=0")).status).toBe(400);
    expect((await application.ask("/strict/_data?page=0")).status).toBe(400);
    expect((await application.ask("/strict/_data?page=&from=&price.min=&price.max=")).status).toBe(200);
    // A search without a value that the schema needs cannot be replaced by defaults.
    expect((await application.ask("/needs?page=2")).status).toBe(400);
    expect((await application.ask("/needs?id=2")).status).toBe(200);
    expect(application.recorded).toEqual([]);
  });

  it("a hostile address is refused before the schema sees it", async () => {
    const before = loads;
    await using application = await testApplication(files);
    const many = Array.from({ length: 201 }, (_, at) => `a${at}`).join("&");
    expect((await application.ask(`/list?${many}`)).status).toBe(400);
    expect((await application.ask(`/list?${"a.".repeat(5_000)}b=1`)).status).toBe(400);
    expect(loads).toBe(before);
    const odd = await application.ask("/list?__proto__.page=3&constructor=1&toString.x=1&page[]=1&%FF=1&q=%00");
    expect(odd.status).toBe(200);
    await using wider = await testApplication(files, { limits: { searchValues: 300 } });
    expect((await wider.ask(`/list?${many}`)).status).toBe(200);
    expect([...application.recorded, ...wider.recorded]).toEqual([]);
  });

  it("a redirect may have a search", async () => {
    await using application = await testApplication(files);
    const { headers } = await application.ask("/moved");
    expect(headers.location).toBe("/list?tag=a&tag=b&page=3");
  });

  it("the browser gets the search and the defaults after the data of the page", async () => {
    await using application = await testApplication(files);
    const { text } = await application.ask("/list/_data?q=boots");
    const [, , typed] = JSON.parse(text.split("\n")[1] ?? "").data;
    expect(typed).toEqual({
      search: { q: "boots", page: 1, open: true, tag: ["new"] },
      defaults: { q: "?q=", page: "?page=1", open: "?open=true", tag: "?tag=new" },
    });
  });

  it("usePage with the id of the page has all that it has without, on the server too", async () => {
    const address = '{"page":2}';
    const origin = await shownWith((page) => page.origin);
    expect(origin.shown).toBe(`${address} ${origin.origin}`);
    const nonce = await shownWith((page) => page.nonce);
    const [, ofDocument] = /<script nonce="([^"]+)"/.exec(nonce.text) ?? [];
    expect(nonce.shown).toBe(`${address} ${ofDocument}`);
    expect((await shownWith((page) => typeof page.submissionKey)).shown).toBe(`${address} string`);
    expect((await shownWith((page) => typeof page.settled?.(Promise.resolve()))).shown).toBe(`${address} undefined`);
    expect((await shownWith((page) => `${page.path} ${page.route} ${page.params && "params"}`)).shown).toBe(
      `${address} /reads /reads params`,
    );
  });

  it("usePage with the id of the page reads only what a component reads", async () => {
    const [neither, key] = [await shownWith(() => ""), await shownWith((page) => page.submissionKey && "")];
    // The document of a page with a form has a script for what is typed before the page is alive.
    expect(key.text.length).toBeGreaterThan(neither.text.length);
  });

  it("a page without a schema is as before", async () => {
    await using application = await testApplication(files);
    expect((await application.ask("/other?page=0")).status).toBe(200);
    const { text: data } = await application.ask("/other/_data");
    expect(data).toContain('"data":[["~u"],["~u"]]');
  });

  it("a schema that throws, or is none, is an error with a digest", async () => {
    await using application = await testApplication({
      ...files,
      "none.tsx": { default: () => null },
      "none.server.ts": { search: "q" },
    });
    expect((await application.ask("/throws")).status).toBe(500);
    expect((await application.ask("/none")).status).toBe(500);
    expect(application.recorded.map(({ error }) => String(error))).toEqual([
      "Error: The schema is broken.",
      expect.stringContaining("none.server.ts exports search as string."),
    ]);
  });
});
