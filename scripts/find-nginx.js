import { findProgram } from "./find-program.js";

/** The program nginx for the tests, or the one that NGINX names. */
export function findNginx() {
  return findProgram("nginx", "NGINX");
}
