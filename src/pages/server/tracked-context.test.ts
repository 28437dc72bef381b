import { runInThisContext } from "node:vm";
import { expect, it } from "vitest";
import { Cookies } from "./author/cookies.ts";
import { ReadLog, trackContext } from "./tracked-context.ts";

class Request {
  readonly #headers = new Headers({ "Accept-Language": "de" });
  readonly #cookies = new Cookies("session=abc; Theme=dark");
  params: Record<string, string> = { id: "7", tab: "all" };
  locals: Record<string, unknown> = { user: { name: "Ada" } };
  method = "GET";

  get url(): URL {
    return new URL("https://shop.example/orders/7?x=1");
  }

  get headers(): Headers {
    return this.#headers;
  }

  get cookies(): Cookies {
    return this.#cookies;
  }

  get clientAddress(): string {
    return "192.0.2.1";
  }
}

function readsOf(run: (context: Request) => unknown): string[] {
  const reads: string[] = [];
  run(trackContext(new Request(), (kind, name, value) => reads.push(`${kind} ${name} ${JSON.stringify(value)}`)));
  return reads;
}

it("reports each value that is read, and nothing for what is only named", () => {
  expect(readsOf(({ params, cookies, headers, locals }) => [params, cookies, headers, locals])).toEqual([]);
  expect(readsOf(({ params }) => params.id)).toEqual(['params id "7"']);
  expect(readsOf(({ cookies }) => cookies.get("Theme"))).toEqual(['cookies Theme "dark"']);
  expect(readsOf(({ headers }) => headers.has("Accept-Language"))).toEqual(['headers accept-language "de"']);
  expect(readsOf(({ locals }) => "user" in locals)).toEqual(['locals user {"name":"Ada"}']);
  expect(readsOf(({ url }) => url.pathname)).toEqual(['url * "https://shop.example/orders/7?x=1"']);
  expect(readsOf(({ clientAddress }) => clientAddress)).toEqual(['clientAddress * "192.0.2.1"']);
});

it("reports a copy, a loop and a change as a read of everything", () => {
  const kindsOf = (run: (context: Request) => unknown) => readsOf(run).map((read) => read.split(" ", 2).join(" "));
  expect(kindsOf(({ params }) => ({ ...params }))).toContain("params *");
  expect(kindsOf(({ headers }) => [...headers])).toContain("headers *");
  expect(kindsOf(({ cookies }) => cookies.set("seen", "1"))).toContain("cookies *");
  expect(kindsOf(({ locals }) => Object.assign(locals, { seen: true }))).toContain("locals *");
});

it("gives the code the same objects at each read, with their methods and private fields", () => {
  const context = trackContext(new Request(), () => undefined);
  expect(context.cookies).toBe(context.cookies);
  expect(new Headers(context.headers).get("accept-language")).toBe("de");
  class Own {
    readonly #name = "Ada";
    name = () => this.#name;
  }
  context.locals = new Own() as never;
  const own = trackContext(context, () => undefined).locals as unknown as Own;
  expect(own.name()).toBe("Ada");
});

it("remembers where in the application the first read was, if that is wanted", () => {
  const code = "(({ cookies }) => {\n  cookies.get('a');\n  cookies.get('b');\n})";
  const load = runInThisContext(code, { filename: "/app/src/pages/orders.server.ts" }) as (context: Request) => void;
  const log = new ReadLog(true);
  load(trackContext(new Request(), log.note));
  expect(log.first("locals", "cookies")).toEqual({
    kind: "cookies",
    name: "a",
    place: "src/pages/orders.server.ts:2:11",
  });
  expect(log.first("locals")).toBeUndefined();
});
