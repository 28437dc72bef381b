import type { Plugin, UserConfig } from "vite";
import { withoutUnusedReact } from "./src/build/unused-react.ts";

/**
 * The console runs in other people's applications and reports its errors with theirs. Its maps are not in the package,
 * so the list of releases would count its files as files of the application whose maps are missing.
 */
const withoutSourceMaps: Plugin = {
  name: "console:without-source-maps",
  apply: "build",
  enforce: "post",
  configEnvironment: () => ({ build: { sourcemap: false } }),
};

export default { plugins: [withoutUnusedReact(), withoutSourceMaps] } satisfies UserConfig;
