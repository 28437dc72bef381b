import "../require-node.js";
import { checks } from "../check.js";

for (const check of checks) if ((await check.run()) !== 0) process.exitCode = 1;
