/** Before all tests: those that run from source start threads that are compiled from what `src` is now. */
export { compileThreads as default } from "../../scripts/compile-threads.js";
