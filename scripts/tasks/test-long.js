import "../require-node.js";
import { runEverything } from "../test-stages.js";

// Tests that support a longer run read this: more schedules, more kills, more rows.
process.env.HOLDFAST_TEST_LONG = "1";
process.exitCode = await runEverything();
