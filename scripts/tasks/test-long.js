import "../require-node.js";
import { runEverything } from "../test-stages.js";

// Tests that can go further read this: more schedules, more kills, more rows.
process.env.HOLDFAST_TEST_LONG = "1";
process.exitCode = await runEverything();
