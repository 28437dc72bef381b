import { enableCompileCache, flushCompileCache } from "node:module";

/** Starts an application with a bundle other than the package's own, as the command does. */
const [bundle = "", cache = "", ...args] = process.argv.slice(2);
enableCompileCache(cache);
setTimeout(flushCompileCache, 2_000).unref();
const { startCommand } = await import(bundle);
process.exitCode = await startCommand.run(args);
