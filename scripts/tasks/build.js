import "../require-node.js";
import { build } from "../build.js";

process.exitCode = (await build()) ? 0 : 1;
