import { Suspense } from "react";
import { expect, test } from "vitest";
import type { ActionRef } from "#routes";
import { Await, Form, Link, useLanguage, usePage } from "../react/index.ts";
import { renderPage } from "./index.ts";

/** Without generated types, as a plain text: any data will do. */
const order: string = "/orders/[id]";

interface OrderProps {
  data: unknown;
  params: Readonly<Record<string, string>>;
  actions: Readonly<Record<string, ActionRef>>;
}

function Order({ data, params, actions }: OrderProps) {
  const { path, route } = usePage();
  const { name, history } = data as { name: string; history?: Promise<string> };
  const { rename } = actions;
  return (
    <main>
      <h1>
        Order {params.id} of {name}
      </h1>
      <p>{`${path} ${route} ${useLanguage().lang}`}</p>
      <Link to="/goods" search={{ page: 2, tag: ["a", "b"] }}>
        Goods
      </Link>
      {history && <Await value={history}>{(text) => <p>{text}</p>}</Await>}
      {rename && (
        <Form action={rename}>
          {(form) => (
            <>
              <input {...form.field("name")} />
              <p {...form.error("name")} />
            </>
          )}
        </Form>
      )}
    </main>
  );
}

test("a page is rendered to HTML without a document, with its layouts, its language and what arrives late", async () => {
  const page = renderPage(order, Order, {
    data: { name: "Ada", history: new Promise((resolve) => setTimeout(resolve, 1, "Sent on Monday")) },
    params: { id: "7" },
    lang: "ar",
    layouts: {
      "/orders": {
        layout: ({ actions, children }) => <section title={Object(actions).sign.href}>{children}</section>,
      },
      "/": { layout: ({ data, children }) => <body title={String(data)}>{children}</body>, data: "shop" },
    },
  });
  const html = await page.html();
  expect(html).toMatch(
    /^<body title="shop"><section title="\/orders\/7\/_action\/orders\/_layout\/sign"><main><h1>Order 7 of Ada<\/h1>/,
  );
  expect(html).toContain("<p>/orders/7 /orders/[id] ar</p>");
  expect(html).toContain('<a href="/goods?page=2&amp;tag=a&amp;tag=b">Goods</a>');
  expect(html).toContain("<p>Sent on Monday</p>");
  expect(html).toContain('action="/orders/7/_action/rename"');
});

test("a form shows the outcome of an earlier submission at once", async () => {
  const outcome = { kind: "invalid", fields: { name: "Too long." } } as const;
  const page = renderPage(order, Order, {
    data: { name: "Ada" },
    params: { id: "7" },
    submitted: { action: "rename", outcome },
  });
  expect(await page.html()).toMatch(/aria-invalid="true".*<p id="[^"]+">Too long.<\/p>/);
});

test("a component of a page reads the search of the test, and links leave its defaults out", async () => {
  const search = { page: 1, q: "" };
  expect(await renderPage("/goods", <Next />, { search, defaults: search } as object).html()).toBe(
    '<a href="/goods?page=2">Next</a>',
  );
});

function Next() {
  const { search = { page: 0, q: "" } } = (usePage("/goods") ?? {}) as { search?: { page: number; q: string } };
  return (
    <Link to="/goods" search={{ ...search, page: search.page + 1 }}>
      Next
    </Link>
  );
}

test("a component of several pages gets no address of a page that is not shown", async () => {
  expect(await renderPage("/goods", <Shown />, {}).html()).toBe("<p>goods</p>");
  expect(await renderPage("/", <Shown />, {}).html()).toBe("<p>another page</p>");
});

function Shown() {
  return <p>{usePage("/goods") ? "goods" : "another page"}</p>;
}

test("an error of the page is an error of the test, also in a part that may arrive late", async () => {
  await expect(renderPage("/", Broken, {}).html()).rejects.toThrow("no price");
  await expect(renderPage("/", BrokenLate, {}).html()).rejects.toThrow("no price");
});

function Broken(): never {
  throw new RangeError("no price");
}

function BrokenLate() {
  return (
    <Suspense fallback="Loading">
      <Broken />
    </Suspense>
  );
}
