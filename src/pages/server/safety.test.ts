import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Cookies } from "./author/cookies.ts";
import { cookieSession } from "./author/session.ts";
import { safeRedirect } from "./safe-redirect.ts";
import { createCspWriter } from "./send/security-headers.ts";
import { escapeHtml, escapeInlineJson, lastResortPage } from "./send/static-pages.ts";
import { VisitorCookies } from "./visitor/visitor-cookies.ts";

describe("inline data", () => {
  const hostile = fc.string({
    unit: fc.oneof(
      fc.constantFrom(
        "</script",
        "<!--",
        "-->",
        "<script",
        "]]>",
        "\u2028",
        "\u2029",
        "\\",
        '"',
        "</",
        "<",
        "\u0000",
        "\ud800",
      ),
      fc.string({ minLength: 1, maxLength: 3 }),
    ),
  });

  test("inline data cannot end its element, open a comment or break a line, and is read as the same value", () => {
    fc.assert(
      fc.property(fc.dictionary(hostile, hostile), (value) => {
        const json = JSON.stringify(value);
        const escaped = escapeInlineJson(json);
        expect(escaped).not.toMatch(/[<\u2028\u2029]/);
        expect(JSON.stringify(JSON.parse(escaped))).toBe(json);
      }),
    );
  });

  test("text in a static page is never markup", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"']/);
        expect(lastResortPage({ title: text, text, digest: text || "x", back: `x${text}` }).match(/<\w+/g)).toEqual(
          lastResortPage({ title: "a", text: "a", digest: "a", back: "xa" }).match(/<\w+/g),
        );
      }),
    );
  });
});

