import "../require-node.js";
import { runTool } from "../tools.js";

process.exitCode = await runTool("vitest", ["run", "--project", "unit", ...process.argv.slice(2)]);
