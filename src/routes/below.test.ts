import { describe, expect, it } from "vitest";
import { addressBelow, pathBelow } from "./below.ts";
import { createMatcher } from "./match-route.ts";
import { readPageFiles } from "./read-page-files.ts";

describe("an application that lives below a path", () => {
  const files = ["index.tsx", "users/[id].tsx", "users/_layout.tsx", "_layout.tsx"];
  const table = readPageFiles(files, "/admin");
  const match = createMatcher(table);

  it("an application below a path has its routes there and nowhere else", () => {
    expect(match("/admin")).toMatchObject({ kind: "found", index: 0 });
    expect(match("/admin/users/7")).toMatchObject({ kind: "found", params: { id: "7" } });
    for (const path of ["/", "/users/7", "/administration", "/admin/admin/users/7", "/Admin"])
      expect(match(path), path).toEqual({ kind: "not-found" });
  });

  it("an application below a path names its routes and folders as if it had the host to itself", () => {
    expect(table).toEqual({ ...readPageFiles(files), at: "/admin" });
  });
});

describe("a path of the application", () => {
  it.each([
    ["/", "/admin"],
    ["/?page=2", "/admin?page=2"],
    ["/#top", "/admin#top"],
    ["/users", "/admin/users"],
    ["/users/[id]", "/admin/users/[id]"],
    ["/users?tab=/x#top", "/admin/users?tab=/x#top"],
    ["/administration", "/admin/administration"],
  ])("the path %s has the address %s", (path, address) => {
    expect(addressBelow("/admin", path)).toBe(address);
    // What has become an address stays one.
    expect(addressBelow("/admin", address)).toBe(address);
    expect(addressBelow("", path)).toBe(path);
  });

  it.each(["", "#top", "?page=2", "users", "//other.example/x", "https://other.example/", "/admin", "/admin?x=1"])(
    "%j is no path of the application and stays",
    (text) => {
      expect(addressBelow("/admin", text)).toBe(text);
    },
  );

  it("an address contains the path of the application that it means", () => {
    const paths = ["/admin", "/admin/users/7", "/administration", "/"].map((address) => pathBelow("/admin", address));
    expect(paths).toEqual(["/", "/users/7", undefined, undefined]);
    expect(["/", "/users"].map((address) => pathBelow("", address))).toEqual(["/", "/users"]);
  });
});
