/** `typed` uses the types of Holdfast; `plain` is what a developer writes without them. */
export type Typing = "typed" | "plain";

/** What can be left out of each page, to see what it costs. */
export type Part = "links" | "href" | "forms" | "searches";

export interface ManyRoutes {
  typing: Typing;
  count: number;
  without?: Part | undefined;
  /** Each page has code of its own, too: with it, there are as many lines for each page as in the tour. */
  hasOwnCode?: boolean;
}

/**
 * The same application twice, so that the cost of the types can be compared. Both infer from the same Zod schemas. In
 * `plain` an address is any text, and each page imports the types of its data, search and form from its server half.
 *
 * Every second page has a load, every third a search schema and every fifth an action with a form; half have a
 * parameter. Each page has three links and calls `href` once.
 */
export function manyRoutes({ typing, count, without, hasOwnCode = false }: ManyRoutes): Record<string, string> {
  const files: Record<string, string> = {
    "tsconfig.json": JSON.stringify({ compilerOptions, include: [".holdfast/types", "src"] }),
    "src/pages/index.tsx": "export default function Home() {\n  return <h1>Home</h1>;\n}\n",
  };
  if (typing === "plain") files["src/plain.tsx"] = plainParts;
  const write =
    typing === "typed" ? { server: typedServer, page: typedPage } : { server: plainServer, page: plainPage };
  for (let number = 0; number < count; number++) {
    const page = describePage(number, { count, without, hasOwnCode });
    if (page.hasOwnCode) files[`src/tables/table-${number}.tsx`] = ownCode;
    if (page.hasServer) files[`src/pages${page.id}.server.ts`] = write.server(page);
    files[`src/pages${page.id}.tsx`] = write.page(page);
  }
  return files;
}

/** As the starter has them. `holdfast` refers to `vite/client` itself; an application without it does. */
const compilerOptions = {
  target: "es2024",
  lib: ["es2024", "dom", "dom.iterable"],
  module: "preserve",
  moduleDetection: "force",
  jsx: "react-jsx",
  types: ["node", "vite/client"],
  allowImportingTsExtensions: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
};

export interface Target {
  id: string;
  hasParam: boolean;
  hasSearch: boolean;
}

interface Page extends Target {
  number: number;
  hasLoad: boolean;
  hasAction: boolean;
  hasServer: boolean;
  hasHref: boolean;
  hasOwnCode: boolean;
  targets: readonly Target[];
  links: readonly Target[];
}

export function describeTarget(number: number, without?: Part): Target {
  const hasParam = number % 4 < 2;
  const id = `/part-${number % 20}/page-${number}${hasParam ? "/[id]" : ""}`;
  return { id, hasParam, hasSearch: number % 3 === 0 && without !== "searches" };
}

function describePage(number: number, chosen: Pick<ManyRoutes, "count" | "without"> & Pick<Page, "hasOwnCode">): Page {
  const { count, without, hasOwnCode } = chosen;
  const target = describeTarget(number, without);
  const [hasLoad, hasAction] = [number % 2 === 0, number % 5 === 0 && without !== "forms"];
  const targets = [1, 7, 31].map((distance) => describeTarget((number + distance) % count, without));
  const links = without === "links" ? [] : targets;
  const hasServer = hasLoad || hasAction || target.hasSearch;
  return { ...target, number, hasLoad, hasAction, hasServer, hasHref: without !== "href", hasOwnCode, targets, links };
}

/** Joins the lines that a page has. */
const lines = (...all: readonly (string | false)[]) => `${all.filter((line) => line !== false).join("\n")}\n`;

const names = (...all: readonly (string | false)[]) => all.filter((name) => name !== false).join(", ");

const searchSchema = `export const search = z.object({
  page: z.coerce.number().int().min(1).default(1),
  sort: z.enum(["name", "age"]).default("name"),
  q: z.string().optional(),
});`;

const fieldsSchema = `const fields = z.object({
  name: z.string().min(1).max(80),
  age: z.coerce.number().int(),
  note: z.string().optional(),
});`;

const result = ({ hasParam, hasSearch, number }: Page) => `{
    path: url.pathname,
    id: ${hasParam ? "params.id" : '"none"'},
    rows: [{ name: "row", page: ${hasSearch ? "search.page" : 1}, number: ${number} }],
  }`;

