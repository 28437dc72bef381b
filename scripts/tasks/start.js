import "../require-node.js";
import { build } from "../build.js";

if (await build()) {
  // Runs in this process, like `holdfast start tour`.
  process.argv.splice(2, 0, "start", "tour");
  await import("../../bin/holdfast.js");
} else {
  process.exitCode = 1;
}
