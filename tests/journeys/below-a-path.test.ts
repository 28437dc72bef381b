import { join } from "node:path";
import { describe, expect, onTestFinished, test as plain } from "vitest";
import { openSources } from "#build";
import { startDevelopment } from "#host";
import { root } from "../../scripts/root.js";
import { application, journey, withoutJavaScript } from "../kit/index.ts";

/** One application for all of it: links, code, forms, guards and API routes, none of which says where it lives. */
const files = {
  "vite.config.ts":
    'import { holdfast } from "holdfast/vite";\nexport default { plugins: [holdfast({ at: "/admin" })] };\n',
  "src/pages/_layout.tsx": `import { usePage } from "holdfast";
export default function Frame({ children }: LayoutProps<"/">) {
  const { path, route } = usePage();
  return <><p id="place">{path} {route}</p>{children}</>;
}
`,
  "src/pages/index.tsx": `import { href, Link, navigate, prefetch, usePage } from "holdfast";
import { useState } from "react";
export default function Home() {
  const { path } = usePage();
  const [names, setNames] = useState("none yet");
  return (
    <main>
      <h1>Home</h1>
      <Link to="/users">All users</Link>
      <Link to="/users/[id]" params={{ id: "ada" }} search={{ tab: "notes" }}>Ada</Link>
      <Link to="/users/admin">The user named admin</Link>
      <Link to={path + "?again"}>Home again</Link>
      <Link to={href("/users/[id]", { id: "bob" })}>Bob</Link>
      <a href={href("/users/[id]", { id: "eve" })}>Eve</a>
      <a href="/admin/old">The old address</a>
      <button onClick={() => navigate("/users/[id]", { id: "code" })}>By code</button>
      <button onClick={() => navigate("/users?page=2")}>By code and text</button>
      <button onClick={() => prefetch("/users")}>Ahead</button>
      <button onClick={async () => setNames(await (await fetch(href("/api/names"))).text())}>Names</button>
      <p id="names">{names}</p>
    </main>
  );
}
`,
  "src/pages/old.tsx": "export default () => null;\n",
  "src/pages/old.server.ts": `import { load, redirect } from "holdfast/server";
export const data = load("/old", (): never => redirect("/users/[id]", { id: "new" }));
`,
  "src/pages/users/index.tsx": `export default () => <h1>Users</h1>;\n`,
  "src/pages/users/_not-found.tsx": `import { href } from "holdfast";
export default () => <><h1>No such user page</h1><a href={href("/")}>Home</a></>;
`,
  "src/pages/users/[id].tsx": `import { Form } from "holdfast";
export default function User({ data, actions }: PageProps<"/users/[id]">) {
  return (
    <main>
      <h1>User {data.id}</h1>
      <Form action={actions.rename}>
        {(form) => <><label>Name <input {...form.field("name")} /></label><button>Rename</button></>}
      </Form>
    </main>
  );
}
`,
  "src/pages/users/[id].server.ts": `import { action, load, redirect } from "holdfast/server";
export const data = load("/users/[id]", ({ params, url }) => ({ id: params.id, seen: url.pathname }));
export const actions = {
  rename: action({ route: "/users/[id]" }, ({ input }) => redirect("/users/[id]", { id: String((input as FormData).get("name")) })),
};
`,
  "src/pages/closed/_layout.server.ts": `import { redirect } from "holdfast/server";
export const guard = (): never => redirect("/users?closed");
`,
  "src/pages/closed/index.tsx": "export default () => <h1>Never</h1>;\n",
  "src/pages/api/names.server.ts": `export const GET = (): Response => new Response("Ada, Bob");\n`,
};

const test = journey({ app: application(files) });