const saving = ({ targets: [, , far] }: Page) => `{
    if (input.age > 150) redirect("${far?.id}"${far?.hasParam ? ', { id: "old" }' : ""});
    return { path: url.pathname, said: input.name.length };
  }`;

function typedServer(page: Page): string {
  const { id, hasParam, hasSearch, hasLoad, hasAction } = page;
  const used = names("url", hasParam && "params", hasSearch && "search");
  const imported = names(hasAction && "action", hasLoad && "load", hasAction && "redirect");
  return lines(
    imported !== "" && `import { ${imported} } from "holdfast/server";`,
    (hasSearch || hasAction) && 'import { z } from "zod";',
    hasSearch && searchSchema,
    hasAction && fieldsSchema,
    hasLoad && `export const data = load("${id}", ${hasSearch ? "{ search }, " : ""}async ({ ${used} }) => {`,
    hasLoad && `  return ${result(page)};\n});`,
    hasAction &&
      `export const actions = {\n  save: action({ route: "${id}", input: fields }, async ({ input, url }) =>`,
    hasAction && `  ${saving(page)}),\n};`,
  );
}

function plainServer(page: Page): string {
  const { hasParam, hasSearch, hasLoad, hasAction } = page;
  const used = names("url", hasParam && "params", hasSearch && "search");
  const context = `Context${hasParam ? "<{ id: string }>" : ""}`;
  return lines(
    (hasLoad || hasAction) && `import { ${names("type Context", hasAction && "redirect")} } from "${plain(page)}";`,
    (hasSearch || hasAction) && 'import { z } from "zod";',
    hasSearch && searchSchema,
    hasSearch && "export type Search = z.output<typeof search>;",
    hasAction && fieldsSchema,
    hasAction && "export type Fields = z.input<typeof fields>;",
    hasLoad && `export async function load({ ${used} }: ${context}${hasSearch ? " & { search: Search }" : ""}) {`,
    hasLoad && `  return ${result(page)};\n}`,
    hasAction && `export async function save({ input, url }: ${context} & { input: z.output<typeof fields> })`,
    hasAction && `  ${saving(page)}`,
  );
}

function typedPage(page: Page): string {
  const props = names("params", page.hasLoad && "data", page.hasSearch && "search", page.hasAction && "actions");
  return lines(
    `import { ${names(page.hasAction && "Form", "href", "Link")} } from "holdfast";`,
    ownImport(page),
    `export default function Page({ ${props} }: PageProps<"${page.id}">) {`,
    ...markup(page, "Form"),
    "}",
  );
}

function plainPage(page: Page): string {
  const { id, hasParam, hasSearch, hasLoad, hasAction } = page;
  const props = names("params", hasLoad && "data", hasSearch && "search", hasAction && "actions");
  const imported = names(hasAction && "Fields", hasLoad && "load", hasAction && "save", hasSearch && "Search");
  return lines(
    `import { ${names(hasAction && "type Action", hasAction && "Form", "href", "Link")} } from "${plain(page)}";`,
    ownImport(page),
    imported !== "" && `import type { ${imported} } from "./${id.split("/").at(-1)}.server.ts";`,
    "interface Props {",
    `  params: ${hasParam ? "{ id: string }" : "object"};`,
    hasLoad && "  data: Awaited<ReturnType<typeof load>>;",
    hasSearch && "  search: Search;",
    hasAction && "  actions: { save: Action };",
    "}",
    `export default function Page({ ${props} }: Props) {`,
    ...markup(page, "Form<Fields, Awaited<ReturnType<typeof save>>>"),
    "}",
  );
}

const source = ({ hasParam }: Page, file: string) => `../../${hasParam ? "../" : ""}${file}`;

const plain = (page: Page) => source(page, "plain.tsx");

const ownImport = (page: Page) =>
  page.hasOwnCode && `import { Table } from "${source(page, `tables/table-${page.number}.tsx`)}";`;

function markup(page: Page, form: string): (string | false)[] {
  const [near] = page.targets;
  return [
    "  return (",
    "    <main>",
    `      <h1>{${page.hasParam ? "params.id" : "Object.keys(params).length"}}</h1>`,
    page.hasLoad && "      <ul>{data.rows.map((row) => <li key={row.number}>{row.name.trim()}</li>)}</ul>",
    page.hasSearch && "      <p>{search.page.toFixed()} {search.q?.trim()}</p>",
    page.hasOwnCode && `      <Table rows={${page.hasLoad ? "data.rows" : "[]"}} />`,
    ...page.links.map((target) => `      ${link(target)}`),
    page.hasHref && `      <a href={href("${near?.id}"${near?.hasParam ? ", { id: 2 }" : ""})}>plain</a>`,
    page.hasAction && `      <${form} action={actions.save}>`,
    page.hasAction && '        {(form) => <p><input {...form.field("name")} /><input {...form.field("age")} />',
    page.hasAction && '          <b {...form.error("age")} />{form.result?.said.toFixed()}</p>}',
    page.hasAction && "      </Form>",
    "    </main>",
    "  );",
  ];
}

