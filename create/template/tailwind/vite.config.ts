import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";

/** Holdfast and React add their own plugins. */
export default defineConfig({ plugins: [tailwindcss()] });