describe("an application below a path", () => {
  test("an application below a path leads from page to page with every kind of link, and never leaves the document", async ({
    visit,
  }) => {
    const visitor = await visit("/admin");
    await visitor.isAwake();
    const links = [
      ["All users", "/admin/users", "Users"],
      ["Ada", "/admin/users/ada?tab=notes", "User ada"],
      ["The user named admin", "/admin/users/admin", "User admin"],
      ["Bob", "/admin/users/bob", "User bob"],
      ["Eve", "/admin/users/eve", "User eve"],
      ["The old address", "/admin/users/new", "User new"],
    ] as const;
    for (const [link, address, heading] of links) {
      await visitor.clickLink(link);
      await visitor.sees(heading);
      expect(visitor.address).toBe(address);
      await visitor.page.goBack();
      await visitor.sees("Home");
    }
    await visitor.clickLink("Home again");
    await expect.poll(() => visitor.address).toBe("/admin?again");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("an application below a path goes where its code wants, and fetches from its API routes", async ({ visit }) => {
    const visitor = await visit("/admin");
    await visitor.isAwake();
    await visitor.pressButton("Names");
    await expect.poll(() => visitor.page.locator("#names").textContent()).toBe("Ada, Bob");
    await visitor.pressButton("Ahead");
    await expect.poll(() => visitor.requestsFor("/admin/users/_data").length).toBe(1);
    await visitor.pressButton("By code");
    await visitor.sees("User code");
    await visitor.page.goBack();
    await visitor.sees("Home");
    await visitor.pressButton("By code and text");
    await visitor.sees("Users");
    expect([visitor.address, visitor.documentsLoaded]).toEqual(["/admin/users?page=2", 1]);
  });

  test("an application below a path tells its pages the address that the browser shows and the route without the path", async ({
    visit,
  }) => {
    const visitor = await visit("/admin");
    const place = () => visitor.page.locator("#place").textContent();
    expect(await place()).toBe("/admin /");
    await visitor.isAwake();
    expect(await place()).toBe("/admin /");
    await visitor.clickLink("Ada");
    await visitor.sees("User ada");
    expect(await place()).toBe("/admin/users/ada /users/[id]");
  });

  for (const [how, options] of [
    ["with scripts", {}],
    ["without scripts", withoutJavaScript],
  ] as const) {
    test(`an application below a path sends its forms and follows its redirects ${how}`, async ({ visit }) => {
      const visitor = await visit("/admin/closed", options);
      await visitor.sees("Users");
      expect(visitor.address).toBe("/admin/users?closed");
      await visitor.goTo("/admin/users/ada");
      if (how === "with scripts") await visitor.isAlive();
      await visitor.fillIn("Name", "lovelace");
      await visitor.pressButton("Rename");
      await visitor.sees("User lovelace");
      expect(visitor.address).toBe("/admin/users/lovelace");
    });
  }

  test("an application below a path answers an unknown address with the not-found page of the nearest folder", async ({
    visit,
    app: { url },
  }) => {
    const visitor = (await visit("/admin/users/a/b")).expecting(/404/);
    await visitor.sees("No such user page");
    await visitor.clickLink("Home");
    await visitor.sees("Home");
    expect(visitor.address).toBe("/admin");
    const asked = await Promise.all(["/", "/users", "/admin/api/nothing"].map((path) => fetch(url + path)));
    expect(asked.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(asked.at(-1)?.headers.get("content-type")).toContain("json");
  });
});

plain("an application below a path has the same addresses in development, on both sides", async () => {
  const folder = join(root, application({ ...files, "README.md": "A folder of its own.\n" }));
  const server = await startDevelopment({
    root: folder,
    sources: await openSources({ root: folder, watch: false }),
    port: 0,
    nextFreePort: false,
    host: "127.0.0.1",
    dataFolder: join(folder, ".holdfast/data"),
  });
  onTestFinished(async () => void (await server.stop()));
  const textOf = async (path: string): Promise<string> => (await fetch(server.url + path)).text();
  const document = await textOf("/admin");
  for (const address of ["/admin/users", "/admin/users/ada?tab=notes", "/admin/users/bob"])
    expect(document).toContain(`href="${address}"`);
  expect(await textOf(`/@fs${root}/src/routes/application-path.ts`)).toContain('applicationPath = "/admin"');
});
