/**
 * `holdfast/server`: what server halves (`*.server.ts`) and `src/server` use. Never reaches the browser.
 * @module
 */
export {};
