import "../require-node.js";
import { runTool } from "../tools.js";

process.exitCode = await runTool("biome", ["check", "--write", "."]);
