import { expect, test } from "vitest";
import { packageAddressOf } from "./package-address.ts";

test.for([
  ["file:///app/node_modules/holdfast/dist/start/index.js", "file:///app/node_modules/holdfast"],
  ["file:///home/me/src/holdfast/src/host/service/console-mount.ts", "file:///home/me/src/holdfast"],
  ["file:///src/dist/host/service/console-mount.js", "file:///src"],
  ["file:///dist/src/host/service/console-mount.ts?t=17&at=/src/", "file:///dist"],
])("a module at %s belongs to the package in %s", ([url = "", folder]) => {
  expect(packageAddressOf(url)).toBe(folder);
});
