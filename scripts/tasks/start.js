import "../require-node.js";
import { build } from "../build.js";

if (await build()) {
  // In this very process, as if the visitor of the repository had typed `holdfast start tour`.
  process.argv.splice(2, 0, "start", "tour");
  await import("../../bin/holdfast.js");
} else {
  process.exitCode = 1;
}
