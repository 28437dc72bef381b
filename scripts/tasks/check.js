import "../require-node.js";
import { checks } from "../check.js";

const codes = await Promise.all(checks.map((check) => check.run()));
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
