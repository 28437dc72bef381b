import { expect, test } from "vitest";
import * as framework from "../../bin/node-version.js";
import { nodeIsSupported, supportedNodes, wrongNode } from "./needed-node.js";

test("the starter and the framework agree on the Node that is needed", () => {
  expect(supportedNodes).toBe(framework.supportedNodes);
  for (const version of ["18.0.0", "20.20.2", "24.10.0", "24.11.0", "25.1.0", "26.0.0"])
    expect(nodeIsSupported(version), version).toBe(framework.nodeIsSupported(version));
});

test("an old Node prints one sentence with the command that fixes it", () => {
  expect(wrongNode("20.20.2", {})).toBe(
    "Holdfast needs Node ^24.11 || >=26, but this is Node 20.20.2; run `nvm install 24`, or install Node 24 from https://nodejs.org, and try again.",
  );
});

test("the command is that of the installed version manager", () => {
  expect(wrongNode("20.20.2", { FNM_DIR: "/home/ada/.fnm" })).toContain("`fnm install 24 && fnm use 24`");
  expect(wrongNode("20.20.2", { VOLTA_HOME: "/home/ada/.volta" })).toContain("`volta install node@24`");
});
