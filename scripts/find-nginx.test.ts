import { afterEach, expect, test, vi } from "vitest";
import { findNginx } from "./find-nginx.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("the nginx that NGINX names is taken, and a name that leads nowhere is an error", () => {
  vi.stubEnv("NGINX", process.execPath);
  expect(findNginx()).toEqual({ kind: "found", path: process.execPath });
  vi.stubEnv("NGINX", "/nowhere/nginx");
  expect(findNginx()).toMatchObject({ kind: "missing", why: expect.stringMatching(/NGINX.*\/nowhere/) });
});
