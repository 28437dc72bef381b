import { describe, expect } from "vitest";
import { application, journey, withoutJavaScript } from "../kit/index.ts";

/** One application with everything that writes addresses: a path, languages, links, code, forms, redirects. */
const test = journey({
  app: application({
    "holdfast.config.ts": 'export default { trailingSlash: "always", languages: { list: ["en", "de"] } };\n',
    "vite.config.ts":
      'import { holdfast } from "holdfast/vite";\nexport default { plugins: [holdfast({ at: "/shop" })] };\n',
    "public/notes.txt": "a public file\n",
    "src/pages/_layout.tsx": `import { usePage } from "holdfast";
export default function Frame({ children }: LayoutProps<"/">) {
  return <><p id="place">{usePage().path}</p>{children}</>;
}
`,
    "src/pages/index.tsx": `import { href, Link, navigate } from "holdfast";
export default () => (
  <main>
    <h1>Home</h1>
    <Link to="/about">About</Link> <Link to="/users/[id]" params={{ id: "ada" }} search={{ tab: 1 }}>Ada</Link>{" "}
    <Link to="/about" lang="de">German</Link> <Link to="/" lang="de">German home</Link>{" "}
    <a href="/shop/about">Without a slash</a> <a href={href("/old")}>Old</a>
    <button onClick={() => navigate("/users/[id]", { id: "code" })}>By code</button>
  </main>
);
`,
    "src/pages/about.tsx": "export default () => <h1>About</h1>;\n",
    "src/pages/old.tsx": "export default () => null;\n",
    "src/pages/old.server.ts": `import { load, redirect } from "holdfast/server";
export const data = load("/old", (): never => redirect("/about"));
`,
    "src/pages/users/[id].tsx": `import { Form } from "holdfast";
export default ({ params, actions }: PageProps<"/users/[id]">) => (
  <main>
    <h1>User {params.id}</h1>
    <Form action={actions.say}>{(form) => <><button>Say</button><p>{String(form.result ?? "")}</p></>}</Form>
    <Form action={actions.leave}><button>Leave</button></Form>
  </main>
);
`,
    "src/pages/users/[id].server.ts": `import { action, redirect } from "holdfast/server";
export const actions = { say: action({}, () => "said"), leave: action({}, () => redirect("/about")) };
`,
    "src/pages/api/names.server.ts": 'export const GET = (): Response => new Response("Ada, Bob");\n',
  }),
});

describe("an application whose pages end with a slash", () => {
  test("an application whose pages end with a slash leads from page to page without a redirect or a new document", async ({
    visit,
  }) => {
    const visitor = await visit("/shop/");
    await visitor.isAwake();
    for (const [link, address, heading] of [
      ["About", "/shop/about/", "About"],
      ["Ada", "/shop/users/ada/?tab=1", "User ada"],
      ["German", "/shop/de/about/", "About"],
      ["German home", "/shop/de/", "Home"],
      ["Old", "/shop/about/", "About"],
    ] as const) {
      await visitor.clickLink(link);
      await visitor.sees(heading);
      await expect.poll(() => visitor.address).toBe(address);
      expect(await visitor.page.locator("#place").textContent()).toBe(address.split("?")[0]);
      await visitor.page.goBack();
      await visitor.sees("Home");
    }
    await visitor.pressButton("By code");
    await visitor.sees("User code");
    expect([visitor.address, visitor.documentsLoaded]).toEqual(["/shop/users/code/", 1]);
  });

  test("a link that is written without the slash leads to the one spelling, without a new document", async ({
    visit,
  }) => {
    const visitor = await visit("/shop/");
    await visitor.isAwake();
    await visitor.clickLink("Without a slash");
    await visitor.sees("About");
    await expect.poll(() => [visitor.address, visitor.documentsLoaded]).toEqual(["/shop/about/", 1]);
  });

  for (const [how, options] of [
    ["with scripts", {}],
    ["without scripts", withoutJavaScript],
  ] as const)
    test(`an application whose pages end with a slash sends its forms ${how}`, async ({ visit }) => {
      const visitor = await visit("/shop/users/ada/", options);
      if (how === "with scripts") await visitor.isAlive();
      await visitor.pressButton("Say");
      await expect.poll(() => visitor.page.locator("main").textContent()).toContain("said");
      expect(visitor.address).toBe("/shop/users/ada/");
      await visitor.pressButton("Leave");
      await visitor.sees("About");
      expect(visitor.address).toBe("/shop/about/");
    });

  test("documents, API routes, public files and languages agree about the spelling", async ({ app: { url } }) => {
    const asked = async (path: string): Promise<unknown[]> => {
      const answer = await fetch(url + path, { redirect: "manual" });
      return [answer.status, answer.headers.get("location")];
    };
    expect(await asked("/shop")).toEqual([308, "/shop/"]);
    expect(await asked("/shop/de")).toEqual([308, "/shop/de/"]);
    expect(await asked("/shop/about?x=1")).toEqual([308, "/shop/about/?x=1"]);
    expect(await asked("/shop/en/about/")).toEqual([308, "/shop/about/"]);
    for (const path of ["/shop/about/", "/shop/api/names", "/shop/api/names/", "/notes.txt"])
      expect(await asked(path)).toEqual([200, null]);
    const document = await (await fetch(`${url}/shop/de/about/`)).text();
    expect(document).toContain(`<link rel="canonical" href="${url}/shop/de/about/"/>`);
    expect(document).toContain(`href="${url}/shop/about/"`);
  });
});