function link({ id, hasParam, hasSearch }: Target): string {
  const params = hasParam ? " params={{ id: 1 }}" : "";
  return `<Link to="${id}"${params}${hasSearch ? " search={{ page: 2 }}" : ""} className="near">next</Link>`;
}

/** A table that sorts and filters its rows: code of an application that has no types of a framework. */
const ownCode = `import { useMemo, useState } from "react";

export interface Row {
  name: string;
  page: number;
  number: number;
}

type Order = "name" | "page" | "number";

const columns: readonly { key: Order; title: string; isNumeric: boolean }[] = [
  { key: "name", title: "Name", isNumeric: false },
  { key: "page", title: "Page", isNumeric: true },
  { key: "number", title: "Number", isNumeric: true },
];

const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

function compare(order: Order, isDown: boolean): (one: Row, other: Row) => number {
  const sign = isDown ? -1 : 1;
  if (order === "name") return (one, other) => sign * one.name.localeCompare(other.name);
  return (one, other) => sign * (one[order] - other[order]);
}

function summarize(rows: readonly Row[]): { count: number; mean: number; largest: Row | undefined } {
  const sum = rows.reduce((total, row) => total + row.number, 0);
  const largest = rows.toSorted((one, other) => other.number - one.number).at(0);
  return { count: rows.length, mean: rows.length === 0 ? 0 : sum / rows.length, largest };
}

export function Table({ rows }: { rows: readonly Row[] }) {
  const [order, setOrder] = useState<Order>("name");
  const [isDown, setDown] = useState(false);
  const [filter, setFilter] = useState("");
  const shown = useMemo(() => {
    const wanted = filter.trim().toLowerCase();
    return rows.filter(({ name }) => name.toLowerCase().includes(wanted)).sort(compare(order, isDown));
  }, [rows, order, isDown, filter]);
  const { count, mean, largest } = summarize(shown);
  const sortBy = (key: Order) => {
    setDown(key === order ? !isDown : false);
    setOrder(key);
  };
  return (
    <section>
      <input type="search" value={filter} onChange={(event) => setFilter(event.target.value)} />
      <table className="rows">
        <thead>
          <tr>
            {columns.map(({ key, title, isNumeric }) => (
              <th key={key} scope="col" className={isNumeric ? "number" : undefined}>
                <button type="button" aria-pressed={key === order} onClick={() => sortBy(key)}>{title}</button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.number}>{columns.map(({ key }) => <td key={key}>{String(row[key])}</td>)}</tr>
          ))}
        </tbody>
      </table>
      <p>{count} rows, {numbers.format(mean)} on average{largest && \`, at most \${largest.number}\`}</p>
    </section>
  );
}
`;

/** What the pages of `plain` share: components as every router has them, and a form with names of its fields. */
const plainParts = `import type { AnchorHTMLAttributes, FormHTMLAttributes, ReactNode } from "react";

type Params = Record<string, string | number>;

export interface Context<P = object> {
  params: P;
  url: URL;
  headers: Headers;
  signal: AbortSignal;
}

export interface Action {
  name: string;
  href: string;
}

export interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href"> {
  to: string;
  params?: Params;
  search?: object;
}

export interface FormState<Fields, Result> {
  field(name: keyof Fields): { name: string; defaultValue?: string };
  error(name: keyof Fields): { id: string; children: string } | undefined;
  result: Result | undefined;
}

export interface FormProps<Fields, Result> extends Omit<FormHTMLAttributes<HTMLFormElement>, "action" | "children"> {
  action: Action;
  children: (form: FormState<Fields, Result>) => ReactNode;
}

export declare function Link(props: LinkProps): ReactNode;
export declare function href(to: string, params?: Params, search?: object): string;
export declare function Form<Fields, Result>(props: FormProps<Fields, Result>): ReactNode;
export declare function redirect(to: string, params?: Params): never;
`;
