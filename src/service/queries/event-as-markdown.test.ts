import { lexer, type Token, type Tokens } from "marked";
import { describe, expect, it } from "vitest";
import { type ReportedEvent, readEvent } from "#protocol";
import { markInApp } from "../grouping/in-app.ts";
import { exceptionTree } from "../grouping/main-exception.ts";
import { titleOfEvent } from "../grouping/title.ts";
import type { IssueRecord } from "../stores/records.ts";
import type { EventAnswer } from "./event.ts";
import { eventAsMarkdown } from "./event-as-markdown.ts";
import { eventFacts } from "./event-facts.ts";
import { publicEvent } from "./public-event.ts";

const eventId = "0123456789abcdef0123456789abcdef";
const digest = "04HM-ASW9-NF6Y";

/** Text that a stranger may send to break out of its place in the page. */
const hostile =
  "```\n# heading <img src=x> [link](https://evil.example) **bold** @torvalds #1 Promise<Address> `code` | &lt;";

const source = {
  filename: "src/cart.ts",
  function: "cartTotal",
  lineno: 2,
  colno: 7,
  in_app: true,
  pre_context: ["function cartTotal(items: Promise<Address>) {"],
  context_line: "  return `items`; // > not a quote",
  post_context: ["}", "```"],
};

describe("an event as Markdown", () => {
  it("contains the exception, its causes and its log lines", () => {
    const text = markdownOf({
      platform: "python",
      logentry: { message: "Import of %s failed", params: ["orders"] },
      exception: {
        values: [
          { type: "OSError", value: "refused" },
          {
            type: "RuntimeError",
            value: "no orders",
            stacktrace: { frames: [{ abs_path: "/app/main.go", function: "run", lineno: 7 }] },
          },
        ],
      },
    });
    expect(headingsOf(text)).toEqual(["RuntimeError: no orders", "Message", "RuntimeError", "Caused by OSError"]);
    expect(blocksOf(text)).toEqual(["Import of orders failed", "no orders", "run (/app/main.go:7)", "refused"]);
  });

  it("links to the event and its issue in the console, and names the visitor", () => {
    const text = markdownOf({
      message: "x",
      user: { id: "4711", email: "jo@shop.test", username: "jo_1", name: "Jo *" },
      request: { method: "POST", url: "https://shop.test/cart?a=*b*" },
    });
    expect(linksOf(text)).toEqual([
      [digest, `https://shop.test/_holdfast/1/events/${eventId}`],
      ["#7", "https://shop.test/_holdfast/1/issues/7"],
    ]);
    expect(text).toContain("- user: id `4711`, e-mail `jo@shop.test`, name `jo_1`, name `Jo *`");
    expect(text).toContain("- request: `POST https://shop.test/cart?a=*b*`");
    expect(linksOf(eventAsMarkdown(answerOf({ message: "x" }), undefined))).toEqual([]);
  });

  it("has the facts that a person needs, and none that was not reported", () => {
    const holdfast = { visitor_saw: "error-page", navigation: "push", page_build: "a`1", server_build: "b2" };
    const text = markdownOf({ message: "x", contexts: { holdfast } });
    expect(text).toContain("- visitor saw: `the error page`");
    expect(text).toContain("- page build: ``a`1, another than the server's``");
    expect(text).toContain("- server build: `b2`");
    expect(text).not.toMatch(/prefetch|device|connection/);
  });

  it("shows the source around the failing line as code, whatever it contains", () => {
    const text = markdownOf({ exception: { values: [{ type: "E", value: "x", stacktrace: { frames: [source] } }] } });
    const stack = blocksOf(text).find((block) => block.includes("cartTotal"));
    expect(stack).toBe(
      [
        "cartTotal (src/cart.ts:2:7)",
        "          1  function cartTotal(items: Promise<Address>) {",
        "    >     2    return `items`; // > not a quote",
        "          3  }",
        "          4  ```",
      ].join("\n"),
    );
  });

  it("shows the frames of libraries if there are no others, and counts them otherwise", () => {
    const library = (name: string) => ({ filename: `node_modules/pg/${name}.js`, function: name, in_app: false });
    const only = Array.from({ length: 25 }, (_, at) => library(`f${at}`));
    const stackOf = (frames: object[]) =>
      blocksOf(markdownOf({ exception: { values: [{ type: "E", stacktrace: { frames } }] } }))
        .join()
        .split("\n");
    expect(stackOf(only)).toHaveLength(21);
    expect(stackOf(only)[0]).toBe("f24 (node_modules/pg/f24.js)");
    expect(stackOf(only).at(-1)).toBe("(5 more)");
    expect(stackOf([source, library("a"), library("b")])[0]).toBe("(2 of libraries)");
  });

  it("shows the tree of collected errors", () => {
    const one = (type: string, id: number, parent?: number) => ({
      type,
      mechanism: {
        exception_id: id,
        parent_id: parent,
        source: parent === undefined ? undefined : `errors[${id - 1}]`,
      },
    });
    const text = markdownOf({ exception: { values: [one("B", 2, 0), one("A", 1, 0), one("AggregateError", 0)] } });
    expect(text).toContain("\n## AggregateError\n\n### 1 of the group: A\n\n### 2 of the group: B");
  });

  it("contains the notes of visitors", () => {
    const text = eventAsMarkdown(
      { ...answerOf({ message: "x" }), feedback: [{ ...note, message: hostile, name: "Jo" }, note] },
      undefined,
    );
    expect(headingsOf(text)).toEqual(["x", "Note of Jo", "Note of the visitor"]);
    expect(blocksOf(text)).toEqual([hostile, "The cart is gone."]);
  });

  it("turns no text of strangers into a heading, a link, HTML or a mention", () => {
    const text = markdownOf({
      message: hostile,
      transaction: hostile,
      release: hostile,
      exception: { values: [{ type: hostile, value: hostile, stacktrace: { frames: [{ function: hostile }] } }] },
      tags: { [hostile]: hostile },
      user: { id: hostile },
      breadcrumbs: [{ category: hostile, message: hostile }],
    });
    const kinds = new Set(tokensOf(text).map(({ type }) => type));
    for (const kind of ["html", "strong", "em", "image", "blockquote", "table", "del"])
      expect({ kind, found: kinds.has(kind) }).toEqual({ kind, found: false });
    expect(linksOf(text).map(([, address]) => address)).toEqual([
      expect.stringContaining("/events/"),
      expect.stringContaining("/issues/"),
    ]);
    expect(headingsOf(text).slice(1)).toEqual([
      expect.stringContaining("Promise<Address>"),
      "Tags",
      "What happened before",
    ]);
    expect(plainTextOf(text)).not.toMatch(/@torvalds/);
  });

  it("contains no control characters of a terminal", () => {
    const text = markdownOf({ message: "\u001b[31mred\u009b2J", tags: { a: "\u001b]0;title\u0007" } });
    for (const control of ["\u001b", "\u009b", "\u0007"]) expect(text).not.toContain(control);
    expect(text).toContain("\\x1b");
  });

  it("lists only what happened before", () => {
    const at = (seconds: number, message: string) => ({ timestamp: seconds, category: "ui", message });
    const text = markdownOf({ message: "x", timestamp: 100, breadcrumbs: [at(99, "before"), at(101, "after")] });
    expect(text).toContain("before");
    expect(text).not.toContain("after");
  });

  it("contains a long message as a whole, under its first line", () => {
    const message = `first line\n${"word ".repeat(100)}end`;
    const text = markdownOf({ message });
    expect(headingsOf(text)).toEqual(["first line", "Message"]);
    expect(blocksOf(text)).toEqual([message]);
    expect(markdownOf({ message: "short" })).not.toContain("## Message");
  });

  it("notes that there is nothing if there is nothing", () => {
    expect(markdownOf({ exception: { values: [{}] } })).toMatch(/^# Error\n/);
    expect(markdownOf({})).toMatch(/^# \(no message\)\n/);
  });
});

describe("an event as JSON", () => {
  it("has digest, issue and links, and nothing internal to the store", () => {
    const event = publicEvent(
      answerOf({
        exception: { values: [{ type: "E", value: "x", stacktrace: { frames: [source] } }] },
        tags: { a: "b" },
      }),
      "https://shop.test/_holdfast",
    );
    expect(event).toMatchObject({
      id: eventId,
      digest,
      link: `https://shop.test/_holdfast/1/events/${eventId}`,
      project: 1,
      issue: { number: 7, title: "E: x", state: "open", link: "https://shop.test/_holdfast/1/issues/7" },
      title: "E: x",
      at: "1970-01-01T00:00:00.000Z",
      kept: "whole",
      tags: { a: "b" },
      exceptions: [
        {
          type: "E",
          value: "x",
          relation: "thrown",
          depth: 0,
          frames: [
            {
              function: "cartTotal",
              file: "src/cart.ts",
              line: 2,
              isApplication: true,
              source: { before: source.pre_context },
            },
          ],
        },
      ],
      notes: [],
    });
    for (const name of ["rowId", "visitor", "body", "eventId"]) expect(event).not.toHaveProperty(name);
    expect(JSON.parse(JSON.stringify(event))).toEqual(event);
  });

  it("marks an event whose content was not kept", () => {
    const { event, ...answer } = answerOf({ message: "x" });
    const damped = { ...answer, exceptions: [], event: { ...event, body: { kind: "damped" as const } } };
    expect(publicEvent(damped, undefined)).toMatchObject({ kept: "damped", issue: { title: "E: x" } });
    expect(eventAsMarkdown(damped, undefined)).toContain("Only its row was kept");
  });
});

const note = {
  id: 1,
  ownId: undefined,
  facts: {},
  archivedAt: undefined,
  at: 0,
  eventId,
  name: undefined,
  email: undefined,
  url: undefined,
  message: "The cart is gone.",
};

function markdownOf(payload: object): string {
  return eventAsMarkdown(answerOf(payload), "https://shop.test/_holdfast");
}

function answerOf(payload: object): EventAnswer {
  const reading = readEvent(payload);
  if (reading.kind !== "read") throw new Error(reading.why);
  const event: ReportedEvent = { ...markInApp(reading.value), eventId };
  return {
    event: {
      rowId: 1,
      project: 1,
      issue: 1,
      eventId,
      at: 0,
      receivedAt: 0,
      level: "error",
      route: event.transaction,
      release: event.release,
      environment: undefined,
      traceId: undefined,
      visitor: undefined,
      body: { kind: "whole", event },
    },
    digest,
    issue,
    title: titleOfEvent(event),
    facts: eventFacts(event),
    exceptions: exceptionTree(event),
    neighbours: { older: undefined, newer: undefined, newest: undefined, oldest: undefined },
    feedback: [],
    attachments: [],
    commit: undefined,
    path: [],
  };
}

const issue: IssueRecord = {
  id: 1,
  number: 7,
  project: 1,
  type: "E",
  title: "x",
  culprit: undefined,
  level: "error",
  platform: undefined,
  route: undefined,
  state: { kind: "open" },
  assignee: undefined,
  ticket: undefined,
  firstSeen: 0,
  lastSeen: 0,
  firstRelease: undefined,
  lastRelease: undefined,
  lastEventId: eventId,
  events: 1,
  visitors: 0,
  stuck: 0,
  mergedInto: undefined,
};

/** Parses as GitHub does. */
function tokensOf(text: string): Token[] {
  const within = (token: Token): Token[] => [
    token,
    ...("items" in token && Array.isArray(token.items) ? token.items.flatMap(within) : []),
    ...("tokens" in token && token.tokens ? token.tokens.flatMap(within) : []),
  ];
  return lexer(text, { gfm: true }).flatMap(within);
}

function headingsOf(text: string): string[] {
  return tokensOf(text).flatMap((token) => (token.type === "heading" ? [textOf(token.tokens ?? [])] : []));
}

function blocksOf(text: string): string[] {
  return tokensOf(text).flatMap((token) => (token.type === "code" ? [token.text] : []));
}

function linksOf(text: string): [text: string, address: string][] {
  return tokensOf(text).flatMap((token): [string, string][] =>
    token.type === "link" ? [[textOf(token.tokens ?? []), (token as Tokens.Link).href]] : [],
  );
}

/** All text except code. */
function plainTextOf(text: string): string {
  return tokensOf(text)
    .map((token) => (token.type === "escape" || (token.type === "text" && !token.tokens) ? token.text : ""))
    .join("");
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map((token) => ("text" in token ? token.text : token.raw)).join("");
}
