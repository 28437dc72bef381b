import { describe, expect, it } from "vitest";
import type { View } from "../../view.ts";
import { type DialogQuestion, dialogBelow } from "./dialog-below.ts";

const page: View = { kind: "page", status: 200, route: 0, params: {}, folders: [0], data: [] };
const german: View = { ...page, html: { lang: "de" } };
const missing: View = { ...page, kind: "not-found", status: 404, boundary: 0 };
const failed: View = { ...page, kind: "error", status: 500, boundary: 0, side: "server" };
const list = { url: "http://a/orders", view: page, place: 4 };
const inDialog = { url: "http://a/orders/7", view: page, place: 5 };

function ask(change: Partial<DialogQuestion> & { to?: string; how?: "push" | "replace" | "traverse" | "reload" }) {
  const { to = "http://a/orders/7", how = "push", ...rest } = change;
  const target = { to, how, manner: { dialog: how === "push" } };
  return dialogBelow({ target, view: page, shown: list, below: undefined, entry: undefined, ...rest });
}

describe("dialogBelow", () => {
  it("opens a dialog over the page on screen", () => {
    expect(ask({})).toBe(4);
    expect(ask({ target: { to: "http://a/orders/7", how: "push" } })).toBeUndefined();
  });

  it("shows the next dialog over the same page", () => {
    expect(ask({ to: "http://a/orders/8", shown: inDialog, below: list })).toBe(4);
  });

  it("keeps a page in its dialog that changes its search or is loaded again", () => {
    const open = { shown: inDialog, below: list };
    expect(ask({ ...open, to: "http://a/orders/7?tab=2", how: "replace" })).toBe(4);
    expect(ask({ ...open, how: "reload" })).toBe(4);
    expect(ask({ ...open, to: "http://a/about", how: "replace" })).toBeUndefined();
    expect(ask({ to: "http://a/orders?page=2", how: "replace" })).toBeUndefined();
  });

  it("opens an entry again only over the page that it was opened over", () => {
    expect(ask({ how: "traverse", entry: 4 })).toBe(4);
    expect(ask({ how: "traverse", entry: 3 })).toBeUndefined();
    expect(ask({ how: "traverse" })).toBeUndefined();
    expect(ask({ how: "traverse", entry: 4, shown: { ...inDialog, place: 6 }, below: list })).toBe(4);
    expect(ask({ how: "traverse", entry: 6, shown: inDialog, below: list })).toBeUndefined();
  });

  it.for([
    ["a page that does not exist", { view: missing }],
    ["an error", { view: failed }],
    ["a page over an error", { shown: { ...list, view: failed } }],
    ["a page in another language", { view: german }],
    ["the page below itself", { to: "http://a/orders?page=2" }],
  ] as const)("%s is a whole page", ([, change]) => {
    expect(ask(change)).toBeUndefined();
  });
});
