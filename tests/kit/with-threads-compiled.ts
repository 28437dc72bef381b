/** Runs before all tests: compiles the threads that tests from source start. */
export { compileThreads as default } from "../../scripts/compile-threads.js";
