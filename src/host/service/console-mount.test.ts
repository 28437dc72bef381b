import { expect, test } from "vitest";
import { builtConsoleOf } from "./console-mount.ts";

test.for([
  ["file:///app/node_modules/holdfast/dist/start/index.js", "/app/node_modules/holdfast/dist/console"],
  ["file:///home/me/holdfast/src/host/service/console-mount.ts", "/home/me/holdfast/dist/console"],
  ["file:///src/dist/host/service/console-mount.js", "/src/dist/console"],
  ["file:///dist/src/host/service/console-mount.ts", "/dist/dist/console"],
])("the console of %s is in %s", ([url = "", folder]) => {
  expect(builtConsoleOf(url)).toBe(folder);
});
