import type { UserConfig } from "vite";
import { withoutUnusedReact } from "./src/build/unused-react.ts";

export default { plugins: [withoutUnusedReact()] } satisfies UserConfig;
