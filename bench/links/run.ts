/**
 * Does a link cost more on a page with many of them? Renders lists of 100, 1,000 and 10,000 links as the server does,
 * each to a route with a parameter, beside lists of plain `<a>` with literal addresses. Target: one link costs the same
 * in all three. Measures processor time, because it varies less than wall time when something else is running.
 */
import { createElement, type ReactElement } from "react";
import { renderToString } from "react-dom/server";
import { Link } from "../../src/pages/react/link.ts";

const rounds = 7;
const linksPerRound = 60_000;

const kinds: Readonly<Record<string, (id: number) => ReactElement>> = {
  "<Link>": (id) => createElement(Link<"/orders/[id]">, { to: "/orders/[id]", params: { id } }, "Order"),
  "<a>": (id) => createElement("a", { href: `/orders/${id}` }, "Order"),
};

function listOf(count: number, link: (id: number) => ReactElement): ReactElement {
  const items = Array.from({ length: count }, (_, id) => createElement("li", { key: id }, link(id)));
  return createElement("ul", null, items);
}

function nanosecondsPerLink(count: number, link: (id: number) => ReactElement): number {
  const run = () => {
    const pages = linksPerRound / count;
    const before = process.cpuUsage();
    for (let page = 0; page < pages; page++) {
      if (!renderToString(listOf(count, link)).includes(`/orders/${count - 1}"`))
        throw new Error("The last link is missing.");
    }
    return (process.cpuUsage(before).user * 1_000) / linksPerRound;
  };
  run();
  const times = Array.from({ length: rounds }, run).sort((a, b) => a - b);
  return times[Math.floor(rounds / 2)] ?? Number.NaN;
}

console.log("| links on the page | a `<Link>`, ns | against 100 | a plain `<a>`, ns | against 100 |");
console.log("|---:|---:|---:|---:|---:|");
const first = new Map<string, number>();
for (const count of [100, 1_000, 10_000]) {
  const cells = Object.entries(kinds).map(([name, link]) => {
    const time = nanosecondsPerLink(count, link);
    if (!first.has(name)) first.set(name, time);
    return `${time.toFixed(0)} | ${(time / (first.get(name) ?? time)).toFixed(2)}`;
  });
  console.log(`| ${count} | ${cells.join(" | ")} |`);
}
