import { defineConfig } from "vitest/config";

/** Tests use their own database in memory. */
export default defineConfig({ test: { env: { NOTES_FILE: ":memory:" } } });
