/** A file of its own, which the build adds to `later.ts` or loads only to show it. */
export { BuiltInPage } from "../react/built-in-page.tsx";
