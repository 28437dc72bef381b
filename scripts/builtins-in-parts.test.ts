import { expect, test } from "vitest";
import { takeBuiltinsApart } from "./builtins-in-parts.js";

test("imports of Node's own modules become constants, on as many lines", () => {
  expect(takeBuiltinsApart('import { join, resolve as absolute } from "node:path";\n')).toBe(
    'const { join, resolve: absolute } = process.getBuiltinModule("node:path");\n',
  );
  expect(takeBuiltinsApart('import path from "node:path";')).toBe(
    'const path = process.getBuiltinModule("node:path");',
  );
  expect(takeBuiltinsApart('import cluster, { type Worker } from "node:cluster";')).toBe(
    'const cluster = process.getBuiltinModule("node:cluster");',
  );
  expect(takeBuiltinsApart('import {\n  type Stats,\n  stat,\n} from "node:fs/promises";\n')).toBe(
    'const {\n  \n  stat,\n} = process.getBuiltinModule("node:fs/promises");\n',
  );
});

test("everything else stays", () => {
  const others = [
    'import type { Server } from "node:http";',
    'import * as fs from "node:fs";',
    'import { named } from "./node.ts";',
    'const text = `import { x } from "node:fs";`;',
    "",
  ].join("\n");
  expect(takeBuiltinsApart(others)).toBe(others);
});
