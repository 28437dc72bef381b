import { describe, expect, it } from "vitest";
import { downloadHeaders, mayBePicture } from "./attached-file.ts";

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]);

describe("the headers of an attached file", () => {
  it.each([
    ["HTML", "<!doctype html><script>alert(1)</script>"],
    ["SVG", '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ["a script", "alert(1)"],
    ["nothing", ""],
  ])("make a download without a type of %s", (_what, text) => {
    expect(downloadHeaders("a.html", Buffer.from(text))).toEqual({
      "Content-Type": "application/octet-stream",
      "Content-Disposition": `attachment; filename="a.html"; filename*=UTF-8''a.html`,
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Cache-Control": "private, no-store",
    });
  });

  it("give a type to a picture, by its bytes, and leave it a download", () => {
    const headers = downloadHeaders("screen.svg", png);
    expect(headers["Content-Type"]).toBe("image/png");
    expect(headers["Content-Disposition"]).toMatch(/^attachment;/);
  });

  it.each([
    [
      'a";\r\nSet-Cookie: x=1',
      `attachment; filename="a____Set-Cookie_ x_1"; filename*=UTF-8''a%22%3B%0D%0ASet-Cookie%3A%20x%3D1`,
    ],
    ["übersicht (1).png", `attachment; filename="_bersicht _1_.png"; filename*=UTF-8''%C3%BCbersicht%20%281%29.png`],
    ["\ud800.txt", `attachment; filename="_.txt"; filename*=UTF-8''%EF%BF%BD.txt`],
  ])("write the name %j so that it stays a name", (name, written) => {
    const headers = new Headers(downloadHeaders(name, png));
    expect(headers.get("Content-Disposition")).toBe(written);
  });

  it("cut a long name", () => {
    expect(downloadHeaders("a".repeat(5_000), png)["Content-Disposition"]?.length).toBeLessThan(400);
  });
});

it("a preview is tried of pictures only, and of none that is huge or damaged", () => {
  expect(mayBePicture("image/png", 10)).toBe(true);
  expect(mayBePicture("image/jpg", 10)).toBe(true);
  for (const type of ["image/svg+xml", "text/html", undefined, "image/"]) expect(mayBePicture(type, 10)).toBe(false);
  for (const size of [undefined, 0, 5_000_000]) expect(mayBePicture("image/png", size)).toBe(false);
});
