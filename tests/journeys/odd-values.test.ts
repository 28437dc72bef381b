import { expect } from "vitest";
import { application, journey, withoutJavaScript } from "../kit/index.ts";

/** Names as visitors choose them. The last ones are not valid as a parameter. */
const names = ["Ada", "AC/DC", "a\\b", "50%25", "%E0", "_data", "~~x", "caf\u00e9 & co"];
const nameless = ["", ".", ".."];

const test = journey({
  app: application({
    "src/names.ts": `export const names: readonly string[] = ${JSON.stringify([...names, ...nameless])};`,
    "src/pages/index.tsx": `
import { Link } from "holdfast";
import { names } from "../names.ts";
export default function People() {
  return <main><h1>People</h1><ul>{names.map((name) => <li key={name}><Link to="/people/[name]" params={{ name }}>{\`<\${name}>\`}</Link></li>)}</ul></main>;
}`,
    "src/pages/people/[name].server.ts": `
import { load, notFound } from "holdfast/server";
import { names } from "../../names.ts";
export const data = load("/people/[name]", ({ params }) => (names.includes(params.name) ? JSON.parse('{"__proto__":{"kept":"yes"}}') : notFound()));`,
    "src/pages/people/[name].tsx": `
export default function Person({ data, params }: PageProps<"/people/[name]">) {
  return <main><h1>{\`This is <\${params.name}>\`}</h1><p id="data">{JSON.stringify(data)}</p></main>;
}`,
  }),
});

test.for([
  ["with", {}],
  ["without", withoutJavaScript],
] as const)(
  "%s JavaScript a page with odd names in it is shown, and each name has its page",
  async ([how, options], { visit }) => {
    const visitor = await visit("/", options);
    if (how === "with") await visitor.isAlive();
    for (const name of names) {
      await visitor.clickLink(`<${name}>`);
      await visitor.page.getByRole("heading", { name: `This is <${name}>`, exact: true }).waitFor();
      // A key that other frameworks mishandle is an ordinary key.
      expect(await visitor.page.locator("#data").textContent()).toBe('{"__proto__":{"kept":"yes"}}');
      await visitor.page.goBack();
      await visitor.sees("People");
    }
    expect(visitor.documentsLoaded).toBe(how === "with" ? 1 : 1 + 2 * names.length);
  },
);

test("a name that no address can contain leads to the not-found page", async ({ visit }) => {
  const visitor = await visit("/");
  visitor.expecting(/404/);
  for (const name of nameless) {
    await visitor.clickLink(`<${name}>`);
    await visitor.sees("Page not found");
    await visitor.goTo("/");
    await visitor.sees("People");
  }
});