describe("redirects", () => {
  const own = "https://own.example";

  test.each([
    ["/", "/"],
    ["/orders/7?x=1#y", "/orders/7?x=1#y"],
    ["https://own.example/a?b#c", "/a?b#c"],
    ["https://own.example", "/"],
    ["https:own.example", "/"],
    ["https://pay.example/x", "https://pay.example/x"],
    ["/ümlaut", "/ümlaut"],
  ])("%s leads to %s", (to, leadsTo) => {
    expect(safeRedirect(to, own, ["https://pay.example"])).toBe(leadsTo);
  });

  test.each([
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "\t//evil.example",
    " //evil.example",
    "/ /evil.example",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://own.example/x",
    "https://evil.example",
    "https://own.example.evil.example",
    "https://own.example@evil.example",
    "https://own.example:444/",
    "http://own.example/",
    "https://own.example//evil.example",
    "https://own.example/\\evil.example",
    "evil.example",
    "..//evil.example",
    "",
    "?x",
    "#x",
    "/\ud800",
    "/x\r\nSet-Cookie: a=b",
  ])("%j leads nowhere", (to) => {
    expect(safeRedirect(to, own, ["https://pay.example"])).toBeUndefined();
  });

  test("every allowed target is where a browser really goes", () => {
    const piece = fc.constantFrom(
      "/",
      "\\",
      ":",
      "@",
      "?",
      "#",
      ".",
      "..",
      "%2f",
      "%5c",
      "\t",
      "own.example",
      "evil.example",
      "https",
      "javascript",
      "x",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const to = safeRedirect(pieces.join(""), own, []);
        if (to !== undefined) expect(new URL(to, `${own}/from/here`).origin).toBe(own);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("cookies", () => {
  test("names like those of a prototype are only names", () => {
    const cookies = new Cookies("a=1; __proto__=x; constructor=y");
    cookies.set("b", "2");
    expect(["a", "b", "constructor", "toString", "hasOwnProperty"].map((name) => cookies.get(name))).toEqual([
      "1",
      "2",
      "y",
      undefined,
      undefined,
    ]);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test("a value cannot add attributes or another header", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), (value) => {
        const cookies = new Cookies("");
        if (!value.isWellFormed()) return;
        cookies.set("a", value);
        const [line = ""] = cookies.toSend();
        expect(line).toMatch(/^a=[!-:<-~]*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
        expect(new Cookies(line.split(";")[0] ?? "").get("a")).toBe(value);
      }),
    );
  });

  test("deleting is seen at once, and after sealing nothing more may be set", () => {
    const cookies = new Cookies("a=1");
    cookies.delete("a");
    expect(cookies.get("a")).toBeUndefined();
    expect(cookies.toSend()).toEqual(["a=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax"]);
    expect(() => cookies.set("b", "1")).toThrow("[cookie-too-late]");
  });

  test("the session's tag changes when a visitor signs in, out, or is another, with any cookie name", () => {
    const visitors = new VisitorCookies();
    const before = new Cookies("a=1", visitors);
    before.get("sid");
    const tags = [before.sessionTag()];
    before.set("sid", "ada");
    tags.push(
      before.sessionTag(),
      new Cookies("sid=ada; b=2", visitors).sessionTag(),
      new Cookies("sid=bob", visitors).sessionTag(),
    );
    before.delete("sid");
    expect(tags[1]).toBe(tags[2]);
    expect([tags[0], tags[1] === "", tags[1] === tags[3], before.sessionTag()]).toEqual(["", false, false, ""]);
  });
});

describe("sessions", () => {
  const secret = "0123456789abcdef0123456789abcdef";
  const session = cookieSession<{ user: string }>({ secret });

  function written(user: string, options = { secret }): string {
    const cookies = new Cookies("");
    cookieSession<{ user: string }>(options).write(cookies, { user });
    return decodeURIComponent(/=([^;]*)/.exec(cookies.toSend()[0] ?? "")?.[1] ?? "");
  }
  const read = (value: string, name = "__Host-session") =>
    session.read(new Cookies(`${name}=${encodeURIComponent(value)}`));

  test("a written session is read again", () => {
    expect(read(written("ada"))).toEqual({ user: "ada" });
  });

  test("no change of it is believed", () => {
    const value = written("ada");
    fc.assert(
      fc.property(fc.nat(value.length - 1), fc.constantFrom(..."abcXYZ019-_.="), (at, character) => {
        const changed = value.slice(0, at) + character + value.slice(at + 1);
        // Some bits of a signature's last character are unused; the same bytes are the same signature.
        if (changed !== value) expect(read(changed)).toBeUndefined();
      }),
    );
    for (const made of ["", ".", "..", "a.b", value.slice(0, -1), `${value}.x`, `${value}x`, value.split(".")[0] ?? ""])
      expect(read(made)).toBeUndefined();
  });

  test("one made with another secret, for another name, or too old is not believed; an older secret still is", () => {
    const other = "another-secret-of-at-least-32-characters";
    expect(read(written("ada", { secret: other }))).toBeUndefined();
    const turned = cookieSession<{ user: string }>({ secret: [other, secret] });
    expect(turned.read(new Cookies(`__Host-session=${encodeURIComponent(written("ada"))}`))).toEqual({ user: "ada" });
    const named = cookieSession<{ user: string }>({ secret, name: "__Host-other" });
    expect(named.read(new Cookies(`__Host-other=${encodeURIComponent(written("ada"))}`))).toBeUndefined();
    const past = cookieSession<{ user: string }>({ secret, maxAge: -1 });
    const cookies = new Cookies("");
    past.write(cookies, { user: "ada" });
    expect(past.read(new Cookies((cookies.toSend()[0] ?? "").split(";")[0] ?? ""))).toBeUndefined();
  });

  test("a weak secret is refused when the session is made", () => {
    for (const weak of ["", "short", [], ["0123456789abcdef0123456789abcdef", "short"]])
      expect(() => cookieSession({ secret: weak })).toThrow("[session-secret-too-short]");
  });
});

describe("the content security policy", () => {
  const styles = (csp: Record<string, string[]>) =>
    /style-src ([^;]*)/.exec(createCspWriter({ csp, hsts: true })("'nonce-x'"))?.[1] ?? "";

  test("adds what the application needs to what is allowed anyway", () => {
    const policy = createCspWriter({
      csp: { "img-src": ["https://images.example"], "object-src": ["'self'"] },
      hsts: true,
    })("'nonce-x'");
    expect(policy).toContain("script-src 'nonce-x' 'strict-dynamic'");
    expect(policy).toContain("img-src 'self' data: blob: https://images.example");
    expect(policy).toContain("object-src 'self'");
  });

  test("allows styles with the nonce of the document, unless the application allows all", () => {
    const write = (csp: Record<string, string[]>) => createCspWriter({ csp, hsts: true })("'nonce-x'", "x");
    expect(write({})).toMatch(
      /; style-src 'self' 'sha256-\S+' 'sha256-\S+' 'nonce-x'; style-src-attr 'unsafe-inline';/,
    );
    expect(write({ "style-src-elem": ["https://fonts.example"] })).toMatch(/style-src-elem https:\S+ 'nonce-x'(?:;|$)/);
    expect(write({ "style-src": ["'unsafe-inline'"] })).toContain("; style-src 'self' 'unsafe-inline'; ");
  });

  test("names its own styles by hash, unless the application allows all", () => {
    expect(styles({})).toMatch(/^'self' 'sha256-\S+' 'sha256-\S+'$/);
    expect(styles({ "style-src": ["'unsafe-inline'"] })).toBe("'self' 'unsafe-inline'");
  });
});
