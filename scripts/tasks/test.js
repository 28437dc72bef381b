import "../require-node.js";
import { runEverything } from "../test-stages.js";

process.exitCode = await runEverything();
